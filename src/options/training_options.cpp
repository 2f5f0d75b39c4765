// What hyper-parameters mean together, and the two that are small languages of their own.
#include "diffeo/training_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "diffeo/error.hpp"

namespace diffeo {
namespace {

constexpr std::array<std::string_view, 5> kLossNames = {"variance", "slopes", "inverse-consistent", "cross-entropy",
                                                        "recognition"};
constexpr std::string_view kBlanks = " \t";
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
          "loss: expected a sum of variance, slopes, inverse-consistent, cross-entropy and recognition, such as "
          "variance + 10 cross-entropy, got ",
          whole);
  require(std::isfinite(term.weight) && term.weight > 0.0, "loss: expected positive weights, got ", whole);
  return term;
}

std::vector<LossTerm> one_loss(std::string_view text, std::string_view whole) {
  std::vector<LossTerm> terms;
  for (std::string_view rest = text;;) {
    LossTerm term = next_term(rest, whole);
    require(std::ranges::find(terms, term.name, &LossTerm::name) == terms.end(), "loss: expected every term once, got ",
            whole);
    terms.push_back(std::move(term));
    if (rest.empty()) return terms;
    rest.remove_prefix(1);  // the plus
  }
}

std::vector<std::vector<LossTerm>> losses(std::string_view text) {
  std::vector<std::vector<LossTerm>> result;
  for (std::string_view rest = text;;) {
    const std::size_t bar = rest.find('|');
    result.push_back(one_loss(rest.substr(0, bar), text));
    if (bar == std::string_view::npos) return result;
    rest.remove_prefix(bar + 1);
  }
}

}  // namespace

std::vector<LossTerm> loss_terms(std::string_view text, std::int64_t member) {
  const std::vector<std::vector<LossTerm>> all = losses(text);
  return all[static_cast<std::size_t>(member) % all.size()];
}

double weight_of(std::span<const LossTerm> terms, std::string_view name) {
  const auto found = std::ranges::find(terms, name, &LossTerm::name);
  return found == terms.end() ? 0.0 : found->weight;
}

std::int64_t aligning_member(const TrainingOptions& options) {
  for (std::int64_t member = 0; member < options.members; ++member) {
    const std::vector<LossTerm> terms = loss_terms(options.loss, member);
    if (weight_of(terms, "cross-entropy") == 0.0 && weight_of(terms, "recognition") == 0.0) return member;
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
  for (const std::vector<LossTerm>& terms : losses(options.loss)) {
    require(weight_of(terms, "slopes") == 0.0 || options.method == "exact",
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
