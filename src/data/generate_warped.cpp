#include "diffeo/generate_warped.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/equally_spaced.hpp"
#include "data/warp_families.hpp"
#include "data/warped_shapes.hpp"
#include "diffeo/error.hpp"
#include "diffeo/random.hpp"

namespace diffeo {
namespace {

constexpr std::size_t kPointsOfWarps = 201;
constexpr double kLargestWarpDisplacement = 0.5;
constexpr double kLargestLengthSpread = 0.9;
constexpr double kLargestMissing = 0.5;
constexpr const char* kOnlyLabel = "1";
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// The index of a name.
std::size_t index_of(const std::vector<std::string_view>& names, std::string_view name, const char* argument) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    std::string expected;
    for (const std::string_view each : names) expected.append(expected.empty() ? "" : ", ").append(each);
    require(false, argument, ": expected one of ", expected, ", got ", name);
  }
  return static_cast<std::size_t>(found - names.begin());
}

void require_share(const char* name, double value, double most) {
  require(value >= 0 && value <= most, name, ": expected 0 to ", most, ", got ", value);
}

void require_deviation(const char* name, double value) {
  require(value >= 0 && std::isfinite(value), name, ": expected a finite standard deviation, not negative, got ",
          value);
}

void require_options(const WarpedOptions& options) {
  require_share("displacement", options.displacement, kLargestWarpDisplacement);
  require_deviation("height", options.height);
  require_deviation("width", options.width);
  require_deviation("noise", options.noise);
  require(options.length >= 2, "length: expected at least 2 time steps, got ", options.length);
  require_share("length_spread", options.length_spread, kLargestLengthSpread);
  require_share("missing", options.missing, kLargestMissing);
  require(options.channels > 0, "channels: expected at least 1, got 0");
  require(options.peaks > 0, "peaks: expected at least 1, got 0");
}

std::size_t draw_length(Random& random, const WarpedOptions& options) {
  const auto longest = static_cast<double>(options.length);
  const auto shortest = static_cast<std::size_t>(std::max(2.0, std::round((1 - options.length_spread) * longest)));
  return shortest + static_cast<std::size_t>(random.below(options.length - shortest + 1));
}

/// One stretch of a case, the same in all channels, becomes missing. The first and the last value stay.
void remove_stretch(Random& random, double share, std::size_t length, std::vector<double>& values) {
  const auto wanted = static_cast<std::size_t>(share * static_cast<double>(length));
  const std::size_t count = std::min(wanted, length - 2);
  const std::size_t start = 1 + static_cast<std::size_t>(random.below(length - 1 - count));
  for (std::size_t first = 0; first < values.size(); first += length) {
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(first + start), count, kMissing);
  }
}

/// Channel by channel, at the given positions.
std::vector<double> values_at(const std::vector<WarpedShape>& channels, std::span<const double> positions) {
  std::vector<double> values;
  values.reserve(channels.size() * positions.size());
  for (const WarpedShape& shape : channels) {
    for (const double x : positions) values.push_back(value_at(shape, x));
  }
  return values;
}

void copy_row(std::span<const double> values, std::size_t row, Matrix& matrix) {
  std::ranges::copy(values, matrix.values().begin() + static_cast<std::ptrdiff_t>(row * matrix.columns()));
}

}  // namespace

const std::vector<std::string_view>& warped_kind_names() {
  static const std::vector<std::string_view> names{"two-peaks", "peaks", "narrow-peaks", "beats", "steps"};
  return names;
}

const std::vector<std::string_view>& warp_family_names() {
  static const std::vector<std::string_view> names{"flow", "exponential", "fourier", "logistic", "moves"};
  return names;
}

WarpedKind warped_kind(std::string_view name) {
  return static_cast<WarpedKind>(index_of(warped_kind_names(), name, "kind"));
}

WarpFamily warp_family(std::string_view name) {
  return static_cast<WarpFamily>(index_of(warp_family_names(), name, "family"));
}

WarpedOptions default_warped_options(WarpedKind kind) {
  switch (kind) {
    case WarpedKind::two_peaks:
      return {.family = WarpFamily::exponential, .displacement = 0.1233, .height = 0.25, .length = 101};
    case WarpedKind::peaks:
      return {.height = 0.25, .width = 0.1};
    case WarpedKind::narrow_peaks:
      return {.family = WarpFamily::moves, .displacement = 0.3, .length = 256};
    case WarpedKind::beats:
      return {.family = WarpFamily::logistic, .displacement = 0.1, .height = 0.1, .noise = 0.01, .length = 256};
    case WarpedKind::steps:
      break;
  }
  return {};
}

WarpedSeries generate_warped(WarpedKind kind, std::size_t cases, std::uint64_t seed, const WarpedOptions& options) {
  require_options(options);
  // A stream of random numbers for each thing drawn: an option of one does not change another.
  Random seeds(seed);
  Random of_template(seeds.bits());
  const std::uint64_t seed_of_warps = seeds.bits();
  Random of_shapes(seeds.bits()), of_samples(seeds.bits()), of_noise(seeds.bits());

  const WarpedTemplate base = draw_template(kind, of_template, options.peaks, options.channels);
  const auto warps = draw_warps(cases, seed_of_warps, options.family, options.displacement, base.marks);
  WarpedSeries result{Dataset(options.channels), Matrix(cases, kPointsOfWarps), Matrix(cases, base.marks.size()),
                      Dataset(options.channels), base.marks};
  result.template_case.add_case(values_at(base.channels, equally_spaced(options.length)), kOnlyLabel);
  result.dataset.reserve(cases, cases * options.channels * options.length);
  for (std::size_t item = 0; item < cases; ++item) {
    copy_row(warps[item](equally_spaced(kPointsOfWarps)), item, result.warps);
    copy_row(inverse_of(warps[item], base.marks), item, result.marks);
    std::vector<WarpedShape> channels;
    for (const WarpedShape& shape : base.channels) {
      channels.push_back(varied(shape, of_shapes, options.height, options.width));
    }
    const std::size_t length = draw_length(of_samples, options);
    std::vector<double> values = values_at(channels, warps[item](equally_spaced(length)));
    for (double& value : values) value += options.noise * of_noise.normal();
    remove_stretch(of_samples, options.missing, length, values);
    result.dataset.add_case(values, kOnlyLabel);
  }
  return result;
}

WarpedSeries generate_warped(WarpedKind kind, std::size_t cases, std::uint64_t seed) {
  return generate_warped(kind, cases, seed, default_warped_options(kind));
}

}  // namespace diffeo
