#include <charconv>
#include <optional>
#include <vector>

#include "diffeo/error.hpp"
#include "diffeo/figures/curves_figure.hpp"
#include "report/html.hpp"
#include "report/results_sections.hpp"

namespace diffeo::report {
namespace {

/// The values as numbers, where all of them are positive ones: then they have a place on an axis.
std::optional<std::vector<double>> places_of(const AblationTable& table) {
  std::vector<double> places;
  for (const AblationRow& row : table.rows) {
    double place = 0.0;
    const char* const end = row.value.data() + row.value.size();
    const auto [rest, error] = std::from_chars(row.value.data(), end, place);
    if (error != std::errc() || rest != end || !(place > 0.0)) return std::nullopt;
    places.push_back(place);
  }
  return places;
}

std::string ablation_curve(const AblationTable& table, const std::vector<double>& places, std::string_view quantity,
                           double AblationRow::*member) {
  CurveLine line{std::string(quantity), places, {}};
  for (const AblationRow& row : table.rows) line.y.push_back(row.*member);
  CurvesPlot plot;
  plot.title = message(quantity, " by ", table.name);
  plot.horizontal = table.name;
  plot.vertical = line.name;
  plot.is_horizontal_logarithmic = true;
  plot.lines = {std::move(line)};
  return sheet(curves_figure(plot), message("<b>", escaped(plot.title), "</b>, means over data sets."));
}

std::string ablation_curves(const AblationTable& table) {
  const std::optional<std::vector<double>> places = places_of(table);
  if (!places || places->size() < 2) return "";
  return sheets(ablation_curve(table, *places, "Accuracy", &AblationRow::accuracy) +
                ablation_curve(table, *places, "Seconds", &AblationRow::seconds));
}

std::string ablation_table(const AblationTable& table) {
  std::string html = message("<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"", escaped(table.name),
                             "\"><table class=\"ablation\"><thead><tr><th scope=\"col\">", escaped(table.name),
                             "</th><th scope=\"col\" class=\"number\">accuracy</th><th scope=\"col\" "
                             "class=\"number\">seconds</th><th scope=\"col\" class=\"number\">data sets</th></tr>"
                             "</thead><tbody>\n");
  for (const AblationRow& row : table.rows) {
    html += message("<tr><th scope=\"row\">", escaped(row.value), "</th><td class=\"number\">",
                    data_element(row.accuracy, accuracy_text(row.accuracy)), "</td><td class=\"number\">",
                    data_element(row.seconds, short_number(row.seconds, 3)), "</td><td class=\"number\">", row.datasets,
                    "</td></tr>\n");
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace

std::string ablation_section(const ResultsMaterial& material) {
  if (material.report.ablations.empty()) return "";
  std::string html =
      "<p>One thing changed at a time. Accuracies and seconds of work are means over data sets. Seconds are processor "
      "time of all threads together, or time on the clock of results that have no other.</p>\n";
  for (const AblationTable& table : material.report.ablations) {
    html += message("<h3>", escaped(table.name), "</h3>\n") + ablation_curves(table) + ablation_table(table);
  }
  return results_section("ablation", "Ablation", html);
}

}  // namespace diffeo::report
