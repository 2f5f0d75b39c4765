#include <cmath>
#include <vector>

#include "diffeo/error.hpp"
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
};

constexpr double kRoundoff = 1e-12;  // of a quotient of counts, and of a figure read from text

/// Whether a published value may be the measured one, rounded.
bool is_tie(double measured, const PublishedValue& published) {
  const double half_a_unit = published.digits ? 0.5 * std::pow(10.0, -static_cast<double>(*published.digits)) : 0.0;
  return std::abs(measured - *published.value) <= half_a_unit + kRoundoff;
}

PublishedComparison compare_published(const ResultsMaterial& material, std::size_t method, bool only_sound) {
  PublishedComparison result;
  for (std::size_t set = 0; set < material.datasets(); ++set) {
    const PublishedValue& published = material.report.published->values[set][method];
    if (!published.value || (only_sound && !published.fault.empty())) continue;
    const double measured = material.scores().scores[set][0];
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
  return result;
}

std::string published_cells(const PublishedComparison& found) {
  if (found.datasets == 0) return "<td class=\"number\">0</td><td></td><td></td><td></td>";
  return message("<td class=\"number\">", found.datasets, "</td><td class=\"number\">",
                 data_element(found.published, accuracy_text(found.published)), "</td><td class=\"number\">",
                 data_element(found.measured, accuracy_text(found.measured)), "</td><td class=\"number\">",
                 found.count.wins, " / ", found.count.ties, " / ", found.count.losses, "</td>");
}

std::string published_head(const ResultsMaterial& material) {
  const std::string group =
      message("<th scope=\"col\" class=\"number\">data sets</th><th scope=\"col\" class=\"number\">",
              "published</th><th scope=\"col\" class=\"number\">", escaped(material.first()),
              ", measured</th><th scope=\"col\" class=\"number\">wins / ties / losses</th>");
  return message("<thead><tr><td></td><th scope=\"colgroup\" colspan=\"4\" class=\"number\">all published values</th>",
                 "<th scope=\"colgroup\" colspan=\"4\" class=\"number\">those without fault</th></tr>",
                 "<tr><th scope=\"col\">published method</th>", group, group, "</tr></thead>");
}

}  // namespace

std::string published_section(const ResultsMaterial& material) {
  if (!material.report.published || material.report.published->methods.empty()) return "";
  const PublishedTable& published = *material.report.published;
  std::string html =
      message("<figure><div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"Published values\">",
              "<table id=\"published-means\">", published_head(material), "<tbody>\n");
  for (std::size_t method = 0; method < published.methods.size(); ++method) {
    html += message("<tr><th scope=\"row\">", escaped(published.methods[method]), "</th>",
                    published_cells(compare_published(material, method, false)),
                    published_cells(compare_published(material, method, true)), "</tr>\n");
  }
  return results_section(
      "published", "Beside published values",
      message(html, "</tbody></table></div><figcaption><b>Mean accuracies of ", escaped(material.first()),
              " and of published methods</b> on the same data sets. ", escaped(published.source),
              " Wins are those of the measured values; a published value that may be the measured one, rounded, is a "
              "tie. A fault is a value that cannot be compared; the table of "
              "results says why.</figcaption></figure>\n"));
}

}  // namespace diffeo::report
