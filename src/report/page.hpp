// An HTML page that needs nothing else: style sheets, scripts and numbers are inside, and a policy in its head forbids
// the browser to load anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace diffeo::report {

struct Page {
  std::string title;                      ///< as it is; escaped here
  std::string body;                       ///< HTML
  std::string numbers;                    ///< JSON, for the scripts: the element of the id `numbers`
  std::vector<std::string_view> styles;   ///< names of assets (report/assets.hpp), in this order
  std::vector<std::string_view> scripts;  ///< likewise: each makes one name known to those after it
};

[[nodiscard]] std::string html_of(const Page& page);

/// What charts of any page are made of.
[[nodiscard]] std::vector<std::string_view> chart_styles();
[[nodiscard]] std::vector<std::string_view> chart_scripts();

}  // namespace diffeo::report
