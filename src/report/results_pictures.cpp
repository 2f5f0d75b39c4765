#include "diffeo/error.hpp"
#include "report/html.hpp"
#include "report/results_sections.hpp"

namespace diffeo::report {
namespace {

std::string one_picture(const AlignmentPicture& picture) {
  std::string figures;
  if (picture.heat) {
    figures += sheet(alignment_heat_figure(*picture.heat),
                     "<b>Series, a row each.</b> Colour is value, the same on both sides; features that line up become "
                     "vertical.",
                     picture.dataset + ": series before and after alignment");
  }
  if (picture.embedding) {
    figures += sheet(embedding_figure(*picture.embedding),
                     "<b>Series as points</b> (t-SNE): what is alike lies together. Axes have no meaning of their own.",
                     picture.dataset + ": series as points before and after alignment");
  }
  return message("<details class=\"picture\"><summary><h3>", escaped(picture.dataset), "</h3><span class=\"quiet\">",
                 escaped(picture.note), "</span></summary>\n", sheets(figures), "</details>\n");
}

std::string picture_count(std::size_t shown, std::size_t all) {
  if (shown == all)
    return message("<p>Test series before and after alignment, ", counted(all, "data set", "data sets"),
                   "; open one to look at it.</p>\n");
  return message("<p>Test series before and after alignment; the first ", shown, " of ", grouped(all),
                 " data sets, more would make the page too large. Open one to look at it.</p>\n");
}

}  // namespace

PictureSection picture_section(const ResultsMaterial& material, std::size_t room) {
  PictureSection section;
  std::string pictures;
  for (const AlignmentPicture& picture : material.report.pictures) {
    if (!picture.heat && !picture.embedding) continue;
    const std::string html = one_picture(picture);
    if (pictures.size() + html.size() > room) break;
    pictures += html;
    ++section.shown;
  }
  if (section.shown == 0) return section;
  section.html = results_section("pictures", "Alignments",
                                 picture_count(section.shown, material.report.pictures.size()) + pictures);
  return section;
}

}  // namespace diffeo::report
