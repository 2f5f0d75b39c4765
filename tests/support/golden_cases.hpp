// The exact reference vectors of tests/golden/flow.json: computed with 150 digits, rounded once to double.
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

inline std::vector<GoldenCase> golden_cases() {
  std::ifstream file(DIFFEO_GOLDEN_DIRECTORY "/flow.json");
  if (!file) throw std::runtime_error("cannot read " DIFFEO_GOLDEN_DIRECTORY "/flow.json");
  const nlohmann::json document = nlohmann::json::parse(file);
  std::vector<GoldenCase> cases;
  for (const auto& entry : document.at("cases")) {
    GoldenCase c;
    c.tag = entry.at("tag");
    c.domain = {entry.at("xmin"), entry.at("xmax")};
    c.time = entry.at("t");
    c.velocities = numbers(entry.at("v"));
    c.points = numbers(entry.at("x"));
    c.positions = numbers(entry.at("phi"));
    c.by_point = numbers(entry.at("dphi_dx"));
    c.by_time = numbers(entry.at("dphi_dt"));
    c.conditions = numbers(entry.at("cond"));
    for (const auto& row : entry.at("dphi_dv")) c.by_velocity.push_back(numbers(row));
    cases.push_back(std::move(c));
  }
  if (cases.size() != document.at("meta").at("n_cases")) throw std::runtime_error("flow.json: cases are missing");
  return cases;
}

template <class Real>
std::vector<Real> rounded(const std::vector<double>& values) {
  return std::vector<Real>(values.begin(), values.end());
}

}  // namespace diffeo::testing
