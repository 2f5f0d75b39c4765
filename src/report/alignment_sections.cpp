#include "report/alignment_sections.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "diffeo/error.hpp"
#include "report/alignment_numbers.hpp"
#include "report/html.hpp"

namespace diffeo::report {
namespace {

constexpr std::size_t kClassesOpen = 6;  // all of them open; of more, the first few
constexpr std::size_t kClassesOpenOfMany = 2;
constexpr std::size_t kCentroidsTogether = 7;  // as many as there are colors
constexpr std::size_t kMostRows = 200;         // of the table of variances
constexpr std::size_t kLargestMatrix = 60;
constexpr std::size_t kDenseMatrix = 12;
constexpr std::size_t kConfusionsListed = 20;
constexpr std::size_t kColors = 7;
constexpr double kDarkCell = 0.55;  // of the full shade: beyond, the text on it is light

std::string plot(std::string_view chart, const std::string& attributes, const std::string& caption) {
  return message("<figure><div class=\"plot\" data-chart=\"", chart, "\"", attributes, "></div><figcaption>", caption,
                 "</figcaption></figure>\n");
}

std::string section(std::string_view id, std::string_view heading, const std::string& content) {
  return message("<section id=\"", id, "\">\n<h2>", heading, "</h2>\n", content, "</section>\n");
}

/// A spot of the class's color.
std::string swatch(const Material& material, const std::string& name) {
  return message("<span class=\"swatch\" style=\"background:var(--class-", material.colors.of(name) % kColors,
                 ")\"></span>");
}

// --- classes ---

std::string drawn_cases_text(const Material& material) {
  const std::size_t all = material.report.series.cases();
  const std::size_t drawn = material.plan.cases();
  if (drawn == all) return message("All ", grouped(all), " series are drawn. ");
  return message(grouped(drawn), " of ", grouped(all), " series are drawn, taken evenly from the classes with seed ",
                 material.drawing.seed, "; all of them are counted in figures, means and spreads. ");
}

/// What the reader should know of what is not drawn, or drawn in its own way.
std::string drawing_text(const Material& material) {
  const AlignmentReport& report = material.report;
  std::string text = drawn_cases_text(material);
  const std::size_t longest = std::max({report.series.longest(), report.aligned ? report.aligned->longest() : 0});
  if (material.plan.points < longest) {
    text += message("Lines are drawn in ", grouped(material.plan.points), " of ", grouped(longest), " time steps. ");
  }
  if (material.plan.channels < report.series.channels()) {
    text += message("The first ", material.plan.channels, " of ", grouped(report.series.channels()),
                    " channels can be chosen; all are counted in figures. ");
  }
  if (material.plan.items.size() < material.figures.groups.size()) {
    text += message("The first ", material.plan.items.size(), " of ", grouped(material.figures.groups.size()),
                    " classes are drawn. ");
  }
  if (!report.series.equally_long()) text += "Series differ in length; each lasts from 0 to 1. ";
  if (report.series.has_missing()) text += "Missing values are left as gaps. ";
  if (!report.series.labeled() && !report.predicted.empty()) {
    text += "The series have no labels: they are grouped by the predicted class. ";
  }
  return text;
}

std::string time_now() { return "<span class=\"time-now\">t = 1.00</span>"; }

std::string series_captions(const Material& material, std::size_t group) {
  const std::string attributes = message(" data-group=\"", group, "\"");
  const std::string count = counted(material.figures.groups[group].items.size(), "series", "series");
  const bool is_average = shows_averages(material.report);
  const std::string spread = message("Thin lines are series; the ", is_average ? "dashed" : "thick",
                                     " line is the mean of all ", count, material.has_classes() ? " of the class" : "",
                                     ", the band one standard deviation (divided by n) to either side.",
                                     is_average ? " The thick line is the average that was computed." : "");
  std::string html = plot("seriesBefore", attributes, "<b>As recorded.</b> " + spread);
  if (!material.report.aligned) return html;
  if (!material.has_flow()) {
    return html + plot("seriesAfter", attributes, "<b>Aligned.</b> The same series in common time, on the same axes.");
  }
  std::string between = "Between t = 0 (as recorded) and t = 1 (aligned) mean and band are those of the series drawn.";
  if (!material.report.composed) between += " In between the page composes exact flows; the model approximates.";
  return html +
         plot("seriesAfter", attributes,
              message("<b>Moved along the flow, ", time_now(), ".</b> The same series, on the same axes. ", between));
}

std::string heat_captions(const Material& material, std::size_t group) {
  const std::string attributes = message(" data-group=\"", group, "\"");
  std::string html = plot("heatBefore", attributes,
                          "<b>As recorded, a row each.</b> Color is value; rows are in the order of the file.");
  if (!material.report.aligned) return html;
  const std::string when = material.has_flow() ? "Moved along the flow, " + time_now() : std::string("Aligned");
  return html + plot("heatAfter", attributes,
                     message("<b>", when, ".</b> The same rows and colors; features that line up become vertical."));
}

std::string flow_captions(const Material& material, std::size_t group) {
  if (!material.has_flow()) return "";
  std::string html =
      plot("warps", message(" data-group=\"", group, "\""),
           message("<b>Warps φ(x), ", time_now(),
                   ".</b> Where in its own time each series is read. Above the dashed identity line, what "
                   "happens later in the series is moved earlier."));
  const std::vector<Matrix>& layers = material.report.velocities;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const std::string which = layers.size() == 1 ? "" : message(" of layer ", layer + 1, " of ", layers.size());
    html +=
        plot("velocities", message(" data-group=\"", group, "\" data-layer=\"", layer, "\""),
             message("<b>Velocity fields", which, ".</b> The flow follows them from t = 0 to t = 1. Affine in each of ",
                     counted(layers[layer].columns() - 1, "cell", "cells"), "."));
  }
  return html;
}

std::string class_summary(const ReportGroup& group) {
  std::string text = counted(group.items.size(), "series", "series");
  text += ", variance " + short_number(group.variance_before);
  if (group.variance) text += " → " + short_number(*group.variance);
  if (group.hits) {
    text += message(", ", percent(static_cast<double>(*group.hits) / static_cast<double>(group.items.size())),
                    " recognized");
  }
  return text;
}

std::string one_class(const Material& material, std::size_t group, bool open) {
  return message("<details class=\"class\" id=\"class-", group, "\"", open ? " open" : "", "><summary><h2>",
                 swatch(material, material.figures.groups[group].name),
                 material.figures.groups[group].name.empty() ? "" : "Class ",
                 escaped(shown_name(material.figures.groups[group])), "</h2><span class=\"quiet\">",
                 class_summary(material.figures.groups[group]), "</span></summary>\n<div class=\"panels\">\n",
                 series_captions(material, group), heat_captions(material, group), flow_captions(material, group),
                 "</div></details>\n");
}

// --- centroids ---

std::string centroids_together(const Material& material) {
  const Dataset& centroids = material.report.centroids;
  std::string html = "<ul class=\"legend\">";
  for (std::size_t number = 0; number < centroids.cases() && centroids.labeled(); ++number) {
    html += message("<li>", swatch(material, centroids.label(number)), escaped(centroids.label(number)), "</li>");
  }
  const std::string_view what = centroids.labeled() ? "<b>One line a class.</b> " : "<b>Of all series.</b> ";
  return message(html, "</ul>\n", plot("centroids", "", message(what, escaped(material.report.centroid_help))));
}

std::string centroids_apart(const Material& material) {
  const Dataset& centroids = material.report.centroids;
  const std::size_t shown = std::min(centroids.cases(), kMostCentroids);
  std::string html = message("<p class=\"quiet\">", escaped(material.report.centroid_help),
                             " The dashed line is the mean of the series as recorded.");
  if (shown < centroids.cases())
    html += message(" The first ", shown, " of ", grouped(centroids.cases()), " are shown.");
  html += "</p>\n<div class=\"small\">\n";
  for (std::size_t number = 0; number < shown; ++number) {
    const std::string name = centroids.labeled() ? centroids.label(number) : std::to_string(number + 1);
    html += plot("centroids", message(" data-group=\"", number, "\""), "<b>" + escaped(name) + "</b>");
  }
  return html + "</div>\n";
}

// --- confusion ---

double share_of(std::size_t count, std::size_t total) {
  return total == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(total);
}

std::string confusion_cell(const ReportFigures& figures, std::size_t row, std::size_t column) {
  const ReportGroup& group = figures.groups[row];
  const std::string& predicted = figures.predicted_names[column];
  const std::size_t count = figures.confusion[row][column];
  const double share = share_of(count, group.items.size());
  const std::string_view kind = group.name == predicted ? "right" : count == 0 ? "none" : "wrong";
  const std::string style = message("background:color-mix(in srgb, var(--shade) ", short_number(100.0 * share),
                                    "%, transparent)", share > kDarkCell ? ";color:var(--on-shade)" : "");
  return message("<td class=\"", kind, "\" style=\"", style, "\" title=\"", escaped(group.name), " predicted as ",
                 escaped(predicted), ": ", count, " of ", group.items.size(), "\">", count, "</td>");
}

std::string confusion_table(const ReportFigures& figures) {
  std::string html = message(
      "<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"Confusion matrix\"><table class=\"confusion",
      figures.groups.size() > kDenseMatrix ? " dense" : "", "\"><thead><tr><th scope=\"col\">label ↓ predicted →</th>");
  for (const std::string& name : figures.predicted_names) html += message("<th scope=\"col\">", escaped(name), "</th>");
  html += "</tr></thead><tbody>\n";
  for (std::size_t row = 0; row < figures.groups.size(); ++row) {
    html += message("<tr><th scope=\"row\">", escaped(figures.groups[row].name), "</th>");
    for (std::size_t column = 0; column < figures.predicted_names.size(); ++column) {
      html += confusion_cell(figures, row, column);
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

/// The most frequent mistakes, for more classes than a matrix can show.
std::string confusion_list(const ReportFigures& figures) {
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> mistakes;
  for (std::size_t row = 0; row < figures.groups.size(); ++row) {
    for (std::size_t column = 0; column < figures.predicted_names.size(); ++column) {
      if (figures.groups[row].name == figures.predicted_names[column] || figures.confusion[row][column] == 0) continue;
      mistakes.emplace_back(figures.confusion[row][column], row, column);
    }
  }
  std::ranges::stable_sort(mistakes, [](const auto& a, const auto& b) { return std::get<0>(a) > std::get<0>(b); });
  mistakes.resize(std::min(mistakes.size(), kConfusionsListed));
  std::string html =
      "<div class=\"table\"><table><thead><tr><th scope=\"col\">label</th><th scope=\"col\">predicted</th>"
      "<th scope=\"col\" class=\"number\">series</th></tr></thead><tbody>\n";
  for (const auto& [count, row, column] : mistakes) {
    html += message("<tr><td>", escaped(figures.groups[row].name), "</td><td>",
                    escaped(figures.predicted_names[column]), "</td><td class=\"number\">", count, "</td></tr>\n");
  }
  return html + "</tbody></table></div>\n";
}

std::string rows_table(const std::vector<ReportRow>& rows) {
  std::string html = "<div class=\"table\"><table class=\"options\"><tbody>\n";
  for (const ReportRow& row : rows) {
    html += message("<tr><th scope=\"row\">", escaped(row.name), "</th><td>", escaped(row.value), "</td>");
    if (!row.help.empty()) html += message("<td class=\"help\">", escaped(row.help), "</td>");
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string variance_row(const Material& material, std::size_t index, double most) {
  const ReportGroup& group = material.figures.groups[index];
  const auto bar = [&](double variance, std::string_view kind) {
    return message("<span class=\"share", kind,
                   "\" style=\"width:", short_number(most > 0.0 ? 100.0 * variance / most : 0.0), "%\"></span>");
  };
  std::string html = message("<tr><th scope=\"row\">", swatch(material, group.name), escaped(shown_name(group)),
                             "</th><td class=\"number\">", grouped(group.items.size()), "</td><td class=\"number\">",
                             data_element(group.variance_before, short_number(group.variance_before)), "</td>");
  if (group.variance) {
    html += message("<td class=\"number\">", data_element(*group.variance, short_number(*group.variance)), "</td>");
  }
  html += message("<td class=\"shares\" aria-hidden=\"true\">", bar(group.variance_before, " before"));
  if (group.variance) html += "<br>" + bar(*group.variance, "");
  return html + "</td></tr>\n";
}

std::string variance_table(const Material& material) {
  const ReportFigures& figures = material.figures;
  double most = 0.0;
  for (const ReportGroup& group : figures.groups) {
    most = std::max({most, group.variance_before, group.variance.value_or(0.0)});
  }
  std::string html =
      message("<div class=\"table\"><table id=\"variances\"><thead><tr><th scope=\"col\">",
              material.has_classes() ? "class" : "", "</th><th scope=\"col\" class=\"number\">series</th>",
              "<th scope=\"col\" class=\"number\">before</th>",
              figures.variance ? "<th scope=\"col\" class=\"number\">after</th>" : "",
              "<td aria-hidden=\"true\"></td></tr></thead><tbody>\n");
  const std::size_t shown = std::min(figures.groups.size(), kMostRows);
  for (std::size_t group = 0; group < shown; ++group) html += variance_row(material, group, most);
  return html + "</tbody></table></div>\n";
}

/// Whether series are read at other times than they were recorded at, to be compared.
bool is_resampled(const AlignmentReport& report) {
  return !report.series.equally_long() || (report.aligned && report.aligned->longest() != report.series.longest());
}

std::string variance_caption(const Material& material) {
  const bool has_classes = material.has_classes();
  std::string text =
      message("<b>Variance", has_classes ? " within classes" : "", ", ",
              material.figures.variance ? "before and after" : "as recorded",
              ".</b> At every time step and channel the variance over all series", has_classes ? " of the class" : "",
              " (divided by their number, missing values left out), summed; in squared units of the values.");
  if (is_resampled(material.report)) {
    text += " Series as recorded are first read at as many equally spaced times as there are in common time.";
  }
  if (has_classes) text += " The figure at the top weights every class with its number of series.";
  if (material.figures.groups.size() > kMostRows) {
    text += message(" The first ", kMostRows, " of ", grouped(material.figures.groups.size()), " classes are listed.");
  }
  return text;
}

}  // namespace

std::string class_sections(const Material& material) {
  const std::size_t count = material.plan.items.size();
  const std::size_t open = count <= kClassesOpen ? count : kClassesOpenOfMany;
  std::string html = message("<p class=\"quiet\" id=\"drawn\">", drawing_text(material),
                             "Point at a chart, or use the arrow keys in it, to read values.</p>\n");
  for (std::size_t group = 0; group < count; ++group) html += one_class(material, group, group < open);
  return section("classes", material.report.series.labeled() ? "Class by class" : "The series", html);
}

std::string centroid_section(const Material& material) {
  const Dataset& centroids = material.report.centroids;
  if (centroids.empty()) return "";
  const std::string_view heading = shows_averages(material.report) ? "Averages together" : "Centroids together";
  const bool is_together = centroids.cases() <= kCentroidsTogether;
  return section("centroids", heading, is_together ? centroids_together(material) : centroids_apart(material));
}

std::string measure_section(const Material& material) {
  if (material.report.measures.empty()) return "";
  return section("measures", "How well the series align",
                 message("<figure>", rows_table(material.report.measures), "<figcaption>",
                         escaped(material.report.measures_help), "</figcaption></figure>\n"));
}

std::string variance_section(const Material& material) {
  return section("variance", "Variance",
                 message("<figure>", variance_table(material), "<figcaption>", variance_caption(material),
                         "</figcaption></figure>\n"));
}

std::string confusion_section(const Material& material) {
  const ReportFigures& figures = material.figures;
  if (!figures.accuracy) return "";
  const bool is_matrix = std::max(figures.groups.size(), figures.predicted_names.size()) <= kLargestMatrix;
  std::string html = message("<figure>", is_matrix ? confusion_table(figures) : confusion_list(figures),
                             "<figcaption><b>", is_matrix ? "Confusion matrix." : "The most frequent confusions.",
                             "</b> ", escaped(material.report.prediction_help));
  if (is_matrix)
    html += " Rows are labels, columns predictions; the shade is the share of the row, outlined cells are right.";
  html += message(" Accuracy: ", data_element(*figures.accuracy, percent(*figures.accuracy)), " of ",
                  counted(material.report.series.cases(), "series", "series"), ".");
  if (material.report.unaligned_accuracy) {
    html +=
        message(" Without alignment, by the nearest mean of training series as recorded, it would be ",
                data_element(*material.report.unaligned_accuracy, percent(*material.report.unaligned_accuracy)), ".");
  }
  return section("confusion", "Classification", html + "</figcaption></figure>\n");
}

std::string curve_section(const Material& material) {
  const std::vector<ReportCurve>& curves = material.report.curves;
  if (curves.empty()) return "";
  std::vector<std::string> charts;
  for (const ReportCurve& curve : curves) {
    if (std::ranges::find(charts, curve.chart) == charts.end()) charts.push_back(curve.chart);
  }
  std::string html =
      message("<p class=\"quiet\">", escaped(material.report.curve_help), "</p>\n<div class=\"curves\">\n");
  for (std::size_t chart = 0; chart < charts.size(); ++chart) {
    const auto first = std::ranges::find(curves, charts[chart], &ReportCurve::chart);
    const auto last = first->values.empty() ? std::string("nothing") : short_number(first->values.back());
    html += plot("curve", message(" data-group=\"", chart, "\""),
                 message("<b>", escaped(charts[chart]), "</b> by ", escaped(first->axis), ", at the end ", last, "."));
  }
  return section("curves", "Training", html + "</div>\n");
}

std::string option_section(const Material& material) {
  if (material.report.options.empty()) return "";
  return section("options", "Options", rows_table(material.report.options));
}

std::string provenance_section(const Material& material) {
  if (material.report.provenance.empty()) return "";
  return section("provenance", "Made from", rows_table(material.report.provenance));
}

}  // namespace diffeo::report
