// fit, transform and classify: one after the other, as people use them.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "diffeo/error.hpp"
#include "diffeo/files.hpp"
#include "diffeo/generate.hpp"
#include "diffeo/nearest_centroid.hpp"
#include "diffeo/torch/temporal_aligner.hpp"
#include "expectations.hpp"
#include "interrupting.hpp"
#include "piped_input.hpp"
#include "run_with.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo::cli {
namespace fit_test {

constexpr std::size_t kLength = 32;

/// A network that trains in no time.
const std::vector<std::string> kSmall = {"--epochs",  "3",        "--least-steps", "0",           "--members",
                                         "1",         "--widths", "8,8",           "--kernels",   "5,3",
                                         "--threads", "1",        "--quiet",       "--shrinkage", "1"};

std::vector<std::string> joined(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string bytes_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class Fit : public ::testing::Test {
 protected:
  Fit() {
    write_dataset(training(), generate_cbf(12, 1, kLength));
    write_dataset(test(), generate_cbf(9, 2, kLength));
  }
  [[nodiscard]] std::string file(const std::string& name) const { return directory_.file(name); }
  [[nodiscard]] std::size_t files_there() const { return directory_.files(); }
  [[nodiscard]] std::string training() const { return file("train.tsv"); }
  [[nodiscard]] std::string test() const { return file("test.tsv"); }
  [[nodiscard]] std::string model() const { return file("cbf.model"); }

  Outcome fit(const std::vector<std::string>& more = {"--seed", "5"}) const {
    return run_with(joined(joined({"fit", training(), "-o", model()}, kSmall), more));
  }
  void make_archive() const {
    std::filesystem::create_directories(file("archive/Cbf"));
    std::filesystem::copy_file(training(), file("archive/Cbf/Cbf_TRAIN.tsv"));
    std::filesystem::copy_file(test(), file("archive/Cbf/Cbf_TEST.tsv"));
  }
  void expect_fit_refused(int exit_code, const std::vector<std::string>& more, const std::string& part) const {
    expect_refusal(exit_code, joined(joined({"fit", training(), "-o", model()}, kSmall), more), part);
  }

 private:
  diffeo::testing::TemporaryDirectory directory_;
};

TEST_F(Fit, WritesTheModelThatTheLibraryTrains) {
  const Outcome outcome = fit();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  EXPECT_TRUE(outcome.output.starts_with(model() + ": 12 cases, 3 classes, 1 member, 3 epochs, shrinkage 1, training "))
      << outcome.output;
  EXPECT_FALSE(std::filesystem::exists(model() + ".checkpoint"));

  const TemporalAligner loaded = TemporalAligner::load(model());
  EXPECT_EQ(loaded.seed(), 5u);
  EXPECT_EQ(loaded.options().widths, (std::vector<std::int64_t>{8, 8}));
  TemporalAligner own(loaded.options(), 5);
  FitControl one_thread;
  one_thread.threads = 1;
  own.fit(read_dataset(training()), one_thread);
  own.save(file("own.model"));
  EXPECT_EQ(bytes_of(model()), bytes_of(file("own.model")));
}

TEST_F(Fit, SaysTheSeedItDrew) {
  const auto document = nlohmann::json::parse(fit({"--json"}).output);
  EXPECT_EQ(TemporalAligner::load(model()).seed(), document["seed"].get<std::uint64_t>());
  EXPECT_EQ(document["cases"], 12);
  EXPECT_GE(document["train_accuracy"].get<double>(), 1.0 / 3.0);
}

TEST_F(Fit, OptionsOverrideThePresetWhereverTheyStand) {
  ASSERT_EQ(fit({"--preset", "dtan", "--seed", "1"}).exit_code, 0);
  const TrainingOptions options = TemporalAligner::load(model()).options();
  EXPECT_EQ(options.epochs, 3);
  EXPECT_EQ(options.learning_rate, preset("dtan").learning_rate);
  EXPECT_EQ(options.composition, preset("dtan").composition);
}

TEST_F(Fit, LosesNothingThatWasThere) {
  ASSERT_EQ(fit().exit_code, 0);
  const std::string before = bytes_of(model());
  expect_fit_refused(1, {"--seed", "6"}, "cbf.model exists; --force replaces it");
  EXPECT_EQ(bytes_of(model()), before);
  EXPECT_EQ(fit({"--seed", "6", "--force"}).exit_code, 0);
  EXPECT_NE(bytes_of(model()), before);
  std::filesystem::remove(model());
  std::filesystem::create_directories(model() + ".checkpoint");
  expect_fit_refused(1, {}, "holds a fit that was not finished; go on with --resume, or begin again with --force");
}

TEST_F(Fit, ThatIsFinishedIsLeftAloneWhereItIsToGoOn) {
  const auto resume = [&](const std::vector<std::string>& more) {
    return run_with(
        joined({"fit", training(), "-o", model(), "--epochs", "1", "--least-steps", "0", "--resume"}, more));
  };
  ASSERT_EQ(fit({"--seed", "5", "--resume"}).exit_code, 0);  // nothing is there: it begins
  const std::string before = bytes_of(model());
  const Outcome again = resume({});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.output, "");
  EXPECT_EQ(again.errors, model() + " is finished; there is nothing to resume\n");
  EXPECT_EQ(resume({"--quiet"}).errors, "");
  EXPECT_EQ(bytes_of(model()), before);
  EXPECT_EQ(files_there(), 3u);
  EXPECT_EQ(fit({"--seed", "6", "--resume", "--force"}).exit_code, 0);
  EXPECT_NE(bytes_of(model()), before);
}

TEST_F(Fit, DoesNotTakeAnotherFileForAFinishedModel) {
  std::ofstream(model()) << "precious";
  expect_fit_refused(1, {"--resume"}, "cbf.model exists; --force replaces it");
  EXPECT_EQ(bytes_of(model()), "precious");
}

TEST_F(Fit, SavesAConfigurationOfAFitThatWasDone) {
  const std::vector<std::string> saving = {"--seed", "5", "--save-config", file("fit.toml")};
  ASSERT_EQ(fit(joined(saving, {"--dry-run"})).exit_code, 0);
  std::ofstream(file("short.tsv")) << "a\t1\t2\t3\nb\t3\t2\t1\n";
  expect_refusal(1, joined({"fit", file("short.tsv"), "-o", model()}, joined(kSmall, saving)), "short.tsv: ");
  EXPECT_EQ(files_there(), 3u);  // the series
  ASSERT_EQ(fit(saving).exit_code, 0);
  EXPECT_NE(bytes_of(file("fit.toml")).find("\nseed = 5\n"), std::string::npos);
  expect_fit_refused(1, {"--force", "--save-config", test()}, "expected a new file or a configuration");
}

TEST_F(Fit, TidiesUpWhatAKilledFitLeftButNothingElse) {
  const std::string checkpoint = model() + ".checkpoint";
  std::filesystem::create_directories(checkpoint);
  std::ofstream(checkpoint + "/member-0.safetensors.partial-0") << "half a file";
  ASSERT_EQ(fit({"--seed", "5", "--resume"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(checkpoint));

  std::filesystem::create_directories(checkpoint);
  std::ofstream(checkpoint + "/member-list.txt") << "somebody's own";
  ASSERT_EQ(fit({"--seed", "5", "--resume"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(checkpoint + "/member-list.txt"));
  EXPECT_FALSE(std::filesystem::exists(checkpoint + "/member-0.safetensors"));
}

TEST_F(Fit, ThatIsRefusedIsNotInTheWayOfTheNext) {
  expect_fit_refused(2, {"--length", "3"}, "diffeo: fit: length: expected 0 or at least 8 time steps, got 3");
  EXPECT_EQ(files_there(), 2u);  // the series
  EXPECT_EQ(fit().exit_code, 0);
}

TEST_F(Fit, MistakesExitWithTwoAndFailuresWithOne) {
  expect_fit_refused(2, {"--preset", "papre"},
                     "diffeo: fit: preset: expected default, ensemble, paper, dtan or resnet-tw, got papre");
  expect_fit_refused(2, {"--cells", "0"}, "diffeo: fit: cells: expected ");
  expect_fit_refused(2, {"--zero-boundary", "yes"}, "diffeo: fit: zero_boundary: expected ");
  expect_refusal(2, {"fit", training()}, "diffeo: fit: --output is required");
  expect_refusal(1, {"fit", file("nowhere.tsv"), "-o", model(), "--quiet"}, "nowhere.tsv");
  EXPECT_FALSE(std::filesystem::exists(model()));
}

TEST_F(Fit, TransformWritesAlignedSeriesAndBringsThemBack) {
  ASSERT_EQ(fit().exit_code, 0);
  const std::string aligned = file("aligned.ts");
  const Outcome outcome = run_with({"transform", model(), test(), "-o", aligned});
  EXPECT_EQ(outcome.output, aligned + ": 9 cases of 1 channel and 32 time steps, aligned\n") << outcome.errors;
  const TemporalAligner loaded = TemporalAligner::load(model());
  const Dataset series = read_dataset(test());
  const Dataset expected = loaded.transform(series);
  EXPECT_TRUE(std::ranges::equal(read_dataset(aligned).values(), expected.values()));
  EXPECT_EQ(read_dataset(aligned).label(1), series.label(1));

  const std::string back = file("back.npz");
  const Outcome returned = run_with({"transform", model(), test(), "--inverse", aligned, "-o", back, "--json"});
  EXPECT_EQ(nlohmann::json::parse(returned.output)["inverse"], true) << returned.errors;
  EXPECT_TRUE(std::ranges::equal(read_dataset(back).values(), loaded.inverse_transform(expected, series).values()));
}

TEST_F(Fit, TransformRefusesWhatDoesNotFit) {
  ASSERT_EQ(fit().exit_code, 0);
  expect_refusal(1, {"transform", training(), test(), "-o", file("x.tsv")}, "train.tsv");  // no model
  expect_refusal(1, {"transform", file("nowhere"), test(), "-o", file("x.tsv")}, "nowhere");
  expect_refusal(1, {"transform", model(), test(), "--inverse", training(), "-o", file("x.tsv")},
                 "train.tsv: expected one series for each of the 9 of ");
  EXPECT_FALSE(std::filesystem::exists(file("x.tsv")));
}

TEST_F(Fit, NoVerbReplacesWhatItReads) {
  ASSERT_EQ(fit().exit_code, 0);
  const std::string before = bytes_of(training()) + bytes_of(test()) + bytes_of(model());
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"align", test(), "-o", test()},
                                             {"average", test(), "-o", test()},
                                             {"transform", model(), test(), "-o", test()},
                                             {"transform", model(), test(), "--inverse", training(), "-o", training()},
                                             {"classify", model(), test(), "-o", test()},
                                             {"report", model(), "--data", test(), "-o", model()},
                                             {"report", model(), "--data", test(), "-o", test()},
                                             {"fit", test(), "-o", test(), "--force"}}) {
    expect_refusal(1, command, "--output: expected another file than ");
  }
  EXPECT_EQ(bytes_of(training()) + bytes_of(test()) + bytes_of(model()), before);
}

TEST_F(Fit, StopsWaitingForAPipeWhenInterrupted) {
  using namespace std::chrono_literals;
  ASSERT_EQ(fit().exit_code, 0);
  const std::string series = bytes_of(test());
  for (const std::vector<std::string>& command : {std::vector<std::string>{"transform", "-o", file("x.tsv")},
                                                  {"transform", "-o", file("x.ts")},  // copied before the work
                                                  {"transform", "-o", "-"},
                                                  {"classify", "-o", file("x.tsv")},
                                                  {"classify"}}) {
    const PipedInput input(series.substr(0, series.size() - 3), 0ms, 20s);  // in the middle of a line
    const Interrupting interrupting;
    const std::vector<std::string> rest(command.begin() + 1, command.end());
    expect_refusal(1, joined({command.front(), model(), "-", "--quiet"}, rest),
                   command.front() + ": interrupted after 0 cases; no file was changed");
    EXPECT_FALSE(input.has_ended()) << command.front();
    EXPECT_EQ(files_there(), 3u) << command.front();  // training and test series, model
  }
}

TEST_F(Fit, CountsTheTimeInWhichTheInputWasRead) {
  using namespace std::chrono_literals;
  ASSERT_EQ(fit().exit_code, 0);
  const PipedInput input(bytes_of(test()), 800ms, 0ms);
  const Outcome outcome = run_with({"transform", model(), "-", "-o", file("x.ts"), "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  // The input's clock starts before the verb's, on a busy machine some tenths of a second before.
  EXPECT_GE(nlohmann::json::parse(outcome.output)["seconds"].get<double>(), 0.2);
}

TEST_F(Fit, ClassifyPrintsTheNearestCentroidsAndTheAccuracyBeside) {
  ASSERT_EQ(fit().exit_code, 0);
  const auto aligner = std::make_shared<TemporalAligner>(TemporalAligner::load(model()));
  const NearestCentroid classifier = NearestCentroid::from_centroids(aligner->comparison_centroids(), aligner);
  const Dataset series = read_dataset(test());
  std::string expected;
  for (const std::size_t number : classifier.predict(series)) expected += classifier.class_names()[number] + "\n";

  const Outcome outcome = run_with({"classify", model(), test()});
  EXPECT_EQ(outcome.output, expected);
  const Outcome to_file = run_with({"classify", model(), test(), "-o", file("labels.csv"), "--quiet"});
  EXPECT_EQ(to_file.errors, "");
  EXPECT_TRUE(to_file.output.starts_with("accuracy ") && to_file.output.ends_with(" of 9)\n")) << to_file.output;
  EXPECT_TRUE(outcome.errors.ends_with(to_file.output)) << outcome.errors;
  const Outcome quiet = run_with({"classify", model(), test(), "--quiet"});
  EXPECT_EQ(quiet.output, expected);
  EXPECT_EQ(quiet.errors, "");
  EXPECT_EQ(bytes_of(file("labels.csv")), "label\n" + expected);
  const auto document = nlohmann::json::parse(run_with({"classify", model(), test(), "--json"}).output);
  EXPECT_EQ(document["accuracy"].get<double>(), classifier.score(series));
  EXPECT_EQ(document["labels"].size(), 9u);
}

TEST_F(Fit, ClassifyHasNoAccuracyWithoutLabels) {
  ASSERT_EQ(fit().exit_code, 0);
  write_dataset(file("bare.npy"), Dataset(generate_cbf(3, 4, kLength).block()));
  const Outcome outcome = run_with({"classify", model(), file("bare.npy"), "--quiet"});
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 3);
  EXPECT_EQ(outcome.errors, "");
  const auto document = nlohmann::json::parse(run_with({"classify", model(), file("bare.npy"), "--json"}).output);
  EXPECT_TRUE(document["accuracy"].is_null());
}

TEST_F(Fit, ClassifyRefusesAModelWithoutClassesAndFormsItCannotWrite) {
  write_dataset(file("bare.npy"), Dataset(generate_cbf(6, 4, kLength).block()));
  const Outcome bare =
      run_with(joined({"fit", file("bare.npy"), "-o", model(), "--loss", "variance", "--seed", "1"}, kSmall));
  ASSERT_EQ(bare.exit_code, 0) << bare.errors;
  EXPECT_NE(bare.output.find("no labels"), std::string::npos) << bare.output;
  expect_refusal(1, {"classify", model(), test()}, "expected a model of labeled series, got one fitted without labels");
  expect_refusal(2, {"classify", model(), test(), "-o", "labels.npz"}, "expected a name that ends in .tsv or .csv");
}

TEST_F(Fit, ReportHasTheFiguresOfTheModel) {
  ASSERT_EQ(fit().exit_code, 0);
  const Outcome outcome = run_with({"report", model(), "--data", test(), "-o", file("page.html"), "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  const auto made = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(made["kind"], "model");
  const auto classified = nlohmann::json::parse(run_with({"classify", model(), test(), "--json"}).output);
  EXPECT_EQ(made["accuracy"], classified["accuracy"]);
  const std::string html = bytes_of(file("page.html"));
  EXPECT_NE(html.find("loss (weighted sum)"), std::string::npos);
  EXPECT_NE(html.find("cross-entropy"), std::string::npos);

  write_dataset(file("bare.npy"), Dataset(generate_cbf(6, 4, kLength).block()));
  ASSERT_EQ(run_with({"report", model(), "--data", file("bare.npy"), "-o", file("bare.html")}).exit_code, 0);
  EXPECT_NE(bytes_of(file("bare.html")).find("grouped by the predicted class"), std::string::npos);

  BumpsOptions two_channels;
  two_channels.channels = 2;
  write_dataset(file("two.ts"), generate_bumps(4, 1, two_channels).dataset);
  expect_refusal(1, {"report", model(), "--data", file("two.ts"), "-o", file("two.html")},
                 "diffeo: " + file("two.ts") + ": expected 1 channel as " + model() + " has, got 2");
}

TEST_F(Fit, ReportSaysHowManyEpochsWereMade) {
  const std::vector<std::string> brief = {"--widths",  "8,8", "--kernels", "5,3", "--members", "1",
                                          "--threads", "1",   "--seed",    "5",   "--quiet",   "--force"};
  const auto shown = [&](const std::vector<std::string>& more) {
    EXPECT_EQ(run_with(joined(joined({"fit", training(), "-o", model()}, brief), more)).exit_code, 0);
    EXPECT_EQ(run_with({"report", model(), "--data", test(), "-o", file("page.html")}).exit_code, 0);
    const std::string html = bytes_of(file("page.html"));
    const std::string before = "<th scope=\"row\">epochs</th><td>";
    const std::size_t start = html.find(before) + before.size();
    return html.substr(start, html.find("</td>", start) - start);
  };
  EXPECT_EQ(shown({"--epochs", "3", "--least-steps", "0"}), "3");
  const auto made = [&] {
    return nlohmann::json::parse(run_with({"info", model(), "--json"}).output)["last_epoch"]["epoch"].get<int>();
  };
  // Folds make fewer, which are not counted.
  const std::string more = shown({"--epochs", "3", "--least-steps", "30", "--shrinkage", "validated", "--folds", "2"});
  EXPECT_GT(made(), 3);
  EXPECT_EQ(more, message("3 (", made(), " made, least_steps 30)"));
  const std::string early = shown({"--epochs", "50", "--least-steps", "0", "--shrinkage", "1", "--validation", "0.5",
                                   "--patience", "1", "--learning-rate", "0.5"});
  EXPECT_LT(made(), 50);
  EXPECT_EQ(early, message("50 (", made(), " made, stopped early)"));
}

TEST_F(Fit, EvaluateTrainsNetworksAndRecordsTheirOptions) {
  make_archive();
  const Outcome outcome = run_with(joined({"evaluate", file("archive"), "--results", file("results"), "--methods",
                                           "diffeo", "--seeds", "0,5", "--jobs", "2"},
                                          kSmall));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  std::ifstream lines(file("results/results.jsonl"));
  std::vector<nlohmann::json> results;
  for (std::string line; std::getline(lines, line);) results.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0]["options"]["widths"], "8,8");
  EXPECT_EQ(results[0]["threads"], 1);

  ASSERT_EQ(fit().exit_code, 0);
  const auto document = nlohmann::json::parse(run_with({"classify", model(), test(), "--json"}).output);
  const auto& same = results[0]["seed"] == 5 ? results[0] : results[1];
  EXPECT_EQ(same["test_accuracy"], document["accuracy"]);
}

TEST_F(Fit, GridChoosesASettingForEveryDataSet) {
  make_archive();
  const std::vector<std::string> command =
      joined({"grid", file("archive"), "--results", file("results"), "--vary", "cells=4,8", "--vary", "layers=1,2",
              "--halving", "--rungs", "2", "--cv", "2", "--jobs", "2"},
             kSmall);
  const std::string before = run_with(joined(command, {"--dry-run"})).output;
  EXPECT_NE(before.find("rung 1 of 2                4"), std::string::npos) << before;
  EXPECT_NE(before.find("how long it takes is not known"), std::string::npos) << before;
  EXPECT_FALSE(std::filesystem::exists(file("results")));
  const Outcome outcome = run_with(command);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("Cbf"), std::string::npos) << outcome.output;
  EXPECT_NE(run_with(joined(command, {"--dry-run"})).output.find("with 2 jobs, as results in"), std::string::npos);
  const auto document = nlohmann::json::parse(bytes_of(file("results/grid.json")));
  ASSERT_EQ(document["datasets"].size(), 1u);
  EXPECT_EQ(document["datasets"][0]["setting"].size(), 2u);
  EXPECT_TRUE(document["datasets"][0].contains("test_accuracy"));
  EXPECT_EQ(document["rungs"].size(), 2u);
  const Outcome again = run_with(joined(command, {"--json"}));
  EXPECT_EQ(nlohmann::json::parse(again.output), document);
}

TEST_F(Fit, AblationTellsAccuracyAndSecondsOfEveryValue) {
  make_archive();
  const Outcome outcome = run_with(
      joined({"ablation", file("archive"), "--results", file("results"), "--vary", "method=exact,numeric"}, kSmall));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_TRUE(outcome.output.starts_with("study ")) << outcome.output;
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 3);
  const auto document = nlohmann::json::parse(bytes_of(file("results/ablation.json")));
  EXPECT_EQ(document["studies"][0]["values"].size(), 2u);
  EXPECT_GT(document["studies"][0]["values"][0]["mean_seconds"].get<double>(), 0.0);
}

TEST_F(Fit, EvaluateKeepsPicturesOfTestSeriesAndGivesOptionsToAllMethods) {
  make_archive();
  const Outcome outcome = run_with(joined(
      {"evaluate", file("archive"), "--results", file("results"), "--methods", "dtan,diffeo", "--pictures"}, kSmall));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  const auto picture = nlohmann::json::parse(bytes_of(file("results/pictures/Cbf.json")));
  EXPECT_EQ(picture["before"].size(), 9u);
  EXPECT_EQ(picture["after"].size(), 9u);
  EXPECT_NE(picture["before"], picture["after"]);
  std::ifstream lines(file("results/results.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const auto result = nlohmann::json::parse(line);
    EXPECT_EQ(result["options"]["epochs"], "3");
    EXPECT_EQ(result["options"]["shared_layers"], result["method"] == "dtan" ? "true" : "false");
    EXPECT_GT(result["variance_before"].get<double>(), 0.0);
    EXPECT_GT(result["variance_after"].get<double>(), 0.0);
  }
}

}  // namespace fit_test
}  // namespace diffeo::cli
