#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
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

bool has_best_on_test(const GridSearch& grid) {
  return std::ranges::any_of(grid.choices, [](const ChosenSetting& each) { return each.best_on_test.has_value(); });
}

std::string figure_cell(const std::optional<double>& figure, std::string_view kind = "") {
  return message("<td class=\"number", kind, "\">", figure ? data_element(*figure, accuracy_text(*figure)) : "–",
                 "</td>");
}

std::string choice_row(const ChosenSetting& choice, bool with_best) {
  return message("<tr><th scope=\"row\">", escaped(choice.dataset), "</th><td>",
                 choice.setting.empty() ? "–" : escaped(choice.setting), "</td>", figure_cell(choice.cross_validated),
                 figure_cell(choice.tested), with_best ? figure_cell(choice.best_on_test, " fault") : "", "</tr>\n");
}

/// Over the data sets that have every figure: columns are compared, so they are about the same ones.
std::string mean_choice_row(const GridSearch& grid, bool with_best) {
  std::vector<ChosenSetting> whole = grid.choices;
  std::erase_if(whole, [&](const ChosenSetting& each) {
    return !each.cross_validated || !each.tested || (with_best && !each.best_on_test);
  });
  ChosenSetting mean;
  mean.dataset =
      whole.size() == grid.choices.size() ? "mean" : message("mean of the ", whole.size(), " with every figure");
  const auto mean_of = [&](std::optional<double> ChosenSetting::*figure) -> std::optional<double> {
    if (whole.empty()) return std::nullopt;
    double sum = 0.0;
    for (const ChosenSetting& each : whole) sum += (each.*figure).value_or(0.0);
    return sum / static_cast<double>(whole.size());
  };
  mean.cross_validated = mean_of(&ChosenSetting::cross_validated);
  mean.tested = mean_of(&ChosenSetting::tested);
  mean.best_on_test = mean_of(&ChosenSetting::best_on_test);
  return choice_row(mean, with_best);
}

std::string choice_caption(const GridSearch& grid) {
  std::string text =
      "<b>What was chosen, and its accuracies.</b> Settings were chosen by the cross-validated accuracy, within the "
      "training set, so that it flatters; the accuracy on the test set is a result.";
  if (!has_best_on_test(grid)) return text;
  const bool is_of_last_rung = grid.rungs > 1 && grid.best_of > 0;
  return message(text, " The last column is none: it is the best of ",
                 is_of_last_rung ? message("the ", grid.best_of, " that reached the last rung") : "all settings",
                 ", chosen on test data, the very data it is measured on, and shows how much such a choice flatters.");
}

std::string choice_table(const GridSearch& grid) {
  if (grid.choices.empty()) return "";
  const bool with_best = has_best_on_test(grid);
  std::string html = message(
      "<figure><div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"What the search chose\"><table "
      "id=\"choices\"><thead><tr><th scope=\"col\">data set</th><th scope=\"col\">setting chosen</th><th "
      "scope=\"col\" class=\"number\">cross-validated accuracy</th><th scope=\"col\" class=\"number\">test "
      "accuracy</th>",
      with_best ? "<th scope=\"col\" class=\"number\">chosen on test data (not a result)</th>" : "",
      "</tr></thead><tbody>\n");
  for (const ChosenSetting& choice : grid.choices) html += choice_row(choice, with_best);
  return message(html, "</tbody><tfoot>\n", mean_choice_row(grid, with_best), "</tfoot></table></div><figcaption>",
                 choice_caption(grid), "</figcaption></figure>\n");
}

std::string search_sentence(const GridSearch& grid) {
  if (grid.settings == 0) return "";
  const std::string halving =
      grid.rungs > 1
          ? message(", in ", grid.rungs,
                    " rungs of successive halving, of which the last alone has all folds and all of the training")
          : "";
  return message("<p>", counted(grid.settings, "setting", "settings"), " of ", escaped(grid.method),
                 " compared on each of ", counted(grid.choices.size(), "data set", "data sets"),
                 ": by cross-validation with ", counted(grid.folds, "fold", "folds"), " within its training set",
                 halving, ". ", grid.failures == 0 ? "No piece" : counted(grid.failures, "piece", "pieces"),
                 " of work failed.</p>\n");
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
  std::string html = search_sentence(grid);
  if (!grid.frequencies.empty()) {
    html += sheet(frequency_figure(grid.frequencies),
                  message("<b>Winning frequency</b> of each value of each hyper-parameter of ", escaped(grid.method),
                          ": on how many data sets it is in the setting that cross-validation within the training set "
                          "chose."));
  }
  return results_section("grid", "Hyper-parameters", html + choice_table(grid));
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
