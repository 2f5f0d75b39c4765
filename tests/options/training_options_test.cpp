#include "diffeo/training_options.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "support/message_of.hpp"

namespace diffeo {
namespace training_options_test {

using testing::message_of;

std::string refusal(std::string_view name, std::string_view text) {
  TrainingOptions options;
  return message_of([&] { set_hyperparameter(options, name, text); });
}

template <class Change>
std::string refusal_of_all(Change change) {
  TrainingOptions options;
  change(options);
  return message_of([&] { check_training_options(options); });
}

template <class Value>
void expect_round_trip(const Hyperparameter& parameter, const Value& value) {
  TrainingOptions options;
  options.*std::get<Value TrainingOptions::*>(parameter.field) = value;
  TrainingOptions copy;
  const std::string text = hyperparameter_text(options, parameter);
  set_hyperparameter(copy, parameter.name, text);
  EXPECT_EQ(copy, options) << parameter.name << " = " << text;
}

// The table.

TEST(Hyperparameters, AreAllTheFieldsOfTheStructOnceEach) {
  // Structured bindings count the fields: a new one without a row of the table does not compile, or fails here.
  [[maybe_unused]] const auto& [cells, zero_boundary, basis, layers, shared_layers, composition, velocity_scale,
                                horizon, method, method_steps, length, centered, network, widths, kernels, hidden,
                                positions, dropout, initialization, loss, sharpness, prior_weight, length_scale, epochs,
                                least_steps, batch_size, balanced, learning_rate, schedule, weight_decay, beta1, beta2,
                                epsilon, clip, noise, augmentation, members, shrinkage, folds, validation, patience] =
      TrainingOptions{};
  constexpr std::size_t fields = 41;
  EXPECT_EQ(hyperparameters().size(), fields);
  const TrainingOptions options;
  std::set<const void*> rows;
  for (const Hyperparameter& each : hyperparameters()) {
    rows.insert(std::visit([&](auto field) { return static_cast<const void*>(&(options.*field)); }, each.field));
  }
  EXPECT_EQ(rows.size(), fields);
}

TEST(Hyperparameters, HaveNamesGroupsAndHelpThatPeopleCanRead) {
  const std::set<std::string_view> groups = {"warps", "network", "loss", "optimizer", "robustness"};
  std::set<std::string_view> names;
  for (const Hyperparameter& each : hyperparameters()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name << " twice";
    EXPECT_TRUE(groups.contains(each.group)) << each.group;
    EXPECT_EQ(each.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789"), std::string_view::npos);
    ASSERT_FALSE(each.help.empty()) << each.name;
    EXPECT_NE(each.help.back(), '.') << each.name;
  }
}

TEST(Hyperparameters, OfNumbersHaveARangeAndOfTextChoicesOrALanguage) {
  for (const Hyperparameter& each : hyperparameters()) {
    const std::string_view type = type_name(each);
    const bool numeric = type == "integer" || type == "number" || type == "integers";
    EXPECT_EQ(each.lowest < each.highest, numeric) << each.name;
    const bool language = each.name == "loss" || each.name == "shrinkage";
    EXPECT_EQ(!each.choices.empty(), type == "text" && !language) << each.name;
  }
}

TEST(Hyperparameters, AreCalledByTheTypesOfDocuments) {
  EXPECT_EQ(type_name(hyperparameter("cells")), "integer");
  EXPECT_EQ(type_name(hyperparameter("dropout")), "number");
  EXPECT_EQ(type_name(hyperparameter("balanced")), "truth");
  EXPECT_EQ(type_name(hyperparameter("network")), "text");
  EXPECT_EQ(type_name(hyperparameter("widths")), "integers");
}

TEST(Hyperparameters, OfAnUnknownNameSuggestTheNearest) {
  EXPECT_EQ(message_of([] { (void)hyperparameter("cell"); }),
            "cell: expected the name of a hyper-parameter, such as cells");
  EXPECT_EQ(refusal("learning-rate", "1"),
            "learning-rate: expected the name of a hyper-parameter, such as learning_rate");
}

// Values as people type them.

TEST(HyperparameterText, IsWhatPeopleType) {
  TrainingOptions options;
  options.widths = {64, 32};
  options.loss = "variance + 10 cross-entropy";
  const auto text = [&](std::string_view name) { return hyperparameter_text(options, hyperparameter(name)); };
  EXPECT_EQ(text("cells"), "32");
  EXPECT_EQ(text("zero_boundary"), "true");
  EXPECT_EQ(text("learning_rate"), "0.001");
  EXPECT_EQ(text("epsilon"), "1e-08");
  EXPECT_EQ(text("network"), "conv");
  EXPECT_EQ(text("widths"), "64,32");
  EXPECT_EQ(text("loss"), "variance + 10 cross-entropy");
}

TEST(HyperparameterText, IsReadWithBlanksAroundIt) {
  TrainingOptions options;
  set_hyperparameter(options, "cells", " 64\t");
  set_hyperparameter(options, "widths", "8, 16 ,32");
  set_hyperparameter(options, "learning_rate", " 1e-5");
  set_hyperparameter(options, "balanced", "false ");
  set_hyperparameter(options, "network", " residual");
  EXPECT_EQ(options.cells, 64);
  EXPECT_EQ(options.widths, (std::vector<std::int64_t>{8, 16, 32}));
  EXPECT_EQ(options.learning_rate, 1e-5);
  EXPECT_FALSE(options.balanced);
  EXPECT_EQ(options.network, "residual");
}

TEST(HyperparameterText, GivesBackEveryDefault) {
  TrainingOptions options;
  for (const Hyperparameter& each : hyperparameters()) {
    set_hyperparameter(options, each.name, hyperparameter_text(options, each));
  }
  EXPECT_EQ(options, TrainingOptions{});
}

TEST(HyperparameterText, GivesBackEveryNumberToTheLastBit) {
  std::mt19937_64 random(20);
  for (const Hyperparameter& each : hyperparameters()) {
    if (!std::holds_alternative<double TrainingOptions::*>(each.field)) continue;
    expect_round_trip(each, each.lowest);
    expect_round_trip(each, each.highest);
    expect_round_trip(each, std::nextafter(each.lowest, each.highest));
    expect_round_trip(each, std::nextafter(each.highest, each.lowest));
    for (int draw = 0; draw < 1000; ++draw) {
      const double part = std::ldexp(static_cast<double>(random() >> 11U), -53);
      expect_round_trip(each, std::clamp(each.lowest + part * (each.highest - each.lowest), each.lowest, each.highest));
    }
  }
}

TEST(HyperparameterText, GivesBackEveryIntegerTruthAndChoice) {
  for (const Hyperparameter& each : hyperparameters()) {
    if (std::holds_alternative<std::int64_t TrainingOptions::*>(each.field)) {
      for (const double value : {each.lowest, each.lowest + 1, each.highest - 1, each.highest}) {
        expect_round_trip(each, static_cast<std::int64_t>(value));
      }
    } else if (std::holds_alternative<bool TrainingOptions::*>(each.field)) {
      for (const bool value : {false, true}) expect_round_trip(each, value);
    } else if (std::holds_alternative<std::vector<std::int64_t> TrainingOptions::*>(each.field)) {
      const auto lowest = static_cast<std::int64_t>(each.lowest);
      const auto highest = static_cast<std::int64_t>(each.highest);
      expect_round_trip(each, std::vector{lowest});
      expect_round_trip(each, std::vector{highest, lowest, highest, highest - 1});
    }
    for (const std::string_view choice : each.choices) expect_round_trip(each, std::string(choice));
  }
}

TEST(HyperparameterText, OutsideTheRangeIsRefusedForEveryNumber) {
  for (const Hyperparameter& each : hyperparameters()) {
    if (type_name(each) == "number") {
      for (const double value : {std::nextafter(each.lowest, -1e300), std::nextafter(each.highest, 1e300)}) {
        TrainingOptions options;
        options.*std::get<double TrainingOptions::*>(each.field) = value;
        EXPECT_THROW(check_training_options(options), std::invalid_argument) << each.name << " = " << value;
      }
    } else if (type_name(each) == "integer" || type_name(each) == "integers") {
      for (const double value : {each.lowest - 1, each.highest + 1}) {
        const std::string text = std::to_string(static_cast<std::int64_t>(value));
        EXPECT_NE(refusal(each.name, text), "") << each.name << " = " << text;
      }
    }
  }
}

TEST(HyperparameterText, ThatIsNoValueIsRefusedWithWhatWasExpected) {
  EXPECT_EQ(refusal("cells", "many"), "cells: expected an integer from 1 to 4096, got many");
  EXPECT_EQ(refusal("cells", "4097"), "cells: expected an integer from 1 to 4096, got 4097");
  EXPECT_EQ(refusal("cells", "32.5"), "cells: expected an integer from 1 to 4096, got 32.5");
  EXPECT_EQ(refusal("cells", ""), "cells: expected an integer from 1 to 4096, got ");
  EXPECT_EQ(refusal("cells", "99999999999999999999"),
            "cells: expected an integer from 1 to 4096, got 99999999999999999999");
  EXPECT_EQ(refusal("dropout", "1"), "dropout: expected a number from 0 to 0.99, got 1");
  EXPECT_EQ(refusal("dropout", "nan"), "dropout: expected a number from 0 to 0.99, got nan");
  EXPECT_EQ(refusal("clip", "inf"), "clip: expected a number from 0 to 1000000000, got inf");
  EXPECT_EQ(refusal("balanced", "yes"), "balanced: expected true or false, got yes");
  EXPECT_EQ(refusal("network", "resnet"), "network: expected conv, recurrent, inception or residual, got resnet");
  EXPECT_EQ(refusal("composition", ""), "composition: expected compose or resample, got ");
  EXPECT_EQ(refusal("widths", "64,,64"), "widths: expected an integer from 1 to 65536, got ");
  EXPECT_EQ(refusal("widths", "64,0"), "widths: expected an integer from 1 to 65536, got 0");
}

TEST(HyperparameterText, ThatIsRefusedChangesNothing) {
  for (const char* name : {"cells", "dropout", "balanced", "network", "widths"}) {
    TrainingOptions options;
    EXPECT_THROW(set_hyperparameter(options, name, "1,x"), std::invalid_argument);
    EXPECT_EQ(options, TrainingOptions{}) << name;
  }
}

// What values mean together.

TEST(TrainingOptionsCheck, RefusesValuesThatContradictEachOther) {
  EXPECT_EQ(refusal_of_all([](TrainingOptions&) {}), "");
  EXPECT_EQ(refusal_of_all([](TrainingOptions& o) { o.cells = 1; }),
            "cells: expected at least 2 with zero_boundary, got 1");
  EXPECT_EQ(refusal_of_all([](TrainingOptions& o) {
              o.cells = 1;
              o.zero_boundary = false;
            }),
            "");
  EXPECT_EQ(refusal_of_all([](TrainingOptions& o) { o.shrinkage = "validated"; }), "");
  EXPECT_EQ(refusal_of_all([](TrainingOptions& o) { o.length = kShortestSeries; }), "");
  EXPECT_EQ(refusal_of_all([](TrainingOptions& o) { o.length = 3; }),
            "length: expected 0 or at least 8 time steps, got 3");
}

TEST(TrainingOptionsCheck, WantsAKernelForEachBlockOfTheNetworksThatHaveKernels) {
  const auto with = [](const char* network) {
    return refusal_of_all([&](TrainingOptions& o) {
      o.network = network;
      o.kernels = {7, 5};
    });
  };
  EXPECT_EQ(with("conv"), "kernels: expected one for each of the 3 widths, got 2");
  EXPECT_EQ(with("residual"), "kernels: expected one for each of the 3 widths, got 2");
  EXPECT_EQ(with("recurrent"), "");
  EXPECT_EQ(with("inception"), "");
}

TEST(TrainingOptionsCheck, RefusesWhatTheTableRefuses) {
  EXPECT_EQ(refusal_of_all([](TrainingOptions& o) { o.cells = 0; }),
            "cells: expected an integer from 1 to 4096, got 0");
  EXPECT_EQ(refusal_of_all([](TrainingOptions& o) { o.network = "dense"; }),
            "network: expected conv, recurrent, inception or residual, got dense");
  EXPECT_EQ(refusal_of_all([](TrainingOptions& o) { o.widths = {}; }),
            "widths: expected an integer from 1 to 65536, got ");
  EXPECT_EQ(refusal_of_all([](TrainingOptions& o) { o.learning_rate = std::numeric_limits<double>::quiet_NaN(); }),
            "learning_rate: expected a number from 1e-12 to 1000, got nan");
  EXPECT_EQ(refusal_of_all([](TrainingOptions& o) { o.loss = "none"; }),
            "loss: expected a sum of warps, variance, slopes, inverse-consistent, cross-entropy and recognition, such "
            "as variance + "
            "10 cross-entropy, got none");
  EXPECT_EQ(refusal_of_all([](TrainingOptions& o) {
              o.loss = "variance | slopes";
              o.method = "numeric";
            }),
            "method: expected exact for a loss of slopes, got numeric");
  EXPECT_EQ(refusal_of_all([](TrainingOptions& o) { o.shrinkage = "2"; }),
            "shrinkage: expected a number from 0 to 1, or validated, got 2");
}

// The two small languages.

TEST(MemberLosses, HaveTheirTermsInOrderWithTheirWeights) {
  using Terms = std::vector<LossTerm>;
  const auto terms = [](std::string_view text) { return member_losses(text).at(0).terms; };
  EXPECT_EQ(terms("variance"), (Terms{{"variance", 1.0}}));
  EXPECT_EQ(terms("variance + 10 cross-entropy"), (Terms{{"variance", 1.0}, {"cross-entropy", 10.0}}));
  EXPECT_EQ(terms("10*cross-entropy+0.5 variance"), (Terms{{"cross-entropy", 10.0}, {"variance", 0.5}}));
  EXPECT_EQ(terms("  1e-3 inverse-consistent +variance"), (Terms{{"inverse-consistent", 1e-3}, {"variance", 1.0}}));
  EXPECT_EQ(terms("slopes + 0.1 variance"), (Terms{{"slopes", 1.0}, {"variance", 0.1}}));
  EXPECT_EQ(terms("1e+3 variance+2*cross-entropy"), (Terms{{"variance", 1e3}, {"cross-entropy", 2.0}}));
  EXPECT_EQ(weight_of(member_losses("variance + 3 recognition").at(0), "recognition"), 3.0);
  EXPECT_EQ(weight_of(member_losses("variance + 3 recognition").at(0), "cross-entropy"), 0.0);
}

TEST(MemberLosses, AreOnValuesUnlessTheySayMore) {
  const auto features = [](std::string_view text) { return member_losses(text).at(0).features; };
  EXPECT_EQ(features("variance"), (Features{.values = true, .slopes = false}));
  EXPECT_EQ(features("variance on values"), (Features{.values = true, .slopes = false}));
  EXPECT_EQ(features("variance + 2 recognition on slopes"), (Features{.values = false, .slopes = true}));
  EXPECT_EQ(features("warps on  values and slopes "), (Features{.values = true, .slopes = true}));
}

TEST(MemberLosses, AreTakenInTurnByAsManyMembersAsAskedFor) {
  TrainingOptions options;
  options.loss = "variance|cross-entropy on slopes";
  EXPECT_EQ(member_count(options), 2);
  EXPECT_EQ(member_loss(options, 1).terms, (std::vector<LossTerm>{{"cross-entropy", 1.0}}));
  EXPECT_TRUE(member_loss(options, 1).features.slopes);
  EXPECT_EQ(member_loss(options, 2), member_loss(options, 0));
  options.members = 5;
  EXPECT_EQ(member_count(options), 5);
}

TEST(MemberLosses, RefuseUnknownNamesRepetitionsAndWeightsThatAreNotPositive) {
  const auto refused = [](std::string_view text) { return message_of([&] { (void)member_losses(text); }); };
  const std::string expected =
      "loss: expected a sum of warps, variance, slopes, inverse-consistent, cross-entropy and recognition, such as "
      "variance + 10 cross-entropy, got ";
  for (const std::string text : {"", "10", "entropy", "variance +", "variance cross-entropy", "variance + 2 x",
                                 "variance |", "variance | none", " on slopes"}) {
    EXPECT_EQ(refused(text), expected + text);
  }
  for (const std::string text : {"0 variance", "-1 variance", "nan variance", "inf variance"}) {
    EXPECT_EQ(refused(text), "loss: expected positive weights, got " + text);
  }
  EXPECT_EQ(refused("variance + 2 variance"), "loss: expected every term once, got variance + 2 variance");
  for (const std::string text :
       {"variance on curves", "variance on slopes and values", "variance on values on slopes"}) {
    EXPECT_EQ(refused(text), "loss: expected values, slopes or values and slopes after on, got " + text);
  }
  EXPECT_EQ(refused("slopes on slopes"), "loss: expected the term slopes on values, got slopes on slopes");
}

TEST(Shrinkage, IsANumberFromZeroToOneOrValidated) {
  EXPECT_EQ(shrinkage_value("0"), 0.0);
  EXPECT_EQ(shrinkage_value("0.25"), 0.25);
  EXPECT_EQ(shrinkage_value("1"), 1.0);
  EXPECT_EQ(shrinkage_value("validated"), -1.0);
  for (const std::string text : {"", "-0.1", "1.1", "nan", "0.5x", "best"}) {
    EXPECT_EQ(message_of([&] { (void)shrinkage_value(text); }),
              "shrinkage: expected a number from 0 to 1, or validated, got " + text);
  }
}

// Settings with names.

TEST(Presets, AreValidAndSurviveBeingWrittenAsText) {
  for (const std::string_view name : preset_names()) {
    const TrainingOptions options = preset(name);
    EXPECT_NO_THROW(check_training_options(options)) << name;
    TrainingOptions copy;
    for (const Hyperparameter& each : hyperparameters()) {
      set_hyperparameter(copy, each.name, hyperparameter_text(options, each));
    }
    EXPECT_EQ(copy, options) << name;
  }
}

TEST(Presets, AreFiveAndAllDifferent) {
  const std::vector<std::string_view> names = preset_names();
  EXPECT_EQ(names, (std::vector<std::string_view>{"default", "ensemble", "paper", "dtan", "resnet-tw"}));
  EXPECT_EQ(preset("default"), TrainingOptions{});
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(preset(names[i]), preset(names[j])) << names[i] << ", " << names[j];
  }
}

TEST(Presets, OfAnotherNameAreRefused) {
  EXPECT_EQ(message_of([] { (void)preset("DTAN"); }),
            "preset: expected default, ensemble, paper, dtan or resnet-tw, got DTAN");
}

TEST(Presets, EnsembleAlignsWithANetworkThatOnlyAligns) {
  const TrainingOptions options = preset("ensemble");
  EXPECT_EQ(member_count(options), 7);
  EXPECT_EQ(aligning_member(options), 0);
  EXPECT_EQ(member_loss(options, 0).terms, (std::vector<LossTerm>{{"warps", 1.0}}));
  for (std::int64_t member = 1; member < 7; ++member) {
    EXPECT_TRUE(tells_classes_apart(member_loss(options, member))) << member;
    EXPECT_EQ(member_loss(options, member), member_loss(TrainingOptions(), (member - 1) % 3 + 1)) << member;
  }
}

TEST(AligningMember, IsTheFirstThatLearnsNothingElseOrTheFirst) {
  TrainingOptions options;
  const auto aligning = [&](std::int64_t members, const std::string& loss) {
    options.members = members;
    options.loss = loss;
    return aligning_member(options);
  };
  EXPECT_EQ(aligning(1, "variance"), 0);
  EXPECT_EQ(aligning(2, "variance + 30 cross-entropy"), 0);
  EXPECT_EQ(aligning(3, "variance + recognition | variance + cross-entropy | inverse-consistent + variance"), 2);
  EXPECT_EQ(aligning(4, "variance + cross-entropy | variance"), 1);
  EXPECT_EQ(aligning(1, "variance + cross-entropy | variance"), 0);  // no second member takes the second loss
}

TEST(Presets, OfPublishedMethodsUseLabelsForTheVarianceOnly) {
  for (const std::string_view name : {"paper", "dtan", "resnet-tw"}) {
    EXPECT_EQ(member_losses(preset(name).loss), (std::vector<MemberLoss>{{{{"variance", 1.0}}, {}}})) << name;
    EXPECT_FALSE(preset(name).balanced) << name;
  }
}

TEST(Presets, DtanAppliesOneNetworkAgainToWhatItWarped) {
  const TrainingOptions options = preset("dtan");
  EXPECT_TRUE(options.shared_layers);
  EXPECT_GE(options.layers, 2);
  EXPECT_EQ(options.composition, "resample");
}

TEST(Presets, ResnetTwTakesStepsThatAddUpToTheWholeFlow) {
  const TrainingOptions options = preset("resnet-tw");
  EXPECT_EQ(options.network, "residual");
  EXPECT_FALSE(options.shared_layers);
  EXPECT_EQ(options.composition, "compose");
  EXPECT_EQ(options.horizon * static_cast<double>(options.layers), 1.0);
}

}  // namespace training_options_test
}  // namespace diffeo
