// The forms of diffeo/files.hpp, a source each: how cases are read from them (data/case_source.hpp) and written
// (data/case_sink.hpp). Readers throw FileError; writers refuse what the form cannot hold and leave opening and
// committing to the caller.
#pragma once

#include <memory>

#include "data/case_sink.hpp"
#include "data/case_source.hpp"
#include "data/input_file.hpp"
#include "data/output_file.hpp"
#include "diffeo/files.hpp"
#include "diffeo/series_stream.hpp"

namespace diffeo::files {

/// The options are looked at by .csv and .tsv alone.
[[nodiscard]] std::unique_ptr<CaseSource> tsv_source(InputFile file, const ReadOptions& options);
[[nodiscard]] std::unique_ptr<CaseSource> csv_source(InputFile file, const ReadOptions& options);
[[nodiscard]] std::unique_ptr<CaseSource> ts_source(InputFile file, const ReadOptions& options);
[[nodiscard]] std::unique_ptr<CaseSource> arff_source(InputFile file, const ReadOptions& options);
[[nodiscard]] std::unique_ptr<CaseSource> npy_source(InputFile file, const ReadOptions& options);
[[nodiscard]] std::unique_ptr<CaseSource> npz_source(InputFile file, const ReadOptions& options);

/// Both arguments must outlive the sink.
[[nodiscard]] std::unique_ptr<CaseSink> tsv_sink(OutputFile& file, const SeriesOutline& outline);
[[nodiscard]] std::unique_ptr<CaseSink> csv_sink(OutputFile& file, const SeriesOutline& outline);
[[nodiscard]] std::unique_ptr<CaseSink> ts_sink(OutputFile& file, const SeriesOutline& outline);
[[nodiscard]] std::unique_ptr<CaseSink> arff_sink(OutputFile& file, const SeriesOutline& outline);
[[nodiscard]] std::unique_ptr<CaseSink> npy_sink(OutputFile& file, const SeriesOutline& outline);
[[nodiscard]] std::unique_ptr<CaseSink> npz_sink(OutputFile& file, const SeriesOutline& outline);

}  // namespace diffeo::files
