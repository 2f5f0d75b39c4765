// The parts of a page about an alignment, each a piece of HTML; empty where there is nothing to show.
#pragma once

#include <string>
#include <string_view>

#include "diffeo/report.hpp"
#include "report/class_order.hpp"
#include "report/drawing_plan.hpp"

namespace diffeo::report {

/// What every part is made from.
struct Material {
  const AlignmentReport& report;
  const ReportFigures& figures;
  const DrawingPlan& plan;
  const ReportDrawing& drawing;
  ClassColors colors{figures, report.centroids};

  [[nodiscard]] bool has_flow() const { return !report.velocities.empty(); }
  [[nodiscard]] bool has_classes() const { return !figures.groups.front().name.empty(); }
};

[[nodiscard]] std::string class_sections(const Material& material);
[[nodiscard]] std::string centroid_section(const Material& material);
[[nodiscard]] std::string measure_section(const Material& material);
[[nodiscard]] std::string variance_section(const Material& material);
[[nodiscard]] std::string confusion_section(const Material& material);
[[nodiscard]] std::string curve_section(const Material& material);
[[nodiscard]] std::string option_section(const Material& material);
[[nodiscard]] std::string provenance_section(const Material& material);

}  // namespace diffeo::report
