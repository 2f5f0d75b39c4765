#include "diffeo/warps_file.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "diffeo/file_error.hpp"
#include "diffeo/generate.hpp"
#include "diffeo/random.hpp"
#include "diffeo/tensor_file.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace warps_file_test {

using testing::content_of;
using testing::TemporaryDirectory;

AlignOptions quick_options() {
  AlignOptions options;
  options.cells = 5;
  options.prior_weight = 0.1 + 0.2;  // needs all its digits
  options.max_iterations = 3;
  return options;
}

/// Two classes, two channels.
Dataset labeled_series() {
  BumpsOptions options;
  options.classes = 2;
  options.channels = 2;
  options.length = 32;
  return generate_bumps(6, 3, options).dataset;
}

WarpsFile warps_of_series(const Dataset& series) {
  WarpsFile warps = warps_of(align(series, quick_options()), quick_options());
  warps.source = "folder/series \u03c6.ts";
  return warps;
}

void expect_equal(const WarpsFile& came, const WarpsFile& expected) {
  EXPECT_EQ(came.source, expected.source);
  EXPECT_EQ(came.lower, expected.lower);
  EXPECT_EQ(came.upper, expected.upper);
  EXPECT_EQ(came.options, expected.options);
  ASSERT_EQ(came.velocities.rows(), expected.velocities.rows());
  ASSERT_EQ(came.velocities.columns(), expected.velocities.columns());
  EXPECT_TRUE(std::ranges::equal(came.velocities.values(), expected.velocities.values()));
  EXPECT_TRUE(std::ranges::equal(came.means.values(), expected.means.values()));
  EXPECT_EQ(came.means.cases(), expected.means.cases());
  EXPECT_EQ(came.means.channels(), expected.means.channels());
  EXPECT_EQ(came.means.class_names(), expected.means.class_names());
  EXPECT_EQ(came.history, expected.history);
  EXPECT_EQ(came.variance_before, expected.variance_before);
  EXPECT_EQ(came.variance, expected.variance);
}

std::string problem_of(const std::filesystem::path& path) {
  try {
    (void)read_warps_file(path);
  } catch (const FileError& problem) {
    return problem.what();
  }
  return "no problem";
}

/// The file with its description changed.
std::filesystem::path changed(const TemporaryDirectory& folder, const std::string& key, const nlohmann::json& value) {
  const std::filesystem::path path = folder.file("changed.warps");
  write_warps_file(path, warps_of_series(labeled_series()));
  TensorFile file = read_tensor_file(path);
  nlohmann::json json = nlohmann::json::parse(file.metadata[kWarpsFileKey]);
  value.is_null() ? json.erase(key) : (json[key] = value, std::size_t{1});
  file.metadata[kWarpsFileKey] = json.dump();
  add_digest(file);
  write_tensor_file(path, file);
  return path;
}

void expect_problem(const std::filesystem::path& path, const std::string& part) {
  const std::string problem = problem_of(path);
  EXPECT_TRUE(problem.starts_with(path.string() + ": ")) << problem;
  EXPECT_NE(problem.find(part), std::string::npos) << problem;
}

TEST(WarpsFile, ComesBackAsItWasWrittenBitForBit) {
  const TemporaryDirectory folder;
  const WarpsFile warps = warps_of_series(labeled_series());
  ASSERT_EQ(warps.means.cases(), 2u);
  write_warps_file(folder.file("a.warps"), warps);
  expect_equal(read_warps_file(folder.file("a.warps")), warps);
}

TEST(WarpsFile, ComesBackWithoutLabelsAndWithMissingMeans) {
  const TemporaryDirectory folder;
  const Dataset labeled = labeled_series();
  Dataset series(2);
  for (std::size_t item = 0; item < labeled.cases(); ++item) series.add_case(labeled.series(item).values());
  WarpsFile warps = warps_of_series(series);
  write_warps_file(folder.file("a.warps"), warps);
  expect_equal(read_warps_file(folder.file("a.warps")), warps);
  warps.means.values()[3] = std::numeric_limits<double>::quiet_NaN();
  write_warps_file(folder.file("a.warps"), warps);
  EXPECT_NE(read_warps_file(folder.file("a.warps")).means.values()[3], 0.0);
  EXPECT_TRUE(read_warps_file(folder.file("a.warps")).means.has_missing());
}

TEST(WarpsFile, KeepsOptionsInTheDigitsThatGiveThemBack) {
  const auto texts = option_texts(quick_options());
  EXPECT_EQ(std::stod(texts.at("prior_weight")), 0.1 + 0.2);
  EXPECT_EQ(texts.at("cells"), "5");
  EXPECT_EQ(texts.at("zero_boundary"), "true");
}

TEST(WarpsFile, IsSafetensorsWithTheTensorsAndTheDescriptionItPromises) {
  const TemporaryDirectory folder;
  write_warps_file(folder.file("a.warps"), warps_of_series(labeled_series()));
  const TensorFile file = read_tensor_file(folder.file("a.warps"));
  ASSERT_NE(file.find("velocities"), nullptr);
  EXPECT_EQ(file.find("velocities")->shape, (std::vector<std::int64_t>{6, 6}));
  EXPECT_EQ(file.find("means")->shape, (std::vector<std::int64_t>{2, 2, 32}));
  const auto json = nlohmann::json::parse(file.metadata.at("diffeo_warps"));
  EXPECT_EQ(json.at("version"), 2);
  EXPECT_EQ(json.at("classes"), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(json.at("domain"), (std::vector<double>{0, 1}));
  EXPECT_EQ(json.at("history").size(), 2u);
}

TEST(WarpsFile, RefusesForeignNewerAndIncompleteFiles) {
  const TemporaryDirectory folder;
  write_tensor_file(folder.file("other.warps"), TensorFile());
  expect_problem(folder.file("other.warps"), "expected warps that diffeo align wrote, got another safetensors file");
  expect_problem(folder.file("text.warps", "1\t2\t3\n"), "expected");
  expect_problem(folder.file("none.warps"), "cannot be opened");
  expect_problem(changed(folder, "version", 3), "expected format version 2, got 3: a newer diffeo wrote it");
  expect_problem(changed(folder, "version", 1), "expected format version 2, got 1: an older diffeo wrote it");
  expect_problem(changed(folder, "version", "one"), "expected a description of the warps");
  expect_problem(changed(folder, "variance", nullptr), "expected a complete description of the warps");
  expect_problem(changed(folder, "variance", {1.0}), "variance: expected one for each of 2 means, got 1");
  expect_problem(changed(folder, "classes", {"1"}), "classes: expected 2 names or none, got 1");
  expect_problem(changed(folder, "classes", nlohmann::json::array()), "means: expected one without classes, got 2");
  expect_problem(changed(folder, "domain", {1.0, 0.0}), "domain: expected two finite numbers in increasing order");
}

TEST(WarpsFile, RefusesAFlippedBitAnywhereOrHasTheSameContent) {
  constexpr std::uint64_t kSeed = 5;
  constexpr int kFlips = 1500;
  const TemporaryDirectory folder;
  const WarpsFile warps = warps_of_series(labeled_series());
  write_warps_file(folder.file("whole.warps"), warps);
  const std::string bytes = content_of(folder.file("whole.warps"));
  const TensorFile expected = read_tensor_file(folder.file("whole.warps"));
  Random random(kSeed);
  int refused = 0;
  for (int flip = 0; flip < kFlips; ++flip) {
    std::string damaged = bytes;
    const std::size_t bit = random.below(8 * bytes.size());
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    const std::filesystem::path path = folder.file("damaged.warps", damaged);
    if (problem_of(path) != "no problem") {
      ++refused;
    } else {  // such as another letter case of an escape
      EXPECT_EQ(read_tensor_file(path), expected) << "bit " << bit;
    }
  }
  EXPECT_GT(refused, kFlips * 95 / 100);
}

TEST(WarpsFile, RefusesAFileCutAnywhere) {
  const TemporaryDirectory folder;
  write_warps_file(folder.file("whole.warps"), warps_of_series(labeled_series()));
  const std::string bytes = content_of(folder.file("whole.warps"));
  for (std::size_t size = 0; size < bytes.size(); size += 61) {
    EXPECT_NE(problem_of(folder.file("cut.warps", bytes.substr(0, size))), "no problem") << size;
  }
}

TEST(WarpsFile, IsNotWrittenWithPartsThatDoNotFit) {
  const TemporaryDirectory folder;
  WarpsFile warps = warps_of_series(labeled_series());
  warps.velocities(0, 0) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(write_warps_file(folder.file("a.warps"), warps), std::invalid_argument);
  warps = warps_of_series(labeled_series());
  warps.history.pop_back();
  EXPECT_THROW(write_warps_file(folder.file("a.warps"), warps), std::invalid_argument);
  EXPECT_EQ(folder.files(), 0u);
}

}  // namespace warps_file_test
}  // namespace diffeo
