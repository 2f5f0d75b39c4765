// How a temporal aligner is built and trained: every hyper-parameter, in one struct and one table.
//
// The table gives each its name, its range or choices and its help. The command line, the signature of the Python
// estimator, the documents and the model file are made from it, so that they cannot disagree. Defaults are those of the
// struct.
//
//   TrainingOptions options;
//   set_hyperparameter(options, "cells", "64");           // as typed
//   for (const Hyperparameter& each : hyperparameters()) print(each.name, hyperparameter_text(options, each));
//
//   * text is what people type: 32, 1e-3, true, conv, 64,64,64
//   * std::invalid_argument for a name that is not in the table (with the nearest one that is), a value that is not of
//     its type, out of its range or not among its choices; and from check_training_options for values that contradict
//     each other
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace diffeo {

/// In time steps: what a network can look at.
inline constexpr std::int64_t kShortestSeries = 8;

struct TrainingOptions {
  // The warps.
  std::int64_t cells = 32;
  bool zero_boundary = true;
  std::string basis = "svd";
  std::int64_t layers = 1;
  bool shared_layers = false;
  std::string composition = "compose";
  double velocity_scale = 4.0;
  double horizon = 1.0;
  std::string method = "exact";
  std::int64_t method_steps = 8;
  std::int64_t length = 0;
  bool centered = true;

  // The network.
  std::string network = "conv";
  std::vector<std::int64_t> widths = {32, 64, 64};
  std::vector<std::int64_t> kernels = {7, 5, 3};
  std::int64_t hidden = 32;
  std::int64_t positions = 64;
  double dropout = 0.2;
  std::string initialization = "torch";

  // The loss.
  std::string loss =
      "warps on values and slopes | variance + 30 cross-entropy | variance + 30 cross-entropy on slopes | "
      "variance + 30 cross-entropy + 10 recognition";
  double sharpness = 5.0;
  double prior_weight = 3e-4;
  double length_scale = 0.1;

  // The optimizer.
  std::int64_t epochs = 120;
  std::int64_t least_steps = 500;
  std::int64_t batch_size = 32;
  bool balanced = true;
  double learning_rate = 1e-3;
  std::string schedule = "cosine";
  double weight_decay = 1e-2;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double clip = 0.0;
  double noise = 0.0;
  double augmentation = 0.015;

  // What guards against fitting the training set too well.
  std::int64_t members = 0;
  std::string shrinkage = "1";
  std::int64_t folds = 3;
  double validation = 0.0;
  std::int64_t patience = 50;

  bool operator==(const TrainingOptions&) const = default;
};

struct Hyperparameter {
  using Field = std::variant<std::int64_t TrainingOptions::*, double TrainingOptions::*, bool TrainingOptions::*,
                             std::string TrainingOptions::*, std::vector<std::int64_t> TrainingOptions::*>;

  std::string_view name;   ///< as in Python; with dashes for underscores on the command line
  std::string_view group;  ///< warps, network, loss, optimizer, robustness
  Field field;
  double lowest = 0.0;  ///< of numbers, and of every number in a list
  double highest = 0.0;
  std::vector<std::string_view> choices = {};  ///< of text; without any, text that another function reads
  std::string_view help;                       ///< one sentence, without a full stop
};

/// The type of a hyper-parameter as documents call it: integer, number, truth, text or integers.
[[nodiscard]] std::string_view type_name(const Hyperparameter& parameter) noexcept;

[[nodiscard]] std::span<const Hyperparameter> hyperparameters();
[[nodiscard]] const Hyperparameter& hyperparameter(std::string_view name);

/// A value as people type it. What set_hyperparameter makes of it is the same value, to the last bit.
[[nodiscard]] std::string hyperparameter_text(const TrainingOptions& options, const Hyperparameter& parameter);
void set_hyperparameter(TrainingOptions& options, std::string_view name, std::string_view text);

/// Named settings: "default"; "ensemble", twice the networks that tell classes apart, and small sets trained for twice as
/// long; "paper", the published optimizer and network; "dtan" and "resnet-tw", reimplementations of the methods of
/// those names (docs/guide/variants.md says how they differ from the publications).
[[nodiscard]] std::vector<std::string_view> preset_names();
[[nodiscard]] TrainingOptions preset(std::string_view name);

/// Everything the table says of each value, and what values mean together.
void check_training_options(const TrainingOptions& options);

/// One part of a loss: its name and what it is multiplied by.
struct LossTerm {
  std::string name;  ///< warps, variance, slopes, inverse-consistent, cross-entropy or recognition
  double weight = 1.0;

  bool operator==(const LossTerm&) const = default;
};

/// What a network sees of a series, and what classes are compared by.
struct Features {
  bool values = true;
  bool slopes = false;  ///< square-root slopes (diffeo/slope_scale.hpp)

  auto operator<=>(const Features&) const = default;
};

/// What one network learns.
struct MemberLoss {
  std::vector<LossTerm> terms;  ///< every name at most once, weights positive
  Features features = {};

  bool operator==(const MemberLoss&) const = default;
};

/// "variance + 10 cross-entropy on values and slopes" as terms and features, which are values if none are named. Of
/// several losses, "variance + 10 cross-entropy | variance", each is one member's.
[[nodiscard]] std::vector<MemberLoss> member_losses(std::string_view text);
/// The loss of a member: members take the losses in turn.
[[nodiscard]] MemberLoss member_loss(const TrainingOptions& options, std::int64_t member);
/// How many networks there are.
[[nodiscard]] std::int64_t member_count(const TrainingOptions& options);
/// The weight of the term of that name; 0 if it is not among them.
[[nodiscard]] double weight_of(const MemberLoss& loss, std::string_view term);
/// Whether any term tells classes apart: without labels there is nothing for it to learn.
[[nodiscard]] bool tells_classes_apart(const MemberLoss& loss);

/// The member whose warps align series: the first that learns nothing but to align, without a term that tells classes
/// apart; where there is none, the first of all.
[[nodiscard]] std::int64_t aligning_member(const TrainingOptions& options);

/// The time at which trained warps are used: a number from 0 to 1, or "validated", which chooses it on series that a
/// network did not train on. Returns -1 for "validated".
[[nodiscard]] double shrinkage_value(std::string_view text);

}  // namespace diffeo
