#include "diffeo/results_report.hpp"

#include "data/output_file.hpp"
#include "report/results_page.hpp"

namespace diffeo {

ResultsPage make_results_report(const ResultsReport& report) {
  const report::ResultsMaterial material = report::material_of(report);
  const report::DrawnResults drawn = report::results_page(material);
  return {report::html_of(drawn.page), drawn.pictures_shown};
}

ResultsPage write_results_report(const std::filesystem::path& path, const ResultsReport& report) {
  ResultsPage page = make_results_report(report);
  files::OutputFile file(path);
  file.write(page.html);
  file.commit();
  return page;
}

}  // namespace diffeo
