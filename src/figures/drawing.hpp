// One SVG element, drawn piece by piece.
//
//   Drawing drawing(320, 200, "Accuracies", "diffeo against euclidean on 31 data sets");
//   drawing.circle({160, 100}, 4, kInk, {.title = "GunPoint: 0.91"});
//   return drawing.finished();
//
//   * stands alone as a file, and can be put into a page: no ids, no style sheet, no script
//   * titles, descriptions and text are escaped here; colours and path data are written as they are
//   * a shape with a title shows it when it is pointed at
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace diffeo::figures {

struct Point {
  double x = 0.0;
  double y = 0.0;
};

struct Box {
  double left = 0.0;
  double top = 0.0;
  double right = 0.0;
  double bottom = 0.0;

  [[nodiscard]] double width() const { return right - left; }
  [[nodiscard]] double height() const { return bottom - top; }
};

inline constexpr double kTextSize = 12.0;
inline constexpr double kSmallText = 11.0;

enum class Anchor { start, middle, end };

struct TextLook {
  Anchor anchor = Anchor::start;
  std::string_view colour = {};  ///< quiet where none is given
  double size = kTextSize;
  bool bold = false;
  double turned = 0.0;  ///< degrees, clockwise, about the place of the text
};

struct ShapeLook {
  double opacity = 1.0;
  std::string_view title = {};
};

struct LineLook {
  double width = 1.0;
  std::string_view dashes = {};
  std::string_view title = {};
};

class Drawing {
 public:
  Drawing(double width, double height, std::string_view title, std::string_view description);

  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double height() const { return height_; }

  void line(Point from, Point to, std::string_view colour, const LineLook& look = {});
  /// A stroke along SVG path data.
  void stroke(std::string_view data, std::string_view colour, const LineLook& look = {});
  /// The inside of SVG path data.
  void area(std::string_view data, std::string_view colour, const ShapeLook& look = {});
  void circle(Point centre, double radius, std::string_view colour, const ShapeLook& look = {});
  void rectangle(const Box& box, std::string_view colour, const ShapeLook& look = {});
  void text(Point at, std::string_view words, const TextLook& look = {});
  /// A picture with hard borders between its points, stretched over the box.
  void picture(const Box& box, std::string_view address);

  /// What follows shares a colour and a title.
  void open_group(std::string_view colour, std::string_view title);
  void close_group();
  /// A dot of the open group's colour; every seventh number has another shape.
  void marker(Point centre, double radius, std::size_t number);

  [[nodiscard]] std::string finished() const;

 private:
  void element(std::string_view name, const std::string& attributes, std::string_view title);

  double width_;
  double height_;
  std::string title_;
  std::string description_;
  std::string body_;
};

/// "M1 2L3 4": a line through points is built with it.
void append_point(std::string& data, char pen, Point point);

}  // namespace diffeo::figures
