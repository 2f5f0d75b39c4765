// A file of series that goes through a model a part at a time: what transform and classify have in common.
//
//   BulkMeter meter("transform", reporting, jobs);
//   SeriesReader reader(path, meter.reading(path, format));
//   meter.listen();
//   meter.begin(meter.outline(reader));
//   ordered_work<Dataset, Dataset>(jobs,
//       [&] { meter.require_going_on(); return reader.next(); },
//       [&](Dataset part) { return aligner.transform(part); },
//       [&](Dataset result) { writer.write(result); meter.add(result.cases(), result.values().size()); });
//
//   * the parts do not depend on the number of jobs, and every job works with one thread: the results are the same bits
//     for any number
//   * interrupted, or after an error, nothing is left behind: outputs take their name when they are complete
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>

#include "cli/interruption.hpp"
#include "cli/progress_line.hpp"
#include "cli/reporting.hpp"
#include "cli/series_arguments.hpp"
#include "diffeo/dataset.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/series_stream.hpp"

namespace diffeo::cli {

/// A part of a file, and how many cases come before it.
struct SeriesPart {
  Dataset series;
  std::size_t first = 0;
};

/// What is wrong with a case of a part, said of the file: errors of the library count cases inside the part.
template <class Work>
auto with_place(const std::string& file, std::size_t first, const Work& work) {
  try {
    return work();
  } catch (const std::invalid_argument& problem) {
    const std::string before = first == 0 ? "" : message("after ", first, " cases, ");
    throw FileError({shown_input_name(file)}, before + problem.what());
  }
}

struct BulkOptions {
  std::size_t jobs = 0;  ///< 0 means all cores

  [[nodiscard]] std::size_t threads() const;
};

/// `options` must outlive the parsing.
void add_bulk_options(CLI::App& verb, BulkOptions& options);

/// How much went through, and how fast.
struct Throughput {
  std::size_t cases = 0;
  std::uint64_t values = 0;
  double seconds = 0.0;
  std::size_t jobs = 1;

  [[nodiscard]] double per_second() const { return static_cast<double>(values) / seconds; }
  /// By the cores that were at work: jobs, but no more than there are.
  [[nodiscard]] double per_core() const;
  /// "10 million values in 8.1 s: 1.23 million values/s, 617 thousand values/s per core"
  [[nodiscard]] std::string text() const;
};

/// Watches over the work: says how far it is, and whether it shall go on.
class BulkMeter {
 public:
  /// Time counts from here on.
  BulkMeter(std::string verb, const Reporting& reporting, std::size_t jobs);

  /// From here on signals are only noted. Not before the files are open: a pipe opens when somebody writes to it, and
  /// who gives up waiting for that ends the program at once.
  void listen();
  /// The work begins. `expected` is what is known of the series, for the time that is left; without cases where nothing
  /// is.
  void begin(const SeriesOutline& expected);

  /// How to read a file so that whoever waits for it can stop.
  [[nodiscard]] ReadOptions reading(const std::string& path, const StreamFormat& format);
  /// Of a file that is read through before the work begins, which is shown.
  [[nodiscard]] SeriesOutline outline(SeriesReader& reader);
  /// std::runtime_error where somebody asked to stop; so do the functions above, as they read.
  void require_going_on() const;

  /// Values that went in, of cases that are done.
  void add(std::size_t cases, std::uint64_t values);
  [[nodiscard]] Throughput throughput() const;

 private:
  using Clock = std::chrono::steady_clock;

  void require_not_interrupted() const;

  std::string verb_;
  std::optional<Interruption> interruption_;
  Clock::time_point start_ = Clock::now();
  mutable std::mutex using_;  // of everything below: one thread may read while another writes
  ProgressLine line_;
  std::optional<Clock::time_point> begin_;
  std::size_t expected_cases_ = 0;
  std::uint64_t expected_values_ = 0;
  Throughput done_;
};

}  // namespace diffeo::cli
