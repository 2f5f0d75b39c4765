#include <cmath>
#include <vector>

#include "diffeo/error.hpp"
#include "diffeo/statistics/holm.hpp"
#include "diffeo/statistics/wilcoxon.hpp"
#include "report/html.hpp"
#include "report/results_sections.hpp"

namespace diffeo::report {
namespace {

/// The first method against what was published of another, on the data sets that have a value.
struct PublishedComparison {
  std::size_t datasets = 0;
  double published = 0.0;  ///< means
  double measured = 0.0;
  WinsTiesLosses count = {};
  double p_value = 1.0;  ///< of Wilcoxon's test, two-sided
};

constexpr double kRoundoff = 1e-12;  // of a quotient of counts, and of a figure read from text

/// Whether a published value may be the measured one, rounded.
bool is_tie(double measured, const PublishedValue& published) {
  const double half_a_unit = published.digits ? 0.5 * std::pow(10.0, -static_cast<double>(*published.digits)) : 0.0;
  return std::abs(measured - *published.value) <= half_a_unit + kRoundoff;
}

PublishedComparison compare_published(const ResultsMaterial& material, std::size_t method, bool only_sound) {
  PublishedComparison result;
  std::vector<double> ours, theirs;
  for (std::size_t set = 0; set < material.datasets(); ++set) {
    const PublishedValue& published = material.report.published->values[set][method];
    if (!published.value || (only_sound && !published.fault.empty())) continue;
    const double measured = material.scores().scores[set][0];
    ours.push_back(measured);
    theirs.push_back(is_tie(measured, published) ? measured : *published.value);
    ++result.datasets;
    result.published += *published.value;
    result.measured += measured;
    ++(is_tie(measured, published)   ? result.count.ties
       : measured > *published.value ? result.count.wins
                                     : result.count.losses);
  }
  if (result.datasets == 0) return result;
  result.published /= static_cast<double>(result.datasets);
  result.measured /= static_cast<double>(result.datasets);
  result.p_value = wilcoxon_signed_rank(ours, theirs).p_value;
  return result;
}

std::string published_cells(const PublishedComparison& found) {
  if (found.datasets == 0) return "<td class=\"number\">0</td><td></td><td></td><td></td>";
  return message("<td class=\"number\">", found.datasets, "</td><td class=\"number\">",
                 data_element(found.published, accuracy_text(found.published)), "</td><td class=\"number\">",
                 data_element(found.measured, accuracy_text(found.measured)), "</td><td class=\"number\">",
                 found.count.wins, " / ", found.count.ties, " / ", found.count.losses, "</td>");
}

std::string probability_cell(const PublishedComparison& found, double p_value) {
  if (found.datasets == 0) return "<td></td>";
  return message("<td class=\"number\">", data_element(p_value, probability_text(p_value)), "</td>");
}

std::string published_head(const ResultsMaterial& material) {
  const std::string group =
      message("<th scope=\"col\" class=\"number\">data sets</th><th scope=\"col\" class=\"number\">",
              "published</th><th scope=\"col\" class=\"number\">", escaped(material.first()),
              ", measured</th><th scope=\"col\" class=\"number\">wins / ties / losses</th>");
  return message(
      "<thead><tr><td></td><th scope=\"colgroup\" colspan=\"4\" class=\"number\">all published values</th>",
      "<th scope=\"colgroup\" colspan=\"6\" class=\"number\">those without fault</th></tr>",
      "<tr><th scope=\"col\">published method</th>", group, group,
      "<th scope=\"col\" class=\"number\">p</th><th scope=\"col\" class=\"number\">p, Holm</th></tr></thead>");
}

}  // namespace

std::string published_section(const ResultsMaterial& material) {
  if (!material.report.published || material.report.published->methods.empty()) return "";
  const PublishedTable& published = *material.report.published;
  std::string html =
      message("<figure><div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"Published values\">",
              "<table id=\"published-means\">", published_head(material), "<tbody>\n");
  std::vector<PublishedComparison> sound;
  std::vector<double> p_values;
  for (std::size_t method = 0; method < published.methods.size(); ++method) {
    sound.push_back(compare_published(material, method, true));
    p_values.push_back(sound.back().p_value);
  }
  const std::vector<double> adjusted = holm_adjusted(p_values);
  for (std::size_t method = 0; method < published.methods.size(); ++method) {
    html += message("<tr><th scope=\"row\">", escaped(published.methods[method]), "</th>",
                    published_cells(compare_published(material, method, false)), published_cells(sound[method]),
                    probability_cell(sound[method], p_values[method]),
                    probability_cell(sound[method], adjusted[method]), "</tr>\n");
  }
  return results_section(
      "published", "Beside published values",
      message(html, "</tbody></table></div><figcaption><b>Mean accuracies of ", escaped(material.first()),
              " and of published methods</b> on the same data sets. ", escaped(published.source),
              " Wins are those of the measured values; a published value that may be the measured one, rounded, is a "
              "tie. p is that of Wilcoxon's signed-rank test, alone and corrected by Holm for all published methods. A "
              "fault is a value that cannot be compared; the table of "
              "results says why.</figcaption></figure>\n"));
}

}  // namespace diffeo::report
