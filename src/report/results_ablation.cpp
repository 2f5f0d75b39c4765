#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "diffeo/error.hpp"
#include "diffeo/figures/curves_figure.hpp"
#include "report/html.hpp"
#include "report/results_sections.hpp"

namespace diffeo::report {
namespace {

struct PlacedRow {
  double place = 0.0;  ///< the value as a number
  AblationRow row;
};

/// By their values, where all of them are positive numbers: then they have a place on an axis, in whatever order they
/// were tried.
std::optional<std::vector<PlacedRow>> placed_rows(const AblationTable& table) {
  std::vector<PlacedRow> placed;
  for (const AblationRow& row : table.rows) {
    double place = 0.0;
    const char* const end = row.value.data() + row.value.size();
    const auto [rest, error] = std::from_chars(row.value.data(), end, place);
    if (error != std::errc() || rest != end || !(place > 0.0)) return std::nullopt;
    placed.push_back({place, row});
  }
  std::ranges::stable_sort(placed, {}, &PlacedRow::place);
  return placed;
}

std::string ablation_curve(const std::string& name, const std::vector<PlacedRow>& rows, std::string_view quantity,
                           double AblationRow::*member) {
  CurveLine line{std::string(quantity), {}, {}};
  for (const PlacedRow& each : rows) {
    line.x.push_back(each.place);
    line.y.push_back(each.row.*member);
  }
  CurvesPlot plot;
  plot.title = message(quantity, " by ", name);
  plot.horizontal = name;
  plot.vertical = line.name;
  plot.is_horizontal_logarithmic = true;
  plot.lines = {std::move(line)};
  return sheet(curves_figure(plot), message("<b>", escaped(plot.title), "</b>, means over data sets."));
}

std::string ablation_curves(const AblationTable& table) {
  const std::optional<std::vector<PlacedRow>> rows = placed_rows(table);
  if (!rows || rows->size() < 2) return "";
  return sheets(ablation_curve(table.name, *rows, "Accuracy", &AblationRow::accuracy) +
                ablation_curve(table.name, *rows, "Seconds of training", &AblationRow::seconds));
}

std::string ablation_table(const AblationTable& table, bool is_cross_validated) {
  std::string html =
      message("<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"", escaped(table.name),
              "\"><table class=\"ablation\"><thead><tr><th scope=\"col\">", escaped(table.name),
              "</th><th scope=\"col\" class=\"number\">", is_cross_validated ? "cross-validated" : "test",
              " accuracy</th><th scope=\"col\" class=\"number\">seconds of training</th><th scope=\"col\" "
              "class=\"number\">data "
              "sets</th></tr></thead><tbody>\n");
  for (const AblationRow& row : table.rows) {
    html += message("<tr><th scope=\"row\">", escaped(row.value), "</th><td class=\"number\">",
                    data_element(row.accuracy, accuracy_text(row.accuracy)), "</td><td class=\"number\">",
                    data_element(row.seconds, short_number(row.seconds, 3)), "</td><td class=\"number\">", row.datasets,
                    "</td></tr>\n");
  }
  return html + "</tbody></table></div>\n";
}

std::string seed_words(const std::vector<std::uint64_t>& seeds) {
  if (seeds.empty()) return "";
  std::string words = seeds.size() == 1 ? ", of seed " : " and the seeds ";
  for (std::size_t place = 0; place < seeds.size(); ++place) words += message(place == 0 ? "" : ", ", seeds[place]);
  return words;
}

/// Without it nobody could tell whether test sets were looked at.
std::string accuracy_sentence(const AblationStudies& studies) {
  return message("Accuracies are those ",
                 studies.is_cross_validated ? "of cross-validation within the training sets" : "on the test sets",
                 ", means over data sets", seed_words(studies.seeds), ".");
}

}  // namespace

std::string ablation_section(const ResultsMaterial& material) {
  if (!material.report.ablation || material.report.ablation->tables.empty()) return "";
  const AblationStudies& studies = *material.report.ablation;
  std::string html =
      message("<p>One thing changed at a time", studies.setting.empty() ? "" : ", around " + escaped(studies.setting),
              ". ", accuracy_sentence(studies),
              " Seconds of training are means like them: processor time of all threads together. Results from before "
              "training was timed apart have the seconds of training and testing.</p>\n");
  for (const AblationTable& table : studies.tables) {
    html += message("<h3>", escaped(table.name), "</h3>\n") + ablation_curves(table) +
            ablation_table(table, studies.is_cross_validated);
  }
  return results_section("ablation", "Ablation", html);
}

}  // namespace diffeo::report
