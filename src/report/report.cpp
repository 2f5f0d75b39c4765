#include "diffeo/report.hpp"

#include "data/output_file.hpp"
#include "report/alignment_page.hpp"
#include "report/drawing_plan.hpp"
#include "report/page.hpp"

namespace diffeo {

ReportPage make_report(const AlignmentReport& report, const ReportDrawing& drawing) {
  ReportPage page;
  page.figures = report_figures(report);
  const report::DrawingPlan plan = report::plan_drawing(report, page.figures, drawing);
  page.html = report::html_of(report::alignment_page(report, page.figures, plan, drawing));
  page.cases_drawn = plan.cases();
  page.points_drawn = plan.points;
  return page;
}

ReportPage write_report(const std::filesystem::path& path, const AlignmentReport& report,
                        const ReportDrawing& drawing) {
  ReportPage page = make_report(report, drawing);
  files::OutputFile file(path);
  file.write(page.html);
  file.commit();
  return page;
}

}  // namespace diffeo
