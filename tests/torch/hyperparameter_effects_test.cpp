// Every row of the table of hyper-parameters does something: with another value, training ends with another model.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "diffeo/generate.hpp"
#include "diffeo/torch/temporal_aligner.hpp"
#include "diffeo/training_options.hpp"

namespace diffeo {
namespace hyperparameter_effects_test {

using Values = std::map<std::string, std::string>;

/// A brief training in which each hyper-parameter can matter.
const Values kBrief = {{"widths", "4,4"}, {"kernels", "5,3"},  {"hidden", "6"},      {"cells", "6"},
                       {"epochs", "3"},   {"batch_size", "8"}, {"least_steps", "0"}, {"positions", "4"}};

/// Another value, and what else it takes for it to matter.
struct Change {
  std::string value;
  Values beside = {};
};

const std::map<std::string, Change> kChanges = {
    {"cells", {"7"}},
    {"zero_boundary", {"false"}},
    {"basis", {"sparse"}},
    {"layers", {"2"}},
    {"shared_layers", {"true", {{"layers", "2"}}}},
    {"composition", {"resample", {{"layers", "2"}}}},
    {"velocity_scale", {"3"}},
    {"horizon", {"0.5"}},
    {"method", {"numeric"}},
    {"method_steps", {"3", {{"method", "numeric"}}}},
    {"length", {"40"}},
    {"centered", {"false", {{"loss", "variance"}}}},
    {"network", {"residual"}},
    {"widths", {"4,5"}},
    {"kernels", {"3,3"}},
    {"hidden", {"7"}},
    {"positions", {"3"}},
    {"dropout", {"0.4"}},
    {"initialization", {"xavier-normal"}},
    {"loss", {"variance"}},
    {"sharpness", {"50"}},
    {"prior_weight", {"0.1"}},
    {"length_scale", {"0.2"}},
    {"epochs", {"4"}},
    {"least_steps", {"50"}},
    {"batch_size", {"6"}},
    {"balanced", {"false"}},
    {"learning_rate", {"0.01"}},
    {"schedule", {"constant"}},
    {"weight_decay", {"0.5"}},
    {"beta1", {"0.5"}},
    {"beta2", {"0.9"}},
    {"epsilon", {"0.1"}},
    {"clip", {"0.01"}},
    {"noise", {"0.3"}},
    {"augmentation", {"0.05"}},
    {"members", {"2"}},
    {"shrinkage", {"0.5"}},
    {"folds", {"4", {{"shrinkage", "validated"}}}},
    {"validation", {"0.3"}},
    {"patience", {"1", {{"validation", "0.3"}, {"epochs", "12"}, {"learning_rate", "0.1"}}}},
};

/// Two classes, one of them rare.
Dataset training_set() {
  BumpsOptions options;
  options.length = 48;
  options.classes = 2;
  Dataset all = generate_bumps(24, 11, options).dataset;
  std::vector<std::size_t> items = all.cases_by_class()[0];
  for (std::size_t i = 0; i < 5; ++i) items.push_back(all.cases_by_class()[1][i]);
  return all.subset(items);
}

struct Outcome {
  std::vector<double> compared;
  std::size_t epochs = 0;

  bool operator==(const Outcome&) const = default;
};

Outcome fitted(const Dataset& set, const Values& values) {
  TrainingOptions options;
  for (const auto& [name, value] : values) set_hyperparameter(options, name, value);
  TemporalAligner aligner(options, 3);
  aligner.fit(set, {.threads = 1});
  const Dataset compared = aligner.comparison(set);
  return {{compared.values().begin(), compared.values().end()}, aligner.history().size()};
}

TEST(Hyperparameters, EachChangesWhatTrainingEndsWith) {
  const Dataset set = training_set();
  for (const Hyperparameter& row : hyperparameters()) {
    const auto change = kChanges.find(std::string(row.name));
    ASSERT_NE(change, kChanges.end()) << row.name << " is new: say here what changes with it";
    Values before = kBrief;
    for (const auto& [name, value] : change->second.beside) before[name] = value;
    Values after = before;
    after[std::string(row.name)] = change->second.value;
    EXPECT_FALSE(fitted(set, before) == fitted(set, after)) << row.name << " does nothing";
  }
}

}  // namespace hyperparameter_effects_test
}  // namespace diffeo
