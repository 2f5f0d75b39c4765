#include "cli/bulk_work.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "cli/series_arguments.hpp"
#include "diffeo/error.hpp"
#include "diffeo/threads.hpp"

namespace diffeo::cli {
namespace {

/// In seconds; more than nothing, so that it can be divided by.
double time_since(std::chrono::steady_clock::time_point start) {
  return std::max(1e-9, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

}  // namespace

std::size_t BulkOptions::threads() const { return jobs == 0 ? available_threads() : jobs; }

void add_bulk_options(CLI::App& verb, BulkOptions& options) {
  verb.add_option("--jobs", options.jobs, "Parts of the file worked on at a time, a core each; 0 means all cores")
      ->check(CLI::Range(0, 1024).description(""))
      ->type_name("N")
      ->capture_default_str();
}

double Throughput::per_core() const {
  return per_second() / static_cast<double>(std::min(jobs, std::max<std::size_t>(1, available_threads())));
}

std::string Throughput::text() const {
  return message(amount_text(static_cast<double>(values)), values == 1 ? " value" : " values", " in ",
                 amount_text(seconds), " s: ", amount_text(per_second()), " values/s, ", amount_text(per_core()),
                 " values/s per core");
}

BulkMeter::BulkMeter(std::string verb, const Reporting& reporting, std::size_t jobs)
    : verb_(std::move(verb)), line_(reporting.quiet) {
  done_.jobs = jobs;
}

void BulkMeter::listen() { interruption_.emplace(); }

void BulkMeter::begin(const SeriesOutline& expected) {
  const std::lock_guard lock(using_);
  expected_cases_ = expected.cases;
  expected_values_ = expected.values;
  begin_ = Clock::now();
}

void BulkMeter::require_going_on() const {
  const std::lock_guard lock(using_);
  require_not_interrupted();
}

ReadOptions BulkMeter::reading(const std::string& path, const StreamFormat& format) {
  ReadOptions options = format.reading(path);
  options.waiting = [this] {
    const std::lock_guard lock(using_);
    require_not_interrupted();
    if (!begin_) line_.show("reading");
  };
  return options;
}

SeriesOutline BulkMeter::outline(SeriesReader& reader) {
  return reader.outline([this](const SeriesOutline& so_far) {
    const std::lock_guard lock(using_);
    require_not_interrupted();
    line_.show("reading: " + counted(so_far.cases, "case", "cases"));
  });
}

void BulkMeter::add(std::size_t cases, std::uint64_t values) {
  const std::lock_guard lock(using_);
  done_.cases += cases;
  done_.values += values;
  // What was read before the work began says nothing about the time it takes.
  const double rate = static_cast<double>(done_.values) / time_since(begin_.value_or(start_));
  std::string text = counted(done_.cases, "case", "cases");
  std::optional<double> part;
  if (expected_cases_ > 0) text = message(done_.cases, " of ", counted(expected_cases_, "case", "cases"));
  text += ", " + amount_text(rate) + " values/s";
  if (expected_values_ > 0) {
    part = static_cast<double>(done_.values) / static_cast<double>(expected_values_);
    text += "; " + duration_text(static_cast<double>(expected_values_ - done_.values) / rate) + " left";
  }
  line_.show(text, part);
}

Throughput BulkMeter::throughput() const {
  const std::lock_guard lock(using_);
  Throughput result = done_;
  result.seconds = time_since(start_);
  return result;
}

void BulkMeter::require_not_interrupted() const {
  if (interruption_ && interruption_->requested()) {
    throw std::runtime_error(
        message(verb_, ": interrupted after ", counted(done_.cases, "case", "cases"), "; no file was changed"));
  }
}

}  // namespace diffeo::cli
