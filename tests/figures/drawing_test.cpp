#include "figures/drawing.hpp"

#include "figure_support.hpp"
#include "figures/axes.hpp"
#include "figures/colours.hpp"

namespace diffeo::figures {
namespace drawing_test {

using testing::holds;
using testing::occurrences;

TEST(Drawing, StandsAlone) {
  Drawing drawing(320.0, 200.0, "A title", "What it shows");
  drawing.circle({160.0, 100.25}, 4.0, kInk, {.opacity = 0.5, .title = "here"});
  const std::string svg = drawing.finished();
  testing::expect_figure(svg);
  EXPECT_TRUE(holds(svg, "width=\"320\" height=\"200\" viewBox=\"0 0 320 200\""));
  EXPECT_TRUE(holds(svg, "<title>A title</title>\n<desc>What it shows</desc>"));
  EXPECT_TRUE(holds(svg,
                    "<circle cx=\"160\" cy=\"100.3\" r=\"4\" fill=\"var(--ink, #1c2733)\" fill-opacity=\"0.5\">"
                    "<title>here</title></circle>"));
}

TEST(Drawing, ShowsHostileTextAsItIs) {
  Drawing drawing(100.0, 100.0, testing::kHostile, testing::kHostile);
  drawing.text({1.0, 2.0}, testing::kHostile);
  drawing.line({0.0, 0.0}, {1.0, 1.0}, kInk, {.title = testing::kHostile});
  drawing.open_group(kInk, testing::kHostile);
  drawing.close_group();
  const std::string svg = drawing.finished();
  testing::expect_figure(svg);
  EXPECT_EQ(occurrences(svg, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;"), 6u);
}

TEST(Drawing, TurnsAndAnchorsText) {
  Drawing drawing(100.0, 100.0, "t", "d");
  drawing.text({10.0, 20.0}, "up", {.anchor = Anchor::middle, .bold = true, .turned = -90.0});
  EXPECT_TRUE(holds(drawing.finished(),
                    "<text x=\"10\" y=\"20\" text-anchor=\"middle\" font-weight=\"600\" "
                    "transform=\"rotate(-90 10 20)\">up</text>"));
}

TEST(Drawing, HasAnotherShapeForEverySevenMarkers) {
  Drawing drawing(100.0, 100.0, "t", "d");
  for (const std::size_t number : {0u, 6u, 7u, 14u, 21u, 28u}) drawing.marker({50.0, 50.0}, 3.0, number);
  const std::string svg = drawing.finished();
  EXPECT_EQ(occurrences(svg, "<circle"), 3u);
  EXPECT_EQ(occurrences(svg, "<path"), 3u);
  testing::expect_figure(svg);
}

TEST(Axes, HaveTicksNumbersAndNames) {
  Drawing drawing(300.0, 300.0, "t", "d");
  const PlotFrame frame = linear_frame({50.0, 10.0, 290.0, 250.0}, {0.0, 1.0}, {0.0, 10.0});
  draw_axes(drawing, frame, {"across", "up & down"});
  const std::string svg = drawing.finished();
  EXPECT_TRUE(holds(svg, ">across</text>"));
  EXPECT_TRUE(holds(svg, ">up &amp; down</text>"));
  EXPECT_TRUE(holds(svg, ">0.5</text>"));
  EXPECT_EQ(frame.at(0.5, 10.0).x, 170.0);
  EXPECT_EQ(frame.at(0.5, 10.0).y, 10.0);
  testing::expect_figure(svg);
}

TEST(Legend, BreaksIntoLines) {
  const std::vector<LegendEntry> entries = {{"euclidean", kInk}, {"diffeo", kBetter}, {"soft-dtw", kWorse}};
  const double one_line = legend_height(entries, 1000.0);
  EXPECT_EQ(legend_height(entries, 1.0), 3.0 * one_line);
  EXPECT_EQ(legend_height({}, 100.0), 0.0);
  Drawing drawing(100.0, 100.0, "t", "d");
  draw_legend(drawing, {0.0, 0.0}, 100.0, entries);
  EXPECT_EQ(occurrences(drawing.finished(), "<circle"), 3u);
}

}  // namespace drawing_test
}  // namespace diffeo::figures
