// The parts of a page of results, each a piece of HTML; empty where there is nothing to show.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diffeo/results_report.hpp"
#include "diffeo/statistics/comparison.hpp"

namespace diffeo::report {

/// What every part is made from: the values, and what follows from them.
struct ResultsMaterial {
  const ResultsReport& report;
  std::vector<double> means;            ///< of each method
  std::vector<double> ranks;            ///< arithmetic means
  std::vector<double> geometric_ranks;  ///< geometric means
  std::vector<PairComparison> against;  ///< the first method against each other one, from the second on
  std::vector<double> adjusted;         ///< Holm-adjusted p-values of those

  [[nodiscard]] const ScoreTable& scores() const { return report.scores; }
  [[nodiscard]] const std::string& first() const { return report.scores.methods.front(); }
  [[nodiscard]] std::size_t methods() const { return report.scores.methods.size(); }
  [[nodiscard]] std::size_t datasets() const { return report.scores.datasets.size(); }
  [[nodiscard]] std::string_view where_scored() const {
    return report.scores_are_cross_validated ? "by cross-validation inside training sets" : "on test sets";
  }
};

/// std::invalid_argument that names the first value that does not fit.
void check(const ResultsReport& report);
[[nodiscard]] ResultsMaterial material_of(const ResultsReport& report);

/// "0.823": accuracies are written with three digits everywhere.
[[nodiscard]] std::string accuracy_text(double value);
/// "1.38"
[[nodiscard]] std::string rank_text(double value);
/// 0.031, < 0.0001
[[nodiscard]] std::string probability_text(double value);

[[nodiscard]] std::string results_section(std::string_view id, std::string_view heading, const std::string& content);
/// A drawing with its caption (HTML). Those that cannot shrink to a phone's width scroll sideways on their own.
[[nodiscard]] std::string sheet(const std::string& drawing, const std::string& caption,
                                std::string_view scrolls_as = {});
[[nodiscard]] std::string sheets(const std::string& figures);

// results_summary.cpp
[[nodiscard]] std::string results_key_figures(const ResultsMaterial& material);
[[nodiscard]] std::string summary_section(const ResultsMaterial& material);
[[nodiscard]] std::string rank_section(const ResultsMaterial& material);
[[nodiscard]] std::string loss_section(const ResultsMaterial& material);
// results_table.cpp
[[nodiscard]] std::string table_section(const ResultsMaterial& material);
// results_published.cpp
[[nodiscard]] std::string published_section(const ResultsMaterial& material);
// results_comparisons.cpp
[[nodiscard]] std::string scatter_section(const ResultsMaterial& material);
[[nodiscard]] std::string sharpshooter_section(const ResultsMaterial& material);
[[nodiscard]] std::string gain_section(const ResultsMaterial& material);
[[nodiscard]] std::string pair_section(const ResultsMaterial& material);
// results_ablation.cpp
[[nodiscard]] std::string ablation_section(const ResultsMaterial& material);
// results_studies.cpp
[[nodiscard]] std::string type_section(const ResultsMaterial& material);
[[nodiscard]] std::string within_variance_section(const ResultsMaterial& material);
[[nodiscard]] std::string grid_section(const ResultsMaterial& material);
[[nodiscard]] std::string origin_section(const ResultsMaterial& material);

/// As many pictures as have room in so many bytes.
struct PictureSection {
  std::string html;
  std::size_t shown = 0;
};
// results_pictures.cpp
[[nodiscard]] PictureSection picture_section(const ResultsMaterial& material, std::size_t room);

}  // namespace diffeo::report
