#include <algorithm>
#include <cmath>
#include <numeric>

#include "diffeo/error.hpp"
#include "diffeo/statistics/holm.hpp"
#include "diffeo/statistics/ranks.hpp"
#include "report/html.hpp"
#include "report/results_sections.hpp"

namespace diffeo::report {
namespace {

constexpr double kLeastProbability = 1e-4;  // below, people are told that it is less

void check_scores(const ScoreTable& scores) {
  require(!scores.methods.empty() && !scores.datasets.empty(),
          "scores: expected at least one method and one data set, got ", scores.methods.size(), " and ",
          scores.datasets.size());
  require(scores.scores.size() == scores.datasets.size(), "scores: expected a row for each of the ",
          scores.datasets.size(), " data sets, got ", scores.scores.size());
  for (const std::vector<double>& row : scores.scores) {
    require(row.size() == scores.methods.size(), "scores: expected ", scores.methods.size(), " in a row, got ",
            row.size());
    for (const double score : row) require(std::isfinite(score), "scores: expected finite ones, got ", score);
  }
}

template <class Value>
void check_beside_scores(const std::vector<std::vector<Value>>& values, const ScoreTable& scores,
                         std::string_view name) {
  if (values.empty()) return;
  require(values.size() == scores.datasets.size(), name, ": expected a row for each of the ", scores.datasets.size(),
          " data sets, got ", values.size());
  for (const std::vector<Value>& row : values) {
    require(row.size() == scores.methods.size(), name, ": expected ", scores.methods.size(), " in a row, got ",
            row.size());
  }
}

void check_published(const PublishedTable& published, const ScoreTable& scores) {
  require(published.values.size() == scores.datasets.size(), "published: expected a row for each of the ",
          scores.datasets.size(), " data sets, got ", published.values.size());
  for (const std::vector<PublishedValue>& row : published.values) {
    require(row.size() == published.methods.size(), "published: expected ", published.methods.size(), " in a row, got ",
            row.size());
  }
}

/// With as many digits after the point as the power of ten has zeros.
std::string decimal_text(double value, long long power) {
  const long long parts = std::llround(std::abs(value) * static_cast<double>(power));
  const std::string digits = std::to_string(power + parts % power).substr(1);
  return message(value < 0.0 && parts > 0 ? "\u2212" : "", parts / power, ".", digits);
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

void check(const ResultsReport& report) {
  const ScoreTable& scores = report.scores;
  check_scores(scores);
  check_beside_scores(report.spreads, scores, "spreads");
  check_beside_scores(report.cross_validated, scores, "cross_validated");
  require(report.seeds.empty() || report.seeds.size() == scores.methods.size(),
          "seeds: expected a number for each of the ", scores.methods.size(), " methods, got ", report.seeds.size());
  require(report.properties.empty() || report.properties.size() == scores.datasets.size(),
          "properties: expected one for each of the ", scores.datasets.size(), " data sets, got ",
          report.properties.size());
  require(report.trained.empty() || report.trained.size() == scores.datasets.size(),
          "trained: expected one for each of the ", scores.datasets.size(), " data sets, got ", report.trained.size());
  require(scores.methods.size() == 1 || (report.baseline > 0 && report.baseline < scores.methods.size()),
          "baseline: expected the number of a method from 1 to ", scores.methods.size() - 1, ", got ", report.baseline);
  if (report.published) check_published(*report.published, scores);
}

ResultsMaterial material_of(const ResultsReport& report) {
  check(report);
  ResultsMaterial material{report, {}, mean_ranks(report.scores), geometric_mean_ranks(report.scores), {}, {}};
  std::vector<double> p_values;
  for (std::size_t method = 0; method < report.scores.methods.size(); ++method) {
    material.means.push_back(mean_of(scores_of(report.scores, method)));
    if (method == 0) continue;
    material.against.push_back(compare_methods(report.scores, 0, method));
    p_values.push_back(material.against.back().test.p_value);
  }
  material.adjusted = holm_adjusted(p_values);
  return material;
}

std::string accuracy_text(double value) { return decimal_text(value, 1000); }
std::string rank_text(double value) { return decimal_text(value, 100); }

std::string probability_text(double value) {
  return value < kLeastProbability ? "&lt; 0.0001" : short_number(value, 2);
}

std::string results_section(std::string_view id, std::string_view heading, const std::string& content) {
  return message("<section id=\"", id, "\">\n<h2>", heading, "</h2>\n", content, "</section>\n");
}

std::string sheet(const std::string& drawing, const std::string& caption, std::string_view scrolls_as) {
  const std::string scrolling =
      scrolls_as.empty() ? "" : message(" wide\" tabindex=\"0\" role=\"region\" aria-label=\"", escaped(scrolls_as));
  return message("<figure><div class=\"sheet", scrolling, "\">\n", drawing, "</div><figcaption>", caption,
                 "</figcaption></figure>\n");
}

std::string sheets(const std::string& figures) { return message("<div class=\"sheets\">\n", figures, "</div>\n"); }

}  // namespace diffeo::report
