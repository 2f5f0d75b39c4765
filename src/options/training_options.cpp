// What hyper-parameters mean together, and the two that are small languages of their own.
#include "diffeo/training_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "diffeo/error.hpp"
#include "options/trimmed.hpp"

namespace diffeo {
namespace {

constexpr std::array<std::string_view, 6> kLossNames = {"warps",         "variance",   "slopes", "inverse-consistent",
                                                        "cross-entropy", "recognition"};
constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kOn = " on ";              // between a sum and the features
constexpr std::string_view kBlanksAndTimes = " \t*";  // 10*cross-entropy and 10 cross-entropy are the same

void skip(std::string_view& text, std::string_view letters) {
  text.remove_prefix(std::min(text.find_first_not_of(letters), text.size()));
}

/// The term at the start of `rest`, which is taken off it.
LossTerm next_term(std::string_view& rest, std::string_view whole) {
  LossTerm term;
  skip(rest, kBlanks);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), term.weight);
  if (error == std::errc()) rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  skip(rest, kBlanksAndTimes);
  term.name = rest.substr(0, rest.find_first_of(" \t+"));
  rest.remove_prefix(term.name.size());
  skip(rest, kBlanks);
  require(std::ranges::find(kLossNames, term.name) != kLossNames.end() && (rest.empty() || rest.front() == '+'),
          "loss: expected a sum of warps, variance, slopes, inverse-consistent, cross-entropy and recognition, such as "
          "variance + 10 cross-entropy, got ",
          whole);
  require(std::isfinite(term.weight) && term.weight > 0.0, "loss: expected positive weights, got ", whole);
  return term;
}

Features features_of(std::string_view text, std::string_view whole) {
  const std::string_view name = trimmed(text);
  if (name == "values") return {};
  if (name == "slopes") return {.values = false, .slopes = true};
  require(name == "values and slopes", "loss: expected values, slopes or values and slopes after on, got ", whole);
  return {.values = true, .slopes = true};
}

MemberLoss one_loss(std::string_view text, std::string_view whole) {
  MemberLoss loss;
  const std::size_t on = text.find(kOn);
  if (on != std::string_view::npos) loss.features = features_of(text.substr(on + kOn.size()), whole);
  for (std::string_view rest = text.substr(0, on);;) {
    LossTerm term = next_term(rest, whole);
    require(weight_of(loss, term.name) == 0.0, "loss: expected every term once, got ", whole);
    loss.terms.push_back(std::move(term));
    if (rest.empty()) break;
    rest.remove_prefix(1);  // the plus
  }
  require(weight_of(loss, "slopes") == 0.0 || loss.features == Features{},
          "loss: expected the term slopes on values, got ", whole);
  return loss;
}

}  // namespace

std::vector<MemberLoss> member_losses(std::string_view text) {
  std::vector<MemberLoss> losses;
  for (std::string_view rest = text;;) {
    const std::size_t bar = rest.find('|');
    losses.push_back(one_loss(rest.substr(0, bar), text));
    if (bar == std::string_view::npos) return losses;
    rest.remove_prefix(bar + 1);
  }
}

MemberLoss member_loss(const TrainingOptions& options, std::int64_t member) {
  const std::vector<MemberLoss> losses = member_losses(options.loss);
  return losses[static_cast<std::size_t>(member) % losses.size()];
}

std::int64_t member_count(const TrainingOptions& options) {
  return options.members > 0 ? options.members : static_cast<std::int64_t>(member_losses(options.loss).size());
}

double weight_of(const MemberLoss& loss, std::string_view term) {
  const auto found = std::ranges::find(loss.terms, term, &LossTerm::name);
  return found == loss.terms.end() ? 0.0 : found->weight;
}

bool tells_classes_apart(const MemberLoss& loss) {
  return weight_of(loss, "cross-entropy") > 0.0 || weight_of(loss, "recognition") > 0.0;
}

std::int64_t aligning_member(const TrainingOptions& options) {
  for (std::int64_t member = 0; member < member_count(options); ++member) {
    if (!tells_classes_apart(member_loss(options, member))) return member;
  }
  return 0;
}

double shrinkage_value(std::string_view text) {
  if (text == "validated") return -1.0;
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc() && end == text.data() + text.size() && value >= 0.0 && value <= 1.0,
          "shrinkage: expected a number from 0 to 1, or validated, got ", text);
  return value;
}

void check_training_options(const TrainingOptions& options) {
  TrainingOptions copy;
  for (const Hyperparameter& each : hyperparameters()) {
    set_hyperparameter(copy, each.name, hyperparameter_text(options, each));
  }
  for (const MemberLoss& loss : member_losses(options.loss)) {
    require(weight_of(loss, "slopes") == 0.0 || options.method == "exact",
            "method: expected exact for a loss of slopes, got ", options.method);
  }
  (void)shrinkage_value(options.shrinkage);
  require(options.cells >= (options.zero_boundary ? 2 : 1), "cells: expected at least 2 with zero_boundary, got ",
          options.cells);
  require(options.length == 0 || options.length >= kShortestSeries, "length: expected 0 or at least ", kShortestSeries,
          " time steps, got ", options.length);
  const bool has_kernels = options.network == "conv" || options.network == "residual";
  require(!has_kernels || options.kernels.size() == options.widths.size(), "kernels: expected one for each of the ",
          options.widths.size(), " widths, got ", options.kernels.size());
  for (const std::int64_t kernel : options.kernels) {
    require(!has_kernels || kernel % 2 == 1, "kernels: expected odd lengths, got ", kernel);
  }
}

}  // namespace diffeo
