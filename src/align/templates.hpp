// Fixed templates: what series are aligned to instead of their mean. One for all, or a labeled one for every class.
#pragma once

#include <string>

#include "diffeo/dataset.hpp"

namespace diffeo {

/// std::invalid_argument unless every class of the series has a template that they can be aligned to.
void require_templates(const Dataset& templates, const Dataset& series);

/// The template for the series of a class; the name is empty for series without labels.
[[nodiscard]] SeriesView<const double> template_of(const Dataset& templates, const std::string& class_name);

}  // namespace diffeo
