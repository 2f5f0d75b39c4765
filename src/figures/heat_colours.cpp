#include "figures/heat_colours.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace diffeo::figures {
namespace {

constexpr std::array<Colour, 10> kHeatStations = {{{0x44, 0x01, 0x54},
                                                   {0x48, 0x28, 0x78},
                                                   {0x3e, 0x49, 0x89},
                                                   {0x31, 0x68, 0x8e},
                                                   {0x26, 0x82, 0x8e},
                                                   {0x1f, 0x9e, 0x89},
                                                   {0x35, 0xb7, 0x79},
                                                   {0x6e, 0xce, 0x58},
                                                   {0xb5, 0xde, 0x2b},
                                                   {0xfd, 0xe7, 0x25}}};

constexpr double kMiddleBrightness = 140.0;  // of 255

}  // namespace

Colour heat_colour(double part) {
  const double at = std::clamp(part, 0.0, 1.0) * static_cast<double>(kHeatStations.size() - 1);
  const std::size_t from = std::min(static_cast<std::size_t>(at), kHeatStations.size() - 2);
  const double rest = at - static_cast<double>(from);
  Colour colour{};
  for (std::size_t channel = 0; channel < colour.size(); ++channel) {
    const double start = kHeatStations[from][channel];
    const double end = kHeatStations[from + 1][channel];
    colour[channel] = static_cast<std::uint8_t>(std::lround(start + (end - start) * rest));
  }
  return colour;
}

std::string hexadecimal(const Colour& colour) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "#";
  for (const std::uint8_t value : colour) text.append(1, digits[value / 16]).append(1, digits[value % 16]);
  return text;
}

std::string readable_on(const Colour& colour) {
  const double brightness = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2];
  return brightness > kMiddleBrightness ? "#000000" : "#ffffff";
}

}  // namespace diffeo::figures
