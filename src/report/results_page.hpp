// The page about an experiment: sections in their order, and what its scripts and readers' machines get.
#pragma once

#include "report/page.hpp"
#include "report/results_sections.hpp"

namespace diffeo::report {

struct DrawnResults {
  Page page;
  std::size_t pictures_shown = 0;
};

[[nodiscard]] DrawnResults results_page(const ResultsMaterial& material);

}  // namespace diffeo::report
