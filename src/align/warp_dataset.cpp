#include "align/warp_dataset.hpp"

#include <array>
#include <string>
#include <vector>

#include "diffeo/threads.hpp"
#include "diffeo/warp.hpp"

namespace diffeo {
namespace {

constexpr double kNanosecondsPerWarpedValue = 10.0;

}  // namespace

Dataset warp_dataset(const Dataset& series, Rows<const double> velocities, std::size_t length, std::size_t threads) {
  const std::size_t size = series.channels() * length;
  std::vector<double> warped(series.cases() * size);
  const std::array time{1.0};
  const double nanoseconds = kNanosecondsPerWarpedValue * static_cast<double>(warped.size());
  for_each_item(useful_threads(threads, series.cases(), nanoseconds), series.cases(),
                [&](std::size_t, std::size_t item) {
                  const SeriesView<const double> own = series.series(item);
                  warp<double>({.series = {own.data, 1, own.channels, own.length},
                                .velocities = Rows<const double>(velocities.row(item)),
                                .times = time},
                               {warped.data() + item * size, 1, own.channels, length}, 1);
                });
  Dataset result(Series<const double>(warped.data(), series.cases(), series.channels(), length));
  if (series.labeled()) {
    result.set_labels({series.labels().begin(), series.labels().end()}, series.class_names());
  }
  return result;
}

}  // namespace diffeo
