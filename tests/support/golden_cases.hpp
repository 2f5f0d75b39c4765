// The exact reference vectors of tests/golden: flow.json, computed with 150 digits, and log_slope.json, with 220
// (tools/golden_log_slope.py); rounded once to double.
#pragma once

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "diffeo/flow.hpp"

namespace diffeo::testing {

struct GoldenCase {
  std::string tag;
  Domain domain;
  double time = 1;
  std::vector<double> velocities, points;
  std::vector<double> positions, by_point, by_time, conditions;
  std::vector<std::vector<double>> by_velocity;

  [[nodiscard]] double width() const { return domain.upper - domain.lower; }
};

/// null in the file: beyond the range of double.
inline std::vector<double> numbers(const nlohmann::json& array) {
  std::vector<double> values;
  for (const auto& value : array) {
    values.push_back(value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>());
  }
  return values;
}

/// Reads every case of a file by read(entry).
template <class Case, class Read>
std::vector<Case> read_golden(const std::string& name, const Read& read) {
  const std::string path = std::string(DIFFEO_GOLDEN_DIRECTORY) + "/" + name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  const nlohmann::json document = nlohmann::json::parse(file);
  std::vector<Case> cases;
  for (const auto& entry : document.at("cases")) cases.push_back(read(entry));
  if (cases.size() != document.at("meta").at("n_cases")) throw std::runtime_error(name + ": cases are missing");
  return cases;
}

inline std::vector<std::vector<double>> rows_of_numbers(const nlohmann::json& array) {
  std::vector<std::vector<double>> rows;
  for (const auto& row : array) rows.push_back(numbers(row));
  return rows;
}

inline std::vector<GoldenCase> golden_cases() {
  return read_golden<GoldenCase>("flow.json", [](const nlohmann::json& entry) {
    return GoldenCase{.tag = entry.at("tag"),
                      .domain = {entry.at("xmin"), entry.at("xmax")},
                      .time = entry.at("t"),
                      .velocities = numbers(entry.at("v")),
                      .points = numbers(entry.at("x")),
                      .positions = numbers(entry.at("phi")),
                      .by_point = numbers(entry.at("dphi_dx")),
                      .by_time = numbers(entry.at("dphi_dt")),
                      .conditions = numbers(entry.at("cond")),
                      .by_velocity = rows_of_numbers(entry.at("dphi_dv"))};
  });
}

/// Log-slopes and their derivatives. Infinite derivatives lie beyond the range of double, or at a kink.
struct LogSlopeCase {
  std::string tag;
  Domain domain;
  double time = 1;
  std::vector<double> velocities, points;
  std::vector<double> log_slopes, by_point, by_time, largest_by_velocity, conditions;
  std::vector<std::vector<double>> by_velocity;
};

inline std::vector<LogSlopeCase> log_slope_cases() {
  return read_golden<LogSlopeCase>("log_slope.json", [](const nlohmann::json& entry) {
    return LogSlopeCase{.tag = entry.at("tag"),
                        .domain = {entry.at("xmin"), entry.at("xmax")},
                        .time = entry.at("t"),
                        .velocities = numbers(entry.at("v")),
                        .points = numbers(entry.at("x")),
                        .log_slopes = numbers(entry.at("log_slope")),
                        .by_point = numbers(entry.at("by_x")),
                        .by_time = numbers(entry.at("by_t")),
                        .largest_by_velocity = numbers(entry.at("largest_by_v")),
                        .conditions = numbers(entry.at("cond")),
                        .by_velocity = rows_of_numbers(entry.at("by_v"))};
  });
}

template <class Real>
std::vector<Real> rounded(const std::vector<double>& values) {
  return std::vector<Real>(values.begin(), values.end());
}

}  // namespace diffeo::testing
