#include "diffeo/files.hpp"

#include <array>
#include <string_view>

#include "data/formats.hpp"
#include "data/text_source.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"

namespace diffeo {
namespace files {

void require_held(bool condition, const OutputFile& file, const std::string& problem, const std::string& others) {
  if (!condition) throw FileError({file.name()}, problem + "; write " + others + " instead");
}

void require_one_channel(const OutputFile& file, const Dataset& set) {
  require_held(set.channels() == 1, file,
               "expected one channel, got " + std::to_string(set.channels()) + ", which this form cannot hold",
               ".ts or .npz");
}

void require_labels_not_empty(const OutputFile& file, const Dataset& set) {
  for (std::size_t item = 0; item < set.labels().size(); ++item) {
    require_held(!set.label(item).empty(), file,
                 "expected labels that are not empty, got an empty one for case " + std::to_string(item), ".npz");
  }
}

std::string problem_name(const OutputFile& file) {
  std::string name = std::filesystem::path(file.name()).stem().string();
  for (char& letter : name) {
    if (static_cast<unsigned char>(letter) <= ' ') letter = '_';
  }
  return name.empty() ? "series" : name;
}

namespace {

using Path = std::filesystem::path;

struct Format {
  std::string_view extension;
  Dataset (*read)(const Path& path);
  void (*write)(OutputFile& file, const Dataset& set);
};

Dataset read_usual_csv(const Path& path) { return read_csv(path, UsualLabelColumn{}); }

constexpr std::array<Format, 6> kFormats = {{{".tsv", read_tsv, write_tsv},
                                             {".csv", read_usual_csv, write_csv},
                                             {".ts", read_ts, write_ts},
                                             {".arff", read_arff, write_arff},
                                             {".npy", read_npy, write_npy},
                                             {".npz", read_npz, write_npz}}};

const Format& format_of(const Path& path) {
  const std::string extension = path.extension().string();
  std::string known;
  for (const Format& format : kFormats) {
    if (lowered(extension) == format.extension) return format;
    known += (known.empty() ? "" : ", ") + std::string(format.extension);
  }
  throw FileError({path.string()}, "expected one of the extensions " + known + ", got " + in_quotes(extension));
}

}  // namespace
}  // namespace files

Dataset read_dataset(const std::filesystem::path& path, const ReadOptions& options) {
  const files::Format& format = files::format_of(path);
  if (std::holds_alternative<UsualLabelColumn>(options.label)) return format.read(path);
  require(format.extension == ".csv", "label: expected none for ", format.extension,
          ", where the form says it; got one");
  return files::read_csv(path, options.label);
}

void write_dataset(const std::filesystem::path& path, const Dataset& set) {
  const files::Format& format = files::format_of(path);
  require(!set.empty(), "set: expected at least one case, got none");
  files::OutputFile file(path);
  format.write(file, set);
  file.commit();
}

}  // namespace diffeo
