// .npy: the values alone, (cases, time) or (cases, channels, time).
#include "data/formats.hpp"
#include "data/series_array.hpp"
#include "diffeo/error.hpp"

namespace diffeo::files {
namespace {

class NpyCases final : public CaseSource {
 public:
  explicit NpyCases(InputFile file)
      : file_(at_any_place(std::move(file))), bytes_(file_, file_.size()), array_(bytes_) {}

  [[nodiscard]] Dataset all() override { return part(array_.cases() - array_.position()); }
  [[nodiscard]] std::optional<Dataset> next(const PartSize& size) override {
    const std::size_t cases = array_.cases_of(size);
    return cases == 0 ? std::nullopt : std::optional<Dataset>(part(cases));
  }

 private:
  [[nodiscard]] Dataset part(std::size_t cases) {
    return Dataset(array_.channels(), array_.read(cases), std::vector<std::size_t>(cases, array_.time()));
  }

  InputFile file_;
  FileBytes bytes_;
  SeriesArray array_;
};

class NpySink final : public CaseSink {
 public:
  NpySink(OutputFile& file, const SeriesOutline& outline) : CaseSink(file, outline), sink_(file) {}

 private:
  void begin() override {
    require_size_known(file_, outline_);
    require_equally_long(file_, outline_);
    require_held(!outline_.labeled, file_, "expected series without labels, which .npy has no place for, got labels",
                 ".npz");
    write_series_array_header(sink_, outline_);
  }

  void write_case(const Dataset& part, std::size_t item, std::size_t) override {
    write_series(sink_, part.series(item), outline_.longest);
  }

  FileSink sink_;
};

}  // namespace

std::unique_ptr<CaseSource> npy_source(InputFile file, const ReadOptions&) {
  return std::make_unique<NpyCases>(std::move(file));
}

std::unique_ptr<CaseSink> npy_sink(OutputFile& file, const SeriesOutline& outline) {
  return std::make_unique<NpySink>(file, outline);
}

}  // namespace diffeo::files
