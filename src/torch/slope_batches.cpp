#include "slope_batches.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "diffeo/torch/network_input.hpp"

namespace diffeo {
namespace {

/// Calls use(case, view) for every series, without its padding.
template <class Use>
void for_each_series(const at::Tensor& series, const Use& use) {
  const at::Tensor values = series.detach().to(at::kDouble).contiguous();
  const at::Tensor lengths = lengths_without_padding(values).to(at::kLong).contiguous();
  const auto channels = static_cast<std::size_t>(values.size(1));
  const auto time = static_cast<std::size_t>(values.size(2));
  std::vector<double> own;
  for (std::int64_t item = 0; item < values.size(0); ++item) {
    const double* first = values.const_data_ptr<double>() + item * values.stride(0);
    const auto length =
        static_cast<std::size_t>(std::max<std::int64_t>(1, lengths.const_data_ptr<std::int64_t>()[item]));
    own.clear();
    for (std::size_t channel = 0; channel < channels; ++channel) {
      own.insert(own.end(), first + channel * time, first + channel * time + length);
    }
    use(item, SeriesView<const double>{own.data(), channels, length});
  }
}

}  // namespace

void add_batch(const at::Tensor& series, SlopeSums& sums) {
  for_each_series(series, [&](std::int64_t, SeriesView<const double> own) { sums.add(own); });
}

at::Tensor slope_batch(const at::Tensor& series, const SlopeScale& scale, std::int64_t length) {
  const at::Tensor result = at::empty({series.size(0), series.size(1), length}, at::kDouble);
  for_each_series(series, [&](std::int64_t item, SeriesView<const double> own) {
    std::ranges::copy(scaled_root_slopes(own, scale, static_cast<std::size_t>(length)),
                      result.mutable_data_ptr<double>() + item * result.stride(0));
  });
  return result.to(series.scalar_type());
}

}  // namespace diffeo
