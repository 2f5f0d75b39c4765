#include "expected_size.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "localization_parts.hpp"

namespace diffeo {
namespace {

/// What the blocks of a network hand to its head, and how many weights they have.
struct Blocks {
  double weights = 0.0;
  double channels = 0.0;
  std::int64_t positions = 1;
};

/// Of one block; sets the number of channels that come out of it.
double block_size(const LocalizationOptions& options, std::size_t block, double& channels) {
  const auto width = static_cast<double>(options.widths[block]);
  const double came = std::exchange(channels, width);
  switch (options.kind) {
    case LocalizationKind::recurrent: {
      constexpr double kGates = 3.0;
      channels = 2.0 * width;  // both directions
      return 2.0 * kGates * width * (came + width);
    }
    case LocalizationKind::inception: {
      constexpr double kKernels = 9.0 + 19.0 + 39.0;
      channels = 4.0 * width;
      return 2.0 * width * came + kKernels * width * width;
    }
    case LocalizationKind::residual:
      return static_cast<double>(options.kernels[block]) * width * (came + width);
    case LocalizationKind::conv:
      break;
  }
  return static_cast<double>(options.kernels[block]) * width * came;
}

Blocks blocks_of(const LocalizationOptions& options, std::int64_t channels, std::int64_t length) {
  Blocks blocks{.channels = static_cast<double>(channels)};
  for (std::size_t block = 0; block < options.widths.size(); ++block) {
    blocks.weights += block_size(options, block, blocks.channels);
    if (length / 2 >= kFewestSteps) length /= 2;
  }
  const bool keeps_places = options.kind == LocalizationKind::conv || options.kind == LocalizationKind::residual;
  if (keeps_places) blocks.positions = std::min(length, options.positions);
  return blocks;
}

}  // namespace

double least_network_size(const TransformerOptions& options, std::int64_t channels, std::int64_t length) {
  const LocalizationOptions& net = options.localization;
  const auto dimension = static_cast<double>(options.zero_boundary ? options.cells - 1 : options.cells + 1);
  const Blocks blocks = blocks_of(net, channels, length);
  const auto hidden = static_cast<double>(net.hidden);
  const double head =
      hidden * (blocks.channels * static_cast<double>(blocks.positions) + dimension * static_cast<double>(net.classes));
  const auto nets = static_cast<double>(options.shared_layers ? 1 : options.layers);
  return nets * (blocks.weights + head) + static_cast<double>(options.cells + 1) * dimension;
}

}  // namespace diffeo
