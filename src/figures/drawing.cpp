#include "figures/drawing.hpp"

#include "figures/colours.hpp"
#include "figures/figure_text.hpp"

namespace diffeo::figures {
namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return std::string(" ").append(name).append("=\"").append(value).append("\"");
}

std::string attribute(std::string_view name, double value) { return attribute(name, coordinate(value)); }

std::string opacity_attribute(double opacity) {
  return opacity < 1.0 ? attribute("fill-opacity", opacity_text(opacity)) : "";
}

std::string line_attributes(std::string_view colour, const LineLook& look) {
  std::string text = attribute("stroke", colour);
  if (look.width != 1.0) text += attribute("stroke-width", look.width);
  if (!look.dashes.empty()) text += attribute("stroke-dasharray", look.dashes);
  return text;
}

std::string box_attributes(const Box& box) {
  return attribute("x", box.left) + attribute("y", box.top) + attribute("width", box.width()) +
         attribute("height", box.height());
}

std::string titled(std::string_view name, std::string_view words) {
  return std::string("<").append(name).append(">").append(figure_escaped(words)).append("</").append(name).append(">");
}

std::string_view anchor_name(Anchor anchor) {
  if (anchor == Anchor::middle) return "middle";
  return anchor == Anchor::end ? "end" : "start";
}

/// Square, triangle and diamond, about as large as the circle.
std::string marker_path(Point centre, double radius, std::size_t shape) {
  const std::string start = std::string("M").append(coordinate(centre.x)).append(" ");
  const std::string r = coordinate(radius);
  const std::string r2 = coordinate(2.0 * radius);
  if (shape == 0) {
    const std::string corner = coordinate(centre.x - radius) + " " + coordinate(centre.y - radius);
    return "M" + corner + "h" + r2 + "v" + r2 + "h-" + r2 + "z";
  }
  if (shape == 1) return start + coordinate(centre.y - radius) + "l" + r + " " + r2 + "h-" + r2 + "z";
  return start + coordinate(centre.y - radius) + "l" + r + " " + r + "l-" + r + " " + r + "l-" + r + " -" + r + "z";
}

constexpr std::size_t kShapes = 4;

}  // namespace

Drawing::Drawing(double width, double height, std::string_view title, std::string_view description)
    : width_(width), height_(height), title_(title), description_(description) {}

void Drawing::element(std::string_view name, const std::string& attributes, std::string_view title) {
  body_.append("<").append(name).append(attributes);
  if (title.empty()) {
    body_ += "/>\n";
  } else {
    body_.append(">").append(titled("title", title)).append("</").append(name).append(">\n");
  }
}

void Drawing::line(Point from, Point to, std::string_view colour, const LineLook& look) {
  element("line",
          attribute("x1", from.x) + attribute("y1", from.y) + attribute("x2", to.x) + attribute("y2", to.y) +
              line_attributes(colour, look),
          look.title);
}

void Drawing::stroke(std::string_view data, std::string_view colour, const LineLook& look) {
  element("path",
          attribute("d", data) + attribute("fill", "none") + line_attributes(colour, look) +
              attribute("stroke-linejoin", "round"),
          look.title);
}

void Drawing::area(std::string_view data, std::string_view colour, const ShapeLook& look) {
  element("path", attribute("d", data) + attribute("fill", colour) + opacity_attribute(look.opacity), look.title);
}

void Drawing::circle(Point centre, double radius, std::string_view colour, const ShapeLook& look) {
  element("circle",
          attribute("cx", centre.x) + attribute("cy", centre.y) + attribute("r", radius) + attribute("fill", colour) +
              opacity_attribute(look.opacity),
          look.title);
}

void Drawing::rectangle(const Box& box, std::string_view colour, const ShapeLook& look) {
  element("rect", box_attributes(box) + attribute("fill", colour) + opacity_attribute(look.opacity), look.title);
}

void Drawing::text(Point at, std::string_view words, const TextLook& look) {
  std::string attributes = attribute("x", at.x) + attribute("y", at.y);
  if (look.anchor != Anchor::start) attributes += attribute("text-anchor", anchor_name(look.anchor));
  if (!look.colour.empty()) attributes += attribute("fill", look.colour);
  if (look.size != kTextSize) attributes += attribute("font-size", look.size);
  if (look.bold) attributes += attribute("font-weight", "600");
  if (look.turned != 0.0) {
    attributes += attribute(
        "transform", "rotate(" + coordinate(look.turned) + " " + coordinate(at.x) + " " + coordinate(at.y) + ")");
  }
  body_.append("<text").append(attributes).append(">").append(figure_escaped(words)).append("</text>\n");
}

void Drawing::picture(const Box& box, std::string_view address) {
  element("image",
          box_attributes(box) + attribute("href", address) + attribute("preserveAspectRatio", "none") +
              attribute("style", "image-rendering:pixelated"),
          "");
}

void Drawing::open_group(std::string_view colour, std::string_view title) {
  body_.append("<g").append(attribute("fill", colour)).append(">");
  if (!title.empty()) body_ += titled("title", title);
  body_ += "\n";
}

void Drawing::close_group() { body_ += "</g>\n"; }

void Drawing::marker(Point centre, double radius, std::size_t number) {
  const std::size_t shape = number / kSeriesColours.size() % kShapes;
  if (shape == 0) {
    element("circle", attribute("cx", centre.x) + attribute("cy", centre.y) + attribute("r", radius), "");
  } else {
    element("path", attribute("d", marker_path(centre, radius, shape - 1)), "");
  }
}

std::string Drawing::finished() const {
  const std::string width = coordinate(width_);
  const std::string height = coordinate(height_);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" role=\"img\"";
  svg += attribute("aria-label", figure_escaped(title_)) + attribute("width", width) + attribute("height", height) +
         attribute("viewBox", "0 0 " + width + " " + height) +
         attribute("font-family", "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif") +
         attribute("font-size", kTextSize) + attribute("fill", kQuiet);
  svg.append(">\n").append(titled("title", title_)).append("\n").append(titled("desc", description_)).append("\n");
  svg.append("<rect").append(attribute("width", width)).append(attribute("height", height));
  svg.append(attribute("fill", kGround)).append("/>\n");
  return svg.append(body_).append("</svg>\n");
}

void append_point(std::string& data, char pen, Point point) {
  data.append(1, pen).append(coordinate(point.x)).append(" ").append(coordinate(point.y));
}

}  // namespace diffeo::figures
