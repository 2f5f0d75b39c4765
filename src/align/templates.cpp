#include "align/templates.hpp"

#include <algorithm>

#include "align/series_checks.hpp"
#include "diffeo/error.hpp"

namespace diffeo {
namespace {

/// Its number, or the number of templates where the class has none.
std::size_t place_of(const Dataset& templates, const std::string& class_name) {
  if (templates.cases() == 1) return 0;
  std::size_t item = 0;
  while (item < templates.cases() && templates.label(item) != class_name) ++item;
  return item;
}

}  // namespace

void require_templates(const Dataset& templates, const Dataset& series) {
  require(!templates.empty(), "template: expected one, got none");
  require(templates.channels() == series.channels(), "template: expected ", series.channels(),
          " channels as the series have, got ", templates.channels());
  require(templates.equally_long(), "template: expected templates of one length, got ", templates.shortest(), " to ",
          templates.longest(), " time steps");
  for (std::size_t item = 0; item < templates.cases(); ++item) require_alignable("template", templates.series(item));
  if (templates.cases() == 1) return;
  require(templates.labeled() && series.labeled(), "template: expected one, or a labeled one for every class, got ",
          templates.cases());
  for (std::size_t item = 0; item < series.cases(); ++item) {
    require(place_of(templates, series.label(item)) < templates.cases(), "template: expected one for class ",
            series.label(item), ", got none");
  }
}

SeriesView<const double> template_of(const Dataset& templates, const std::string& class_name) {
  return templates.series(place_of(templates, class_name));
}

}  // namespace diffeo
