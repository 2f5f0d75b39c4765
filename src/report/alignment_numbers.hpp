// The numbers that an alignment page draws, as JSON; src/report/page/alignment_data.js reads them.
#pragma once

#include <string>

#include "diffeo/report.hpp"
#include "report/drawing_plan.hpp"

namespace diffeo::report {

[[nodiscard]] std::string alignment_numbers(const AlignmentReport& report, const ReportFigures& figures,
                                            const DrawingPlan& plan);

/// A report without aligned series that has centroids: averages of the series as they are.
[[nodiscard]] bool shows_averages(const AlignmentReport& report);

/// What a group is called on the page.
[[nodiscard]] std::string shown_name(const ReportGroup& group);

}  // namespace diffeo::report
