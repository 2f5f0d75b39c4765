#include "diffeo/figures/pairwise_matrix_figure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "diffeo/error.hpp"
#include "figures/colours.hpp"
#include "figures/drawing.hpp"
#include "figures/figure_text.hpp"

namespace diffeo {
namespace {

using namespace figures;

constexpr double kMatrixCell = 58.0;
constexpr double kMatrixRow = 32.0;
constexpr double kMatrixTop = 74.0;
constexpr double kStrongestShade = 0.6;  // text on it can still be read, in light and dark

using Comparisons = std::vector<std::vector<PairComparison>>;

void check_matrix(std::span<const std::string> methods, const Comparisons& comparisons) {
  require(!methods.empty(), "methods: expected at least one, got none");
  require(comparisons.size() == methods.size(), "comparisons: expected a row for each of the ", methods.size(),
          " methods, got ", comparisons.size());
  for (const std::vector<PairComparison>& row : comparisons) {
    require(row.size() == methods.size(), "comparisons: expected ", methods.size(), " in a row, got ", row.size());
  }
}

/// From −1 (the row loses on all data sets) to 1.
double lead(const WinsTiesLosses& count) {
  const double all = static_cast<double>(count.wins + count.ties + count.losses);
  return all > 0.0 ? (static_cast<double>(count.wins) - static_cast<double>(count.losses)) / all : 0.0;
}

double largest_change(const Comparisons& comparisons) {
  double largest = 0.0;
  for (const std::vector<PairComparison>& row : comparisons) {
    for (const PairComparison& each : row) {
      if (std::isfinite(each.relative_change_percent)) {
        largest = std::max(largest, std::abs(each.relative_change_percent));
      }
    }
  }
  return largest > 0.0 ? largest : 1.0;
}

struct MatrixCell {
  std::string text;
  double strength = 0.0;  ///< from −1 to 1
};

std::string signed_percent(double value) {
  return std::string(value > 0.0 ? "+" : "").append(fixed_number(value, 1)).append(" %");
}

MatrixCell matrix_cell(const PairComparison& pair, PairwiseQuantity quantity, double largest) {
  if (quantity == PairwiseQuantity::wins) return {std::to_string(pair.count.wins), lead(pair.count)};
  const double change = pair.relative_change_percent;
  if (!std::isfinite(change)) return {"–", 0.0};
  return {signed_percent(change), change / largest};
}

std::string pair_text(std::span<const std::string> methods, std::size_t row, std::size_t column,
                      const PairComparison& pair) {
  return message(methods[row], " against ", methods[column], ": ", pair.count.wins, " wins, ", pair.count.ties,
                 " ties, ", pair.count.losses, " losses, mean difference ") +
         fixed_number(pair.mean_difference, 4);
}

double method_room(std::span<const std::string> methods) {
  double widest = 0.0;
  for (const std::string& method : methods) widest = std::max(widest, text_width(method, kTextSize));
  return std::clamp(widest + 16.0, 50.0, 180.0);
}

void draw_matrix_names(Drawing& drawing, std::span<const std::string> methods, double left) {
  for (std::size_t place = 0; place < methods.size(); ++place) {
    const std::string name = fitted_text(methods[place], kTextSize, left - 14.0);
    const double y = kMatrixTop + kMatrixRow * (static_cast<double>(place) + 0.5) + 4.0;
    const double x = left + kMatrixCell * (static_cast<double>(place) + 0.5);
    drawing.text({left - 8.0, y}, name, {.anchor = Anchor::end, .colour = kInk});
    const std::string above = fitted_text(methods[place], kTextSize, 84.0);
    drawing.text({x - 8.0, kMatrixTop - 8.0}, above, {.colour = kInk, .turned = -40.0});
  }
}

}  // namespace

std::string pairwise_matrix_figure(std::span<const std::string> methods, const Comparisons& comparisons,
                                   PairwiseQuantity quantity) {
  check_matrix(methods, comparisons);
  const bool is_wins = quantity == PairwiseQuantity::wins;
  const double left = method_room(methods);
  const double count = static_cast<double>(methods.size());
  const double largest = largest_change(comparisons);
  Drawing drawing(left + kMatrixCell * count + 56.0, kMatrixTop + kMatrixRow * count + 8.0,
                  is_wins ? "On how many data sets the row is better than the column"
                          : "Change of the row's mean score from the column's",
                  message(methods.size(), " methods against each other; blue where the row is better."));
  draw_matrix_names(drawing, methods, left);
  for (std::size_t row = 0; row < methods.size(); ++row) {
    for (std::size_t column = 0; column < methods.size(); ++column) {
      const double x = left + kMatrixCell * static_cast<double>(column);
      const double y = kMatrixTop + kMatrixRow * static_cast<double>(row);
      const Box box{x + 1.0, y + 1.0, x + kMatrixCell - 1.0, y + kMatrixRow - 1.0};
      drawing.rectangle(box, kBlank, {.opacity = 0.5});
      if (row == column) continue;
      const MatrixCell cell = matrix_cell(comparisons[row][column], quantity, largest);
      drawing.rectangle(box, cell.strength >= 0.0 ? kBetter : kWorse,
                        {.opacity = kStrongestShade * std::abs(cell.strength),
                         .title = pair_text(methods, row, column, comparisons[row][column])});
      drawing.text({x + 0.5 * kMatrixCell, y + 0.5 * kMatrixRow + 4.0}, cell.text,
                   {.anchor = Anchor::middle, .colour = kInk});
    }
  }
  return drawing.finished();
}

}  // namespace diffeo
