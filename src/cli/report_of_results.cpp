#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

#include "cli/report_inputs.hpp"
#include "cli/results_inputs.hpp"
#include "cli/setting_words.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/result_store.hpp"
#include "diffeo/results_summary.hpp"

namespace diffeo::cli {
namespace {

ResultsSummary summary_of(const std::string& directory) {
  const std::vector<EvaluationResult> results = read_results(directory);
  try {
    return summarise_results(results);
  } catch (const std::invalid_argument& problem) {
    throw FileError({directory}, problem.what());
  }
}

void add_table(ResultsReport& report, const std::string& file) {
  const DatasetTable table = read_dataset_table(file);
  report.published = PublishedTable{"Published values are from " + file + ".", table.methods, {}};
  for (const std::string& dataset : report.scores.datasets) {
    const auto row = table.rows.find(dataset);
    if (row == table.rows.end()) throw FileError({file}, "expected a row for every data set, got none for " + dataset);
    report.properties.push_back(row->second.properties);
    report.published->values.push_back(row->second.published);
  }
}

std::string settings_text(const SummarisedMethod& method) {
  std::string text;
  for (const auto& [name, value] : method.options) text += (text.empty() ? "" : ", ") + name + " " + value;
  return text.empty() ? "no options" : text;
}

/// How much work a method was, and what measured it.
std::string work_text(const SummarisedMethod& method) {
  const auto count = static_cast<std::size_t>(method.seconds / 60.0 + 0.5);
  const std::string minutes =
      count == 0 ? "less than a minute of " : message(count, count == 1 ? " minute of " : " minutes of ");
  if (method.with_processor_time == method.results) return minutes + "processor time";
  if (method.with_processor_time == 0) return minutes + "work, on the clock";
  return message(minutes, "work: processor time of ", method.with_processor_time, " of ", method.results,
                 " results, of the others that on the clock");
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string four_digits(double accuracy) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.4f", accuracy);
  return text.data();
}

constexpr std::size_t kMostNamed = 20;  // of failures, and of settings that are not shown

void add_rest(ResultsReport& report, const char* name, std::size_t count) {
  if (count > kMostNamed) report.provenance.push_back({name, message("and ", count - kMostNamed, " more")});
}

void add_failures(ResultsReport& report, const std::vector<FailedWork>& failed) {
  for (std::size_t i = 0; i < std::min(failed.size(), kMostNamed); ++i) {
    report.provenance.push_back({"failed", message(failed[i].method, " on ", failed[i].dataset), failed[i].error});
  }
  add_rest(report, "failed", failed.size());
}

void add_other_settings(ResultsReport& report, const ResultsSummary& summary) {
  for (std::size_t i = 0; i < std::min(summary.other_settings.size(), kMostNamed); ++i) {
    const OtherSetting& each = summary.other_settings[i];
    const std::string words = setting_words(each.method, each.options);
    report.provenance.push_back(
        {"other setting", message(each.method, words.empty() ? "" : ", " + words),
         message("mean accuracy ", four_digits(each.mean_accuracy), " on ", each.datasets,
                 each.datasets == 1 ? " data set" : " data sets", ", of ", each.results,
                 summary.are_cross_validated ? " cross-validation" : " test", each.results == 1 ? "" : "s")});
  }
  add_rest(report, "other setting", summary.other_settings.size());
}

void add_provenance(ResultsReport& report, const ResultsSummary& summary, const std::string& directory) {
  report.provenance.push_back({"results", directory});
  for (const SummarisedMethod& each : summary.methods) {
    report.provenance.push_back({each.name, settings_text(each), work_text(each)});
  }
  const auto add_left_out = [&](const std::vector<std::string>& names, const char* reason) {
    if (!names.empty()) report.provenance.push_back({"left out", joined(names), reason});
  };
  add_left_out(summary.left_out, "some method has no result there");
  add_left_out(summary.methods_left_out, "tried on less than half of the data sets");
  add_left_out(summary.fewer_seeds, "fewer seeds there than on other data sets");
  add_failures(report, summary.failed);
  add_other_settings(report, summary);
}

/// What the methods are, for who has not started the experiment.
std::string settings_sentences(const ResultsSummary& summary) {
  std::string text;
  for (const SummarisedMethod& each : summary.methods) {
    const std::string words = setting_words(each.name, each.options);
    if (!words.empty()) text += message(text.empty() ? "" : "; ", each.name, " is ", words);
  }
  return text.empty() ? "" : "On this page " + text + ".";
}

/// DIR/introduction.txt, then what can be told without it.
std::string introduction_of(const std::string& directory, const ResultsSummary& summary) {
  const std::string remark = read_remark(directory, "introduction.txt");
  const std::string settings = settings_sentences(summary);
  return remark + (remark.empty() || settings.empty() ? "" : " ") + settings;
}

/// The table that was asked for, else that of the folder.
std::string table_of(const std::string& directory, const std::string& asked) {
  if (!asked.empty()) return asked;
  const std::filesystem::path own = std::filesystem::path(directory) / "published.csv";
  return std::filesystem::exists(own) ? own.string() : "";
}

/// Gains are told from Euclidean means, unless these are what is in question.
std::size_t baseline_of(const ScoreTable& scores) {
  const auto euclidean = std::ranges::find(scores.methods, "euclidean");
  const auto number = static_cast<std::size_t>(euclidean - scores.methods.begin());
  return number > 0 && number < scores.methods.size() ? number : 1;
}

}  // namespace

ResultsReport report_of_results(const std::string& directory, const std::string& table) {
  const ResultsSummary summary = summary_of(directory);
  ResultsReport report;
  report.scores = summary.scores;
  report.scores_are_cross_validated = summary.are_cross_validated;
  report.baseline = baseline_of(report.scores);
  for (const SummarisedMethod& each : summary.methods) report.seeds.push_back(each.seeds);
  report.spreads = summary.spreads;
  report.cross_validated = summary.cross_validated;
  report.trained = summary.trained;
  for (const SummarisedVariance& each : summary.variances) {
    report.variances.push_back({each.dataset, each.before, each.after});
  }
  if (const std::string file = table_of(directory, table); !file.empty()) add_table(report, file);
  if (report.scores_are_cross_validated) report.published.reset();  // those are of test sets
  report.pictures = read_pictures(directory, report.scores.datasets, summary.methods.front().options);
  report.grid = read_grid(directory);
  report.ablation = read_ablation(directory);
  report.introduction = introduction_of(directory, summary);
  report.loss_note = read_remark(directory, "losses.txt");
  add_provenance(report, summary, directory);
  return report;
}

}  // namespace diffeo::cli
