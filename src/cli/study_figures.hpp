// Pictures of what `diffeo study` found.
#pragma once

#include <string>
#include <vector>

#include "cli/study_documents.hpp"

namespace diffeo::cli {

struct StudyFigure {
  std::string name;  ///< what it shows: value, gradient_ms
  std::string svg;
};

/// Of precision: maps of the alternating solver's errors, and the errors of Runge-Kutta over its steps.
[[nodiscard]] std::vector<StudyFigure> figures_of(const PrecisionFindings& findings);
/// Of squaring: errors and times over the squarings, a line for every size.
[[nodiscard]] std::vector<StudyFigure> figures_of(const SquaringFindings& findings);
/// Of timing: times over points, cells and warps.
[[nodiscard]] std::vector<StudyFigure> figures_of(const TimingFindings& findings);

}  // namespace diffeo::cli
