// The content of a page about an alignment: what is said in words and tables, and where charts go.
#pragma once

#include "diffeo/report.hpp"
#include "report/drawing_plan.hpp"
#include "report/page.hpp"

namespace diffeo::report {

[[nodiscard]] Page alignment_page(const AlignmentReport& report, const ReportFigures& figures, const DrawingPlan& plan,
                                  const ReportDrawing& drawing);

}  // namespace diffeo::report
