#include "report/alignment_page.hpp"

#include "diffeo/error.hpp"
#include "report/alignment_numbers.hpp"
#include "report/alignment_sections.hpp"
#include "report/html.hpp"

namespace diffeo::report {
namespace {

constexpr std::size_t kClassesWithoutJump = 3;
constexpr int kKeyDigits = 3;  // of large type

std::string figure(std::string_view name, const std::string& value, const std::string& note) {
  return message("<li><span class=\"name\">", name, "</span><span class=\"value\">", value,
                 "</span><span class=\"note\">", note, "</span></li>\n");
}

std::string lengths_text(const Dataset& series) {
  if (series.equally_long()) return counted(series.longest(), "time step", "time steps");
  return message(grouped(series.shortest()), " to ", grouped(series.longest()), " time steps");
}

std::string variance_figure(const Material& material) {
  const ReportFigures& figures = material.figures;
  const std::string_view name = material.has_classes() ? "Variance within classes" : "Variance of the series";
  const std::string before = data_element(figures.variance_before, short_number(figures.variance_before, kKeyDigits));
  if (!figures.variance) return figure(name, before, "of the series as recorded");
  const std::string left = figures.variance_before > 0.0
                               ? percent(*figures.variance / figures.variance_before) + " of it is left"
                               : "there was none";
  return figure(
      name, message(before, " → ", data_element(*figures.variance, short_number(*figures.variance, kKeyDigits))), left);
}

std::string key_figures(const Material& material) {
  const ReportFigures& figures = material.figures;
  const Dataset& series = material.report.series;
  std::string html = "<ul class=\"figures\" id=\"figures\">\n";
  if (figures.accuracy) {
    html += figure("Accuracy", data_element(*figures.accuracy, percent(*figures.accuracy)),
                   "nearest centroid after alignment");
  }
  if (material.report.unaligned_accuracy) {
    const double accuracy = *material.report.unaligned_accuracy;
    html += figure("Without alignment", data_element(accuracy, percent(accuracy)),
                   "nearest mean of training series as recorded");
  }
  html += variance_figure(material);
  html += figure("Series", data_element(static_cast<double>(series.cases()), grouped(series.cases())),
                 message(series.labeled() ? counted(figures.groups.size(), "class", "classes") : "no labels", ", ",
                         counted(series.channels(), "channel", "channels"), ", ", lengths_text(series)));
  return html + "</ul>\n";
}

std::string contents(const Material& material) {
  std::string html = "<nav aria-label=\"Contents\" class=\"screen\"><ul class=\"contents\">\n";
  const auto link = [&](bool there, std::string_view id, std::string_view words) {
    if (there) html += message("<li><a href=\"#", id, "\">", words, "</a></li>\n");
  };
  link(true, "classes", "Classes");
  link(!material.report.centroids.empty(), "centroids", shows_averages(material.report) ? "Averages" : "Centroids");
  link(!material.report.measures.empty(), "measures", "Alignment");
  link(true, "variance", "Variance");
  link(material.figures.accuracy.has_value(), "confusion", "Classification");
  link(!material.report.curves.empty(), "curves", "Training");
  link(!material.report.options.empty(), "options", "Options");
  link(!material.report.provenance.empty(), "provenance", "Made from");
  return html + "</ul></nav>\n";
}

std::string slider() {
  return "<div class=\"flow\"><label for=\"time\">Flow time</label>"
         "<input id=\"time\" type=\"range\" min=\"0\" max=\"1\" step=\"0.01\" value=\"1\" autocomplete=\"off\">"
         "<output id=\"time-now\" for=\"time\">t = 1.00</output>"
         "<button id=\"play\" type=\"button\" aria-pressed=\"false\">Play</button></div>\n";
}

std::string choice(std::string_view id, std::string_view label, const std::string& entries) {
  return message("<div class=\"choice\"><label for=\"", id, "\">", label, "</label><select id=\"", id,
                 "\" autocomplete=\"off\">", entries, "</select></div>\n");
}

std::string channel_choice(std::size_t channels) {
  std::string entries;
  for (std::size_t channel = 0; channel < channels; ++channel) {
    entries += message("<option value=\"", channel, "\">", channel + 1, "</option>");
  }
  return choice("channel", "Channel", entries);
}

std::string class_choice(const Material& material) {
  std::string entries;
  for (std::size_t group = 0; group < material.plan.items.size(); ++group) {
    entries += message("<option value=\"class-", group, "\">", escaped(shown_name(material.figures.groups[group])),
                       "</option>");
  }
  return choice("jump", "Class", entries);
}

/// What stays in sight while the classes scroll by.
std::string bar(const Material& material) {
  std::string controls;
  if (material.has_flow()) controls += slider();
  if (material.plan.channels > 1) controls += channel_choice(material.plan.channels);
  if (material.plan.items.size() > kClassesWithoutJump) controls += class_choice(material);
  if (controls.empty()) return "";
  return message("<div class=\"bar screen\" role=\"group\" aria-label=\"What the charts show\">\n", controls,
                 "</div>\n");
}

}  // namespace

Page alignment_page(const AlignmentReport& report, const ReportFigures& figures, const DrawingPlan& plan,
                    const ReportDrawing& drawing) {
  const Material material{report, figures, plan, drawing};
  Page page{.title = report.title, .body = {}, .numbers = {}, .styles = chart_styles(), .scripts = chart_scripts()};
  page.body =
      message("<a class=\"skip\" href=\"#classes\">To the charts</a>\n<header class=\"page-header\">\n<h1>",
              escaped(report.title), "</h1>\n", contents(material), key_figures(material),
              "<noscript><p>Charts need JavaScript; figures and tables do not.</p></noscript>\n</header>\n<main>\n",
              "<div>\n", bar(material), class_sections(material), centroid_section(material),
              "</div>\n",  // the bar stays in sight as far as what it changes
              measure_section(material), variance_section(material), confusion_section(material),
              curve_section(material), option_section(material), provenance_section(material), "</main>\n");
  page.numbers = alignment_numbers(report, figures, plan);
  page.styles.push_back("alignment.css");
  for (const std::string_view script :
       {"flow.js", "sampling.js", "alignment_data.js", "alignment_charts.js", "alignment_page.js"}) {
    page.scripts.push_back(script);
  }
  return page;
}

}  // namespace diffeo::report
