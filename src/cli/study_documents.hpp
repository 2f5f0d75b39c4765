// What `diffeo study` found: as JSON for machines and files, as a table for people.
//
//   * errors and times are fields of their own, and only there where they were measured: errors depend on the setting,
//     times on the machine
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/timing_sweep.hpp"
#include "diffeo/studies/precision_study.hpp"
#include "diffeo/studies/squaring_study.hpp"

namespace diffeo::cli {

struct PrecisionFindings {
  PrecisionOptions options;
  std::optional<PrecisionErrors> errors;
  std::optional<std::vector<SchemeTime>> times;
};

struct SquaringFindings {
  SquaringOptions options;
  std::optional<SquaringErrors> errors;
  std::optional<std::vector<std::vector<SquaringTime>>> times;
};

struct TimingFindings {
  std::vector<SweepTime> times;
  std::size_t threads = 1;
};

[[nodiscard]] nlohmann::ordered_json document_of(const PrecisionFindings& findings);
[[nodiscard]] nlohmann::ordered_json document_of(const SquaringFindings& findings);
[[nodiscard]] nlohmann::ordered_json document_of(const TimingFindings& findings);

[[nodiscard]] std::string table_of(const PrecisionFindings& findings);
[[nodiscard]] std::string table_of(const SquaringFindings& findings);
[[nodiscard]] std::string table_of(const TimingFindings& findings);

/// How every file of a study begins.
inline constexpr std::string_view kStudyFileBeginning = "{\n  \"study\": ";
/// A line for every entry of the document.
[[nodiscard]] std::string study_file_text(const nlohmann::ordered_json& document);

}  // namespace diffeo::cli
