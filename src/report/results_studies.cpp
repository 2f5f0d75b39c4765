#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "diffeo/error.hpp"
#include "diffeo/figures/group_figure.hpp"
#include "report/html.hpp"
#include "report/results_sections.hpp"

namespace diffeo::report {
namespace {

constexpr std::size_t kMostStripPoints = 5000;  // more would make the page too large, and nobody could tell them apart

std::vector<std::string> types_of(const ResultsReport& report) {
  std::vector<std::string> types;
  for (const DatasetProperties& each : report.properties) types.push_back(each.type.empty() ? "other" : each.type);
  return types;
}

std::string type_row(const ResultsMaterial& material, const std::vector<std::string>& types, const std::string& type) {
  std::vector<std::size_t> sets;
  for (std::size_t set = 0; set < types.size(); ++set) {
    if (types[set] == type) sets.push_back(set);
  }
  std::string html =
      message("<tr><th scope=\"row\">", escaped(type), "</th><td class=\"number\">", sets.size(), "</td>");
  for (std::size_t method = 0; method < material.methods(); ++method) {
    double sum = 0.0;
    for (const std::size_t set : sets) sum += material.scores().scores[set][method];
    const double mean = sum / static_cast<double>(sets.size());
    html += message("<td class=\"number\">", data_element(mean, accuracy_text(mean)), "</td>");
  }
  return html + "</tr>\n";
}

std::string type_table(const ResultsMaterial& material, const std::vector<std::string>& types) {
  std::string html =
      "<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"Means by type of data\"><table id=\"types\">"
      "<thead><tr><th scope=\"col\">type</th><th scope=\"col\" class=\"number\">data sets</th>";
  for (const std::string& method : material.scores().methods) {
    html += message("<th scope=\"col\" class=\"number\">", escaped(method), "</th>");
  }
  html += "</tr></thead><tbody>\n";
  std::vector<std::string> names;
  for (const std::string& type : types) {
    if (std::ranges::find(names, type) != names.end()) continue;
    names.push_back(type);
    html += type_row(material, types, type);
  }
  return html + "</tbody></table></div>\n";
}

/// Those that became smallest first; by name where equal.
std::vector<BeforeAfter> by_reduction(std::vector<BeforeAfter> rows) {
  const auto left = [](const BeforeAfter& row) { return row.before > 0.0 ? row.after / row.before : 1.0; };
  std::ranges::stable_sort(rows, [&](const BeforeAfter& a, const BeforeAfter& b) { return left(a) < left(b); });
  return rows;
}

std::string variance_sentence(const std::vector<BeforeAfter>& rows) {
  double sum = 0.0;
  std::size_t positive = 0;
  for (const BeforeAfter& row : rows) {
    if (!(row.before > 0.0) || !(row.after > 0.0)) continue;
    sum += std::log(row.after / row.before);
    ++positive;
  }
  const auto lower = std::ranges::count_if(rows, [](const BeforeAfter& row) { return row.after < row.before; });
  std::string text =
      message("It is lower after alignment on ", lower, " of ", counted(rows.size(), "data set", "data sets"));
  if (positive > 0) {
    const double left = std::exp(sum / static_cast<double>(positive));
    text += message("; on average (geometric mean) ", data_element(left, percent(left)), " of it is left");
  }
  return text + ".";
}

double mean_claim(const std::vector<ClaimedAccuracy>& claims, double ClaimedAccuracy::*member) {
  double sum = 0.0;
  for (const ClaimedAccuracy& claim : claims) sum += claim.*member;
  return sum / static_cast<double>(claims.size());
}

std::string claim_row(std::string_view kind, const std::string& name, double chosen, double claimed) {
  return message("<tr", kind, "><th scope=\"row\">", escaped(name), "</th><td class=\"number\">",
                 data_element(chosen, accuracy_text(chosen)), "</td><td class=\"number fault\">",
                 data_element(claimed, accuracy_text(claimed)), "</td></tr>\n");
}

std::string claim_table(const GridSearch& grid) {
  if (grid.claims.empty()) return "";
  std::string html =
      "<figure><div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"What choosing on test data claims\">"
      "<table id=\"claims\"><thead><tr><th scope=\"col\">data set</th><th scope=\"col\" class=\"number\">chosen within "
      "the training set</th><th scope=\"col\" class=\"number\">chosen on test data (not a result)</th></tr></thead>"
      "<tbody>\n";
  for (const ClaimedAccuracy& claim : grid.claims) {
    html += claim_row("", claim.dataset, claim.chosen, claim.best_on_test);
  }
  html +=
      "</tbody><tfoot>\n" +
      claim_row("", "mean", mean_claim(grid.claims, &ClaimedAccuracy::chosen),
                mean_claim(grid.claims, &ClaimedAccuracy::best_on_test)) +
      "</tfoot></table></div><figcaption><b>What choosing on test data would have claimed.</b> Accuracies on test "
      "sets. The middle column is a result: the setting was chosen by cross-validation within the training set. The "
      "last one is not: it is the best of all settings on the very data it is measured on, and shows how much such "
      "a choice flatters.</figcaption></figure>\n";
  return html;
}

}  // namespace

std::string type_section(const ResultsMaterial& material) {
  if (material.report.properties.empty()) return "";
  const std::vector<std::string> types = types_of(material.report);
  std::string html;
  if (material.datasets() * material.methods() <= kMostStripPoints) {
    html = sheet(group_figure(material.scores(), types),
                 "<b>Accuracy by type of data.</b> A point is a data set, a bar the mean of a method.",
                 "Accuracy by type of data");
  }
  return results_section("types", "By type of data", html + type_table(material, types));
}

std::string within_variance_section(const ResultsMaterial& material) {
  if (material.report.variances.empty()) return "";
  const std::vector<BeforeAfter> rows = by_reduction(material.report.variances);
  return results_section(
      "variance", "Variance within classes",
      sheet(before_after_figure("variance within classes", rows),
            message("<b>Before and after alignment</b> by ", escaped(material.first()),
                    ", of test series. At every time step the variance over the series of a class, summed over time, "
                    "averaged over classes weighted with their sizes. ",
                    variance_sentence(rows)),
            "Variance within classes before and after alignment"));
}

std::string grid_section(const ResultsMaterial& material) {
  if (!material.report.grid) return "";
  const GridSearch& grid = *material.report.grid;
  std::string html;
  if (!grid.frequencies.empty()) {
    html += sheet(frequency_figure(grid.frequencies),
                  message("<b>Winning frequency</b> of each value of each hyper-parameter of ", escaped(grid.method),
                          ": on how many data sets it is in the setting that cross-validation within the training set "
                          "chose."));
  }
  return results_section("grid", "Hyper-parameters", html + claim_table(grid));
}

std::string origin_section(const ResultsMaterial& material) {
  if (material.report.provenance.empty()) return "";
  std::string html =
      "<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"Made from\"><table class=\"options\"><tbody>\n";
  for (const ReportRow& row : material.report.provenance) {
    html += message("<tr><th scope=\"row\">", escaped(row.name), "</th><td>", escaped(row.value), "</td>");
    if (!row.help.empty()) html += message("<td class=\"help\">", escaped(row.help), "</td>");
    html += "</tr>\n";
  }
  return results_section("provenance", "Made from", html + "</tbody></table></div>\n");
}

}  // namespace diffeo::report
