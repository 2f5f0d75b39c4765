// .npy: the values alone, (cases, time) or (cases, channels, time).
#include "data/formats.hpp"
#include "data/npy_array.hpp"
#include "data/series_array.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"

namespace diffeo::files {

Dataset read_npy(const std::filesystem::path& path) {
  InputFile file(path);
  FileBytes bytes(file, file.size());
  SeriesArray array = read_series_array(bytes);
  const std::vector<std::size_t> lengths(array.cases, array.time);
  return Dataset(array.channels, std::move(array.values), lengths);
}

void write_npy(OutputFile& file, const Dataset& set) {
  require_held(set.equally_long(), file,
               message("expected series of one length, got ", set.shortest(), " to ", set.longest()), ".ts or .npz");
  require_held(!set.labelled(), file, "expected series without labels, which .npy has no place for, got labels",
               ".npz");
  FileSink sink(file);
  write_series_array(sink, set);
}

}  // namespace diffeo::files
