#include "figures/picture.hpp"

#include <gtest/gtest.h>

#include <array>

namespace diffeo::figures {
namespace picture_test {

// Python: struct, zlib: the chunk IHDR of a picture of 2 x 1 with its CRC, and zlib.adler32 of the rows b"\0\0\1".
TEST(Picture, IsAPngThatOthersRead) {
  const std::array<std::uint8_t, 2> points = {0, 1};
  const std::array<Colour, 2> palette = {Colour{0, 0, 0}, Colour{255, 255, 255}};
  const std::string png = png_of(points, 2, 1, palette, false);
  const std::string header = std::string("\x89PNG\r\n\x1a\n") +
                             std::string("\0\0\0\x0dIHDR\0\0\0\2\0\0\0\1\x08\x03\0\0\0", 21) +
                             std::string("\xc3\xfc\x8f\xb8", 4);
  EXPECT_EQ(png.substr(0, header.size()), header);
  const std::string rows("\x78\x01\x01\x03\x00\xfc\xff\x00\x00\x01\x00\x04\x00\x02", 14);
  EXPECT_NE(png.find(rows), std::string::npos);
  EXPECT_TRUE(png.ends_with(std::string("IEND\xae\x42\x60\x82")));
}

TEST(Picture, MayHaveAClearFirstColour) {
  const std::array<std::uint8_t, 1> points = {0};
  const std::array<Colour, 1> palette = {Colour{0, 0, 0}};
  EXPECT_NE(png_of(points, 1, 1, palette, true).find("tRNS"), std::string::npos);
  EXPECT_EQ(png_of(points, 1, 1, palette, false).find("tRNS"), std::string::npos);
}

TEST(Picture, IsWrittenInBase64) {
  EXPECT_EQ(data_address("Man"), "data:image/png;base64,TWFu");
  EXPECT_EQ(data_address("Ma"), "data:image/png;base64,TWE=");
  EXPECT_EQ(data_address("M"), "data:image/png;base64,TQ==");
}

TEST(HeatColours, RunFromDarkToLight) {
  EXPECT_EQ(hexadecimal(heat_colour(0.0)), "#440154");
  EXPECT_EQ(hexadecimal(heat_colour(1.0)), "#fde725");
  EXPECT_EQ(hexadecimal(heat_colour(5.0)), "#fde725");
  EXPECT_EQ(readable_on(heat_colour(0.0)), "#ffffff");
  EXPECT_EQ(readable_on(heat_colour(1.0)), "#000000");
}

}  // namespace picture_test
}  // namespace diffeo::figures
