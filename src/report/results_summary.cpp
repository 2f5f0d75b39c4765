#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "diffeo/error.hpp"
#include "diffeo/figures/critical_difference_figure.hpp"
#include "report/html.hpp"
#include "report/results_sections.hpp"

namespace diffeo::report {
namespace {

constexpr double kLevel = 0.05;
constexpr double kLeastShown = 0.001;  // of accuracies
/// Accuracy on the training set above that on the test set by as much: the series were learned rather than the classes.
constexpr double kLearnedByHeart = 0.1;

std::string key_figure(std::string_view name, const std::string& value, const std::string& note) {
  return message("<li><span class=\"name\">", name, "</span><span class=\"value\">", value,
                 "</span><span class=\"note\">", note, "</span></li>\n");
}

std::size_t place_of_first(const std::vector<double>& ranks) {
  return 1 + static_cast<std::size_t>(std::ranges::count_if(ranks, [&](double rank) { return rank < ranks[0]; }));
}

std::string significance_figure(const ResultsMaterial& material) {
  std::size_t ahead = 0;
  for (std::size_t other = 0; other < material.against.size(); ++other) {
    const bool is_ahead =
        material.adjusted[other] <= kLevel && material.against[other].count.wins > material.against[other].count.losses;
    if (is_ahead) ++ahead;
  }
  return key_figure("Significantly ahead of", message(ahead, " of ", material.against.size()),
                    "other methods: Wilcoxon, Holm, at 0.05");
}

std::string number_cell(double value, const std::string& shown) {
  return message("<td class=\"number\">", data_element(value, shown), "</td>");
}

std::string comparison_cells(const PairComparison& pair, double adjusted) {
  const WinsTiesLosses& count = pair.count;
  const std::string difference = message(pair.mean_difference > 0.0 ? "+" : "", accuracy_text(pair.mean_difference));
  return message("<td class=\"number\">", count.wins, " / ", count.ties, " / ", count.losses, "</td>",
                 number_cell(pair.better_percent, percent(0.01 * pair.better_percent)),
                 number_cell(pair.no_worse_percent, percent(0.01 * pair.no_worse_percent)),
                 number_cell(pair.mean_difference, difference),
                 number_cell(pair.test.p_value, probability_text(pair.test.p_value)),
                 number_cell(adjusted, probability_text(adjusted)));
}

std::string summary_row(const ResultsMaterial& material, std::size_t method) {
  std::string html = message("<tr><th scope=\"row\">", escaped(material.scores().methods[method]), "</th>");
  if (!material.report.seeds.empty()) html += message("<td class=\"number\">", material.report.seeds[method], "</td>");
  html += number_cell(material.means[method], accuracy_text(material.means[method]));
  html += number_cell(material.ranks[method], rank_text(material.ranks[method]));
  html += number_cell(material.geometric_ranks[method], rank_text(material.geometric_ranks[method]));
  if (method > 0)
    return html + comparison_cells(material.against[method - 1], material.adjusted[method - 1]) + "</tr>\n";
  if (material.methods() > 1) html += "<td class=\"number quiet\" colspan=\"6\"></td>";
  return html + "</tr>\n";
}

std::string summary_head(const ResultsMaterial& material) {
  const auto head = [](std::string_view words) {
    return message("<th scope=\"col\" class=\"number\">", words, "</th>");
  };
  std::string html = "<thead><tr><th scope=\"col\">method</th>";
  if (!material.report.seeds.empty()) html += head("seeds");
  html += head("mean accuracy") + head("mean rank") + head("geometric");
  if (material.methods() > 1) {
    html += head("wins / ties / losses") + head("better") + head("no worse") + head("mean difference") +
            head("p, Wilcoxon") + head("p, Holm");
  }
  return html + "</tr></thead>";
}

std::string summary_caption(const ResultsMaterial& material) {
  std::string text = message("<b>All methods on ", counted(material.datasets(), "data set", "data sets"),
                             ".</b> Accuracies ", material.where_scored(),
                             ". Rank 1 is the best method on a data set, ties share; ranks "
                             "are averaged arithmetically and geometrically.");
  if (material.methods() > 1) {
    const std::string first = escaped(material.first());
    text += message(" The columns from wins on compare ", first, " with the method of the row: on how many data sets ",
                    first,
                    " is better, equal, worse; the share on which it is better, and not worse; the mean difference; "
                    "the two-sided Wilcoxon signed-rank test, and its p-value corrected by Holm for the ",
                    counted(material.against.size(), "comparison", "comparisons"), " of this table.");
  }
  return text;
}

struct Loss {
  std::size_t dataset = 0;
  std::size_t method = 0;
  double gap = 0.0;
};

/// Where another method is better, the largest gap first.
std::vector<Loss> losses_of(const ScoreTable& table) {
  std::vector<Loss> losses;
  for (std::size_t set = 0; set < table.datasets.size(); ++set) {
    const std::vector<double>& scores = table.scores[set];
    const auto best = static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
    if (scores[best] > scores[0]) losses.push_back({set, best, scores[best] - scores[0]});
  }
  std::ranges::stable_sort(losses, std::greater<>{}, &Loss::gap);
  return losses;
}

std::optional<double> trained_on(const ResultsReport& report, std::size_t dataset) {
  return report.trained.empty() ? std::nullopt : report.trained[dataset];
}

/// A gap that the digits of accuracies do not show is one all the same.
std::string gap_text(double gap) {
  const bool is_shown = gap >= 0.5 * kLeastShown;
  return is_shown ? accuracy_text(gap) : message("less than ", accuracy_text(kLeastShown));
}

std::string loss_sentence(const ResultsReport& report, const Loss& loss) {
  const ScoreTable& table = report.scores;
  const std::optional<double> trained = trained_on(report, loss.dataset);
  return message("<li><b>", escaped(table.datasets[loss.dataset]),
                 "</b>: ", accuracy_text(table.scores[loss.dataset][0]), " against ",
                 accuracy_text(table.scores[loss.dataset][loss.method]), " of ", escaped(table.methods[loss.method]),
                 ", ", data_element(loss.gap, gap_text(loss.gap)), " lower",
                 trained ? message("; ", accuracy_text(*trained), " on its training set") : "", ".</li>\n");
}

/// What the accuracies on training sets say about the losses, where they are known.
std::string training_sentence(const ResultsMaterial& material, const std::vector<Loss>& losses) {
  std::size_t known = 0;
  std::string by_heart;
  std::size_t count = 0;
  for (const Loss& loss : losses) {
    const std::optional<double> trained = trained_on(material.report, loss.dataset);
    if (!trained) continue;
    ++known;
    if (*trained - material.scores().scores[loss.dataset][0] <= kLearnedByHeart) continue;
    ++count;
    by_heart += (by_heart.empty() ? "" : ", ") + escaped(material.scores().datasets[loss.dataset]);
  }
  if (known == 0) return "";
  return message("<p>On ", count, " of ", known == 1 ? "this one" : message("these ", known),
                 " the accuracy on the training set is more than ", kLearnedByHeart,
                 " above that on the test set, a sign that ", escaped(material.first()),
                 " has learned its training series rather than what the class has in common",
                 by_heart.empty() ? "" : ": " + by_heart, ".</p>\n");
}

std::string friedman_sentence(const FriedmanResult& friedman) {
  const auto p_value = [](double p) {
    const std::string shown = probability_text(p);
    return message(shown.starts_with("&lt;") ? "p " : "p = ", shown);
  };
  const std::string ratio = std::isinf(friedman.iman_davenport) ? "∞" : short_number(friedman.iman_davenport);
  return message("Friedman's test over all methods: χ² = ", short_number(friedman.statistic), ", ",
                 p_value(friedman.p_value), "; in Iman and Davenport's form F = ", ratio, ", ",
                 p_value(friedman.iman_davenport_p_value), ".");
}

/// The p-values behind the bars, in the order of the diagram.
std::string pair_tests(const CriticalDifference& found) {
  std::string html =
      "<figure><div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"p-values of all pairs\">"
      "<table id=\"pair-tests\"><thead><tr><th scope=\"col\">method</th>";
  for (const std::string& method : found.methods) {
    html += message("<th scope=\"col\" class=\"number\">", escaped(method), "</th>");
  }
  html += "</tr></thead><tbody>\n";
  for (std::size_t row = 0; row < found.methods.size(); ++row) {
    html += message("<tr><th scope=\"row\">", escaped(found.methods[row]), "</th>");
    for (std::size_t column = 0; column < found.methods.size(); ++column) {
      const double p_value = found.p_values[row][column];
      html += row == column ? "<td class=\"number quiet\">–</td>"
                            : message("<td class=\"number", p_value <= kLevel ? " best" : "", "\">",
                                      data_element(p_value, probability_text(p_value)), "</td>");
    }
    html += "</tr>\n";
  }
  return message(html,
                 "</tbody></table></div><figcaption><b>p-values of all pairs:</b> two-sided Wilcoxon signed-rank "
                 "tests, corrected by Holm for all of them. Bold where two methods differ at ",
                 kLevel, ".</figcaption></figure>\n");
}

}  // namespace

std::string results_key_figures(const ResultsMaterial& material) {
  std::string html = "<ul class=\"figures\" id=\"figures\">\n";
  html += key_figure("Mean accuracy", data_element(material.means[0], accuracy_text(material.means[0])),
                     message(escaped(material.first()), " ", material.where_scored()));
  html += key_figure(
      "Mean rank", data_element(material.ranks[0], rank_text(material.ranks[0])),
      message("place ", place_of_first(material.ranks), " of ", counted(material.methods(), "method", "methods")));
  if (material.methods() > 1) html += significance_figure(material);
  html += key_figure("Data sets", data_element(static_cast<double>(material.datasets()), grouped(material.datasets())),
                     material.report.seeds.empty()
                         ? message("each ", material.report.scores_are_cross_validated ? "cross-validated by itself"
                                                                                       : "with its own test set")
                         : counted(material.report.seeds[0], "seed", "seeds") + " of " + escaped(material.first()));
  return html + "</ul>\n";
}

std::string summary_section(const ResultsMaterial& material) {
  std::string html = message("<figure><div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"Summary\">",
                             "<table id=\"methods\">", summary_head(material), "<tbody>\n");
  for (std::size_t method = 0; method < material.methods(); ++method) html += summary_row(material, method);
  return results_section(
      "summary", "Summary",
      message(html, "</tbody></table></div><figcaption>", summary_caption(material), "</figcaption></figure>\n"));
}

std::string rank_section(const ResultsMaterial& material) {
  if (material.methods() < 2) return "";
  const CriticalDifference wilcoxon = critical_difference(material.scores(), CliqueTest::wilcoxon_holm, kLevel);
  const CriticalDifference nemenyi = critical_difference(material.scores(), CliqueTest::nemenyi, kLevel);
  std::string figures =
      sheet(critical_difference_figure(wilcoxon),
            message("<b>Critical-difference diagram.</b> Methods by mean rank; a bar joins neighbours that Wilcoxon "
                    "signed-rank tests of all pairs, corrected by Holm, do not tell apart at ",
                    kLevel, "."),
            "Critical-difference diagram, Wilcoxon and Holm");
  figures += sheet(critical_difference_figure(nemenyi),
                   message("<b>The same with Nemenyi's test,</b> shown beside: ranks that are less than ",
                           short_number(nemenyi.nemenyi_difference),
                           " apart are joined. It depends on which other methods are in the table."),
                   "Critical-difference diagram, Nemenyi");
  return results_section("ranks", "Ranks",
                         message("<p>", friedman_sentence(wilcoxon.friedman), "</p>\n", sheets(figures),
                                 material.methods() > 2 ? pair_tests(wilcoxon) : ""));
}

std::string loss_section(const ResultsMaterial& material) {
  if (material.methods() < 2) return "";
  const std::vector<Loss> losses = losses_of(material.scores());
  const std::string first = escaped(material.first());
  std::string html = losses.empty() ? message("<p>On no data set is another method better than ", first, ".</p>\n")
                                    : message("<p>", first, " is worse than the best other method on ", losses.size(),
                                              " of ", counted(material.datasets(), "data set", "data sets"),
                                              ", the largest gap first:</p>\n<ul class=\"losses\">\n");
  for (const Loss& loss : losses) html += loss_sentence(material.report, loss);
  if (!losses.empty()) html += "</ul>\n" + training_sentence(material, losses);
  if (!material.report.loss_note.empty()) html += message("<p>", escaped(material.report.loss_note), "</p>\n");
  return results_section("losses", message("Where ", first, " loses"), html);
}

}  // namespace diffeo::report
