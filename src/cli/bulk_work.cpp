#include "cli/bulk_work.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "cli/series_arguments.hpp"
#include "diffeo/error.hpp"
#include "diffeo/threads.hpp"

namespace diffeo::cli {

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

BulkMeter::BulkMeter(std::string verb, const Reporting& reporting, const SeriesOutline& expected, std::size_t jobs)
    : verb_(std::move(verb)),
      expected_cases_(expected.cases),
      expected_values_(expected.values),
      line_(reporting.quiet) {
  done_.jobs = jobs;
}

void BulkMeter::require_going_on() const {
  if (interruption_.requested()) {
    throw std::runtime_error(
        message(verb_, ": interrupted after ", counted(done_.cases, "case", "cases"), "; no file was changed"));
  }
}

void BulkMeter::add(std::size_t cases, std::uint64_t values) {
  done_.cases += cases;
  done_.values += values;
  const Throughput now = throughput();
  std::string text = counted(done_.cases, "case", "cases");
  std::optional<double> part;
  if (expected_cases_ > 0) text = message(done_.cases, " of ", counted(expected_cases_, "case", "cases"));
  text += ", " + amount_text(now.per_second()) + " values/s";
  if (expected_values_ > 0) {
    part = static_cast<double>(done_.values) / static_cast<double>(expected_values_);
    text += "; " + duration_text(static_cast<double>(expected_values_ - done_.values) / now.per_second()) + " left";
  }
  line_.show(text, part);
}

Throughput BulkMeter::throughput() const {
  Throughput result = done_;
  result.seconds = std::max(1e-9, std::chrono::duration<double>(Clock::now() - start_).count());
  return result;
}

}  // namespace diffeo::cli
