#include "data/series_array.hpp"

#include <bit>
#include <limits>

#include "data/npy_array.hpp"
#include "diffeo/file_error.hpp"

namespace diffeo::files {

SeriesArray read_series_array(ByteSource& source) {
  const NpyHeader header = read_npy_header(source);
  const std::vector<std::size_t>& shape = header.shape;
  if ((shape.size() != 2 && shape.size() != 3) || header.elements() == 0) {
    throw FileError(
        {source.name()},
        "expected shape (cases, time) or (cases, channels, time), at least one of each, got " + shape_text(shape));
  }
  return {shape.front(), shape.size() == 3 ? shape[1] : 1, shape.back(), read_npy_numbers(source, header)};
}

void write_series_array(ByteSink& sink, const Dataset& set) {
  const std::size_t longest = set.longest();
  write_npy_header(sink, "<f8", {set.cases(), set.channels(), longest});
  std::string bytes;
  const auto append = [&](double value) { append_little_endian(bytes, std::bit_cast<std::uint64_t>(value)); };
  for (std::size_t item = 0; item < set.cases(); ++item) {
    const SeriesView<const double> series = set.series(item);
    for (std::size_t channel = 0; channel < series.channels; ++channel) {
      bytes.clear();
      for (const double value : series.channel(channel)) append(value);
      for (std::size_t time = series.length; time < longest; ++time) append(std::numeric_limits<double>::quiet_NaN());
      sink.write(bytes);
    }
  }
}

}  // namespace diffeo::files
