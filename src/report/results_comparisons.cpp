#include <algorithm>
#include <vector>

#include "diffeo/error.hpp"
#include "diffeo/figures/gain_figure.hpp"
#include "diffeo/figures/pairwise_matrix_figure.hpp"
#include "diffeo/figures/score_scatter_figure.hpp"
#include "diffeo/figures/sharpshooter_figure.hpp"
#include "report/html.hpp"
#include "report/results_sections.hpp"

namespace diffeo::report {
namespace {

constexpr std::size_t kMostPanels = 12;  // of figures that exist once for each other method

/// Said where not all other methods have a panel.
std::string panels_text(const ResultsMaterial& material) {
  const std::size_t others = material.methods() - 1;
  if (others <= kMostPanels) return "";
  return message("<p class=\"quiet\">The first ", kMostPanels, " of ", others, " other methods are drawn.</p>\n");
}

struct CrossValidatedPair {
  std::vector<std::string> datasets;
  std::vector<double> baseline_expected;
  std::vector<double> baseline_actual;
  std::vector<double> expected;
  std::vector<double> actual;
};

/// Data sets on which both methods were cross-validated.
CrossValidatedPair pair_with(const ResultsMaterial& material, std::size_t method) {
  CrossValidatedPair pair;
  for (std::size_t set = 0; set < material.datasets(); ++set) {
    const std::optional<double> own = material.report.cross_validated[set][0];
    const std::optional<double> other = material.report.cross_validated[set][method];
    if (!own || !other) continue;
    pair.datasets.push_back(material.scores().datasets[set]);
    pair.baseline_expected.push_back(*other);
    pair.baseline_actual.push_back(material.scores().scores[set][method]);
    pair.expected.push_back(*own);
    pair.actual.push_back(material.scores().scores[set][0]);
  }
  return pair;
}

std::string sharpshooter_caption(const ResultsMaterial& material, std::size_t method, const Sharpshooter& shots) {
  const auto count = [&](SharpshooterRegion region) { return shots.counts[static_cast<std::size_t>(region)]; };
  return message("<b>Over ", escaped(material.scores().methods[method]), ", ",
                 counted(shots.points.size(), "data set", "data sets"),
                 ".</b> A gain was expected and came: ", count(SharpshooterRegion::true_positive),
                 ". None was expected and none came: ", count(SharpshooterRegion::true_negative),
                 ". One came that was not expected: ", count(SharpshooterRegion::false_negative),
                 ". One was expected that did not come: ", count(SharpshooterRegion::false_positive), ".");
}

std::string one_sharpshooter(const ResultsMaterial& material, std::size_t method) {
  const CrossValidatedPair pair = pair_with(material, method);
  if (pair.datasets.empty()) return "";
  const Sharpshooter shots =
      sharpshooter(pair.datasets, pair.baseline_expected, pair.baseline_actual, pair.expected, pair.actual);
  return sheet(sharpshooter_figure(shots, material.first(), material.scores().methods[method]),
               sharpshooter_caption(material, method, shots));
}

struct Property {
  std::string_view name;
  std::size_t DatasetProperties::*member;
};

constexpr Property kProperties[] = {{"training cases", &DatasetProperties::training_cases},
                                    {"length", &DatasetProperties::length},
                                    {"classes", &DatasetProperties::classes}};

GainPlot gain_plot(const ResultsMaterial& material, const Property& property) {
  const std::size_t baseline = material.report.baseline;
  GainPlot plot{.method = material.first(),
                .baseline = material.scores().methods[baseline],
                .property = std::string(property.name),
                .datasets = material.scores().datasets,
                .values = {},
                .gains = {}};
  for (std::size_t set = 0; set < material.datasets(); ++set) {
    plot.values.push_back(static_cast<double>(material.report.properties[set].*property.member));
    plot.gains.push_back(material.scores().scores[set][0] - material.scores().scores[set][baseline]);
  }
  return plot;
}

std::string one_gain(const ResultsMaterial& material, const Property& property) {
  GainPlot plot = gain_plot(material, property);
  plot.is_logarithmic = std::ranges::all_of(plot.values, [](double value) { return value > 0.0; });
  const std::string correlation = gain_correlation_text(plot);
  return sheet(gain_figure(plot), message("<b>By ", property.name, ".</b> ",
                                          correlation.empty() ? "Nothing to correlate" : escaped(correlation), "."));
}

}  // namespace

std::string scatter_section(const ResultsMaterial& material) {
  if (material.methods() < 2) return "";
  std::string figures;
  for (std::size_t method = 1; method < std::min(material.methods(), kMostPanels + 1); ++method) {
    const WinsTiesLosses& count = material.against[method - 1].count;
    figures += sheet(score_scatter_figure(material.scores(), method, 0),
                     message("<b>Against ", escaped(material.scores().methods[method]), ".</b> ", count.wins, " wins, ",
                             count.ties, " ties, ", count.losses, " losses."));
  }
  return results_section(
      "scatter", "Against each method",
      message("<p>A point is a data set; above the diagonal ", escaped(material.first()),
              " is better. Point at one to read its name.</p>\n", panels_text(material), sheets(figures)));
}

std::string sharpshooter_section(const ResultsMaterial& material) {
  if (material.report.cross_validated.empty()) return "";
  std::string figures;
  for (std::size_t method = 1; method < std::min(material.methods(), kMostPanels + 1); ++method) {
    figures += one_sharpshooter(material, method);
  }
  if (figures.empty()) return "";
  return results_section(
      "sharpshooter", "Could one have known?",
      message("<p>Texas sharpshooter plots: the gain of ", escaped(material.first()),
              " that cross-validation within the training set promised, against the gain on the test set; both are "
              "ratios of accuracies, 1 is no gain.</p>\n",
              panels_text(material), sheets(figures)));
}

std::string gain_section(const ResultsMaterial& material) {
  if (material.methods() < 2 || material.report.properties.empty()) return "";
  std::string figures;
  for (const Property& property : kProperties) figures += one_gain(material, property);
  return results_section(
      "gain", "What the gain depends on",
      message("<p>Accuracy of ", escaped(material.first()), " less that of ",
              escaped(material.scores().methods[material.report.baseline]),
              ", on every data set. Spearman's correlation is that of ranks, Pearson's that with the logarithm.</p>\n",
              sheets(figures)));
}

std::string pair_section(const ResultsMaterial& material) {
  if (material.methods() < 2) return "";
  const std::vector<std::vector<PairComparison>> pairs = pairwise_comparisons(material.scores());
  std::string figures =
      sheet(pairwise_matrix_figure(material.scores().methods, pairs, PairwiseQuantity::wins),
            message("<b>Wins.</b> On how many of ", counted(material.datasets(), "data set", "data sets"),
                    " the method of the row is better than that of the column."),
            "Wins of every method against every other");
  figures += sheet(pairwise_matrix_figure(material.scores().methods, pairs, PairwiseQuantity::relative_change),
                   "<b>Relative change.</b> By how much the mean accuracy of the row is above that of the column, in "
                   "percent of the latter.",
                   "Relative change from every method to every other");
  return results_section("pairs", "Every method against every other", sheets(figures));
}

}  // namespace diffeo::report
