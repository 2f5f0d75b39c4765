#include "report/results_page.hpp"

#include <nlohmann/json.hpp>

#include "diffeo/error.hpp"
#include "report/html.hpp"

namespace diffeo::report {
namespace {

constexpr std::size_t kRoomForSections = 4'800'000;  // bytes; the rest of 5 MB is for style sheets and what surrounds

/// The accuracies, for machines.
std::string results_numbers(const ResultsReport& report) {
  nlohmann::ordered_json numbers;
  numbers["datasets"] = report.scores.datasets;
  numbers["methods"] = report.scores.methods;
  numbers["scores"] = report.scores.scores;
  return numbers.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

struct PagePart {
  std::string_view id;
  std::string name;
  std::string html;
};

std::vector<PagePart> parts_of(const ResultsMaterial& material) {
  return {{"summary", "Summary", summary_section(material)},
          {"ranks", "Ranks", rank_section(material)},
          {"losses", "Losses", loss_section(material)},
          {"results", "Results", table_section(material)},
          {"published", "Published", published_section(material)},
          {"scatter", "Against each", scatter_section(material)},
          {"pairs", "Pairs", pair_section(material)},
          {"sharpshooter", "Sharpshooter", sharpshooter_section(material)},
          {"gain", "Gain", gain_section(material)},
          {"types", "Types", type_section(material)},
          {"variance", "Variance", within_variance_section(material)},
          {"grid", "Hyper-parameters", grid_section(material)},
          {"ablation", "Ablation", ablation_section(material)},
          {"pictures", "Alignments", ""},
          {"provenance", "Made from", origin_section(material)}};
}

std::string contents_of(const std::vector<PagePart>& parts) {
  std::string html = "<nav aria-label=\"Contents\" class=\"screen\"><ul class=\"contents\">\n";
  for (const PagePart& part : parts) {
    if (!part.html.empty()) html += message("<li><a href=\"#", part.id, "\">", part.name, "</a></li>\n");
  }
  return html + "</ul></nav>\n";
}

std::string introduction_of(const ResultsReport& report) {
  return report.introduction.empty() ? "" : message("<p class=\"quiet\">", escaped(report.introduction), "</p>\n");
}

/// Pictures get what the other sections leave; how many there are.
std::size_t add_pictures(const ResultsMaterial& material, std::vector<PagePart>& parts, std::size_t used) {
  for (const PagePart& part : parts) used += part.html.size();
  const PictureSection pictures = picture_section(material, used < kRoomForSections ? kRoomForSections - used : 0);
  for (PagePart& part : parts) {
    if (part.id == "pictures") part.html = pictures.html;
  }
  return pictures.shown;
}

}  // namespace

DrawnResults results_page(const ResultsMaterial& material) {
  DrawnResults drawn;
  Page& page = drawn.page;
  page.title = material.report.title;
  page.numbers = results_numbers(material.report);
  page.styles = {"theme.css", "results.css"};
  page.scripts = {"results.js"};
  std::vector<PagePart> parts = parts_of(material);
  drawn.pictures_shown = add_pictures(material, parts, page.numbers.size());
  page.body = message("<a class=\"skip\" href=\"#summary\">To the summary</a>\n<header class=\"page-header\">\n<h1>",
                      escaped(material.report.title), "</h1>\n", introduction_of(material.report), contents_of(parts),
                      results_key_figures(material), "</header>\n<main>\n");
  for (const PagePart& part : parts) page.body += part.html;
  page.body += "</main>\n";
  return drawn;
}

}  // namespace diffeo::report
