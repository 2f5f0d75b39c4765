#include "data/series_array.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "diffeo/file_error.hpp"

namespace diffeo::files {

SeriesArray::SeriesArray(ByteSource& source) : source_(source), header_(read_npy_header(source)) {
  const std::vector<std::size_t>& shape = header_.shape;
  if ((shape.size() != 2 && shape.size() != 3) || header_.elements() == 0) {
    throw FileError(
        {source.name()},
        "expected shape (cases, time) or (cases, channels, time), at least one of each, got " + shape_text(shape));
  }
}

std::size_t SeriesArray::cases_of(const PartSize& size) const noexcept {
  const std::size_t each = channels() * time();
  const std::size_t fitting = size.values / each + (size.values % each == 0 ? 0 : 1);
  return std::min({cases() - position_, size.cases, fitting});
}

std::vector<double> SeriesArray::read(std::size_t cases) {
  const std::size_t size = channels() * time();
  const std::size_t first = position_ * size;
  position_ += cases;
  if (!header_.fortran_order) return read_npy_numbers(source_, header_, cases * size);
  if (whole_.empty()) whole_ = read_npy_numbers(source_, header_);
  if (cases * size == whole_.size()) return std::move(whole_);
  return {whole_.begin() + static_cast<std::ptrdiff_t>(first),
          whole_.begin() + static_cast<std::ptrdiff_t>(first + cases * size)};
}

void write_series_array_header(ByteSink& sink, const SeriesOutline& outline) {
  write_npy_header(sink, "<f8", {outline.cases, outline.channels, outline.longest});
}

void write_series(ByteSink& sink, SeriesView<const double> series, std::size_t longest) {
  std::string bytes;
  const auto append = [&](double value) { append_little_endian(bytes, std::bit_cast<std::uint64_t>(value)); };
  for (std::size_t channel = 0; channel < series.channels; ++channel) {
    for (const double value : series.channel(channel)) append(value);
    for (std::size_t time = series.length; time < longest; ++time) append(std::numeric_limits<double>::quiet_NaN());
  }
  sink.write(bytes);
}

}  // namespace diffeo::files
