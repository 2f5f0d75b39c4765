#include "cli/study_figures.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "diffeo/figures/curves_figure.hpp"
#include "diffeo/figures/error_map_figure.hpp"

namespace diffeo::cli {
namespace {

std::vector<double> counted(std::size_t first, std::size_t last) {
  std::vector<double> values;
  for (std::size_t i = first; i <= last; ++i) values.push_back(static_cast<double>(i));
  return values;
}

/// One field of every error.
template <class Error>
std::vector<double> member_of(const std::vector<Error>& errors, double Error::*member) {
  std::vector<double> values;
  for (const Error& error : errors) values.push_back(error.*member);
  return values;
}

std::string alternating_map(const PrecisionFindings& findings, const std::string& title,
                            double PrecisionError::*member) {
  ErrorMap map;
  map.title = title;
  map.horizontal = "inner steps";
  map.vertical = "steps";
  map.horizontal_values = counted(1, findings.options.most_inner_steps);
  map.vertical_values = counted(1, findings.options.most_steps);
  for (const auto& row : findings.errors->alternating) map.errors.push_back(member_of(row, member));
  return error_map_figure(map);
}

std::string runge_kutta_curves(const PrecisionFindings& findings) {
  const auto& errors = findings.errors->runge_kutta;
  const std::vector<double> steps(findings.options.runge_kutta_steps.begin(), findings.options.runge_kutta_steps.end());
  CurvesPlot plot;
  plot.title = "Error of Runge-Kutta integration";
  plot.horizontal = "steps";
  plot.vertical = "error";
  plot.is_horizontal_logarithmic = plot.is_vertical_logarithmic = true;
  plot.lines = {{"positions", steps, member_of(errors, &PrecisionError::value)},
                {"gradients", steps, member_of(errors, &PrecisionError::gradient)},
                {"gradients by differences", steps, member_of(errors, &PrecisionError::by_differences)}};
  return curves_figure(plot);
}

/// A line for every size over the squarings; on a logarithmic axis for every size that has anything to show there.
template <class Row>
std::string squaring_curves(const SquaringOptions& options, CurvesPlot plot, const std::vector<std::vector<Row>>& rows,
                            double Row::*member) {
  plot.horizontal = "squarings";
  for (std::size_t size = 0; size < rows.size(); ++size) {
    std::ostringstream name;
    name << "size " << options.sizes[size];
    CurveLine line{name.str(), counted(0, options.most_squarings), member_of(rows[size], member)};
    const bool has_values = std::ranges::any_of(line.y, [](double value) { return value > 0; });
    if (has_values || !plot.is_vertical_logarithmic) plot.lines.push_back(std::move(line));
  }
  return plot.lines.empty() ? "" : curves_figure(plot);
}

double varied_number(const SweepTime& time) {
  const std::size_t number = time.varied == "points"  ? time.size.points
                             : time.varied == "cells" ? time.size.cells
                                                      : time.size.warps;
  return static_cast<double>(number);
}

std::string sweep_curves(const TimingFindings& findings, const std::string& varied) {
  CurveLine forward{"forward", {}, {}};
  CurveLine gradient{"gradient", {}, {}};
  for (const SweepTime& each : findings.times) {
    if (each.varied != varied) continue;
    forward.x.push_back(varied_number(each));
    forward.y.push_back(each.forward);
    gradient.x.push_back(varied_number(each));
    gradient.y.push_back(each.gradient);
  }
  CurvesPlot plot;
  plot.title = "Time over " + varied;
  plot.horizontal = varied;
  plot.vertical = "milliseconds";
  plot.is_horizontal_logarithmic = plot.is_vertical_logarithmic = true;
  plot.lines = {forward, gradient};
  return curves_figure(plot);
}

}  // namespace

std::vector<StudyFigure> figures_of(const PrecisionFindings& findings) {
  if (!findings.errors) return {};
  const auto map = [&](const char* title, double PrecisionError::*member) {
    return alternating_map(findings, title, member);
  };
  return {{"value", map("Error of the alternating solver: positions", &PrecisionError::value)},
          {"gradient", map("Error of the alternating solver: gradients", &PrecisionError::gradient)},
          {"by_differences",
           map("Error of the alternating solver: gradients by differences", &PrecisionError::by_differences)},
          {"runge_kutta", runge_kutta_curves(findings)}};
}

std::vector<StudyFigure> figures_of(const SquaringFindings& findings) {
  std::vector<StudyFigure> figures;
  const auto add = [&](const char* name, const CurvesPlot& plot, const auto& rows, auto member) {
    std::string svg = squaring_curves(findings.options, plot, rows, member);
    if (!svg.empty()) figures.push_back({name, std::move(svg)});
  };
  if (findings.errors) {
    const auto& rows = findings.errors->sizes;
    CurvesPlot plot;
    plot.title = "Error of scaling and squaring: positions";
    plot.vertical = "root mean square";
    plot.is_vertical_logarithmic = true;
    add("value", plot, rows, &SquaringError::value);
    plot.title = "Error of scaling and squaring: gradients";
    add("gradient", plot, rows, &SquaringError::gradient);
  }
  if (findings.times) {
    const auto& rows = *findings.times;
    CurvesPlot plot;
    plot.title = "Time of scaling and squaring: positions";
    plot.vertical = "milliseconds";
    add("forward_ms", plot, rows, &SquaringTime::forward);
    plot.title = "Time of scaling and squaring: gradient";
    add("gradient_ms", plot, rows, &SquaringTime::gradient);
  }
  return figures;
}

std::vector<StudyFigure> figures_of(const TimingFindings& findings) {
  std::vector<StudyFigure> figures;
  for (const char* varied : {"points", "cells", "warps"}) figures.push_back({varied, sweep_curves(findings, varied)});
  return figures;
}

}  // namespace diffeo::cli
