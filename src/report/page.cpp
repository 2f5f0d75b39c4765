#include "report/page.hpp"

#include "report/assets.hpp"
#include "report/html.hpp"

namespace diffeo::report {
namespace {

std::string joined(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) text.append(asset(name));
  return text;
}

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="diffeo">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
)";

}  // namespace

std::string html_of(const Page& page) {
  std::string html(kHead);
  html.append("<title>").append(escaped(page.title)).append("</title>\n");
  html.append("<style>\n").append(joined(page.styles)).append("</style>\n</head>\n<body>\n").append(page.body);
  html.append("<div id=\"tip\" class=\"screen\" role=\"status\" aria-live=\"polite\" hidden></div>\n");
  html.append("<script id=\"numbers\" type=\"application/json\">").append(escaped_json(page.numbers));
  // A scope of their own: nothing of the page's is global unless it says so.
  html.append("</script>\n<script>\n{\n").append(joined(page.scripts)).append("}\n</script>\n</body>\n</html>\n");
  return html;
}

std::vector<std::string_view> chart_styles() { return {"theme.css", "charts.css"}; }

std::vector<std::string_view> chart_scripts() {
  return {"packed.js", "numbers.js", "svg.js", "frame.js", "line_chart.js", "heat_map.js", "probe.js"};
}

}  // namespace diffeo::report
