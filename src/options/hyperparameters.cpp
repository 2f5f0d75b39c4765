// The table of hyper-parameters, and values as people type them.
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <system_error>

#include "diffeo/error.hpp"
#include "diffeo/training_options.hpp"
#include "options/trimmed.hpp"

namespace diffeo {
namespace {

using Options = TrainingOptions;
constexpr double kMost = 1e9;  // far beyond what makes sense, and exact in every type

const std::vector<Hyperparameter>& table() {
  static const std::vector<Hyperparameter> rows = {
      {"cells", "warps", &Options::cells, 1, 4096, {}, "Cells of the velocity fields: more allow finer warps"},
      {"zero_boundary", "warps", &Options::zero_boundary, 0, 0, {}, "Whether both ends of every series stay in place"},
      {"basis", "warps", &Options::basis, 0, 0, {"svd", "qr", "rref", "sparse"}, "Basis of the velocity fields"},
      {"layers", "warps", &Options::layers, 1, 64, {}, "Warps one after the other, each decided by a network"},
      {"shared_layers",
       "warps",
       &Options::shared_layers,
       0,
       0,
       {},
       "Whether all layers share one network (recurrences)"},
      {"composition",
       "warps",
       &Options::composition,
       0,
       0,
       {"compose", "resample"},
       "Several layers: compose the warps exactly, or resample the series after each"},
      {"velocity_scale",
       "warps",
       &Options::velocity_scale,
       1e-6,
       1e6,
       {},
       "Size of the velocities that a network can ask for"},
      {"horizon", "warps", &Options::horizon, 1e-6, 1e3, {}, "How long a velocity field flows"},
      {"method",
       "warps",
       &Options::method,
       0,
       0,
       {"exact", "numeric", "scaling-squaring"},
       "How the flow is integrated"},
      {"method_steps",
       "warps",
       &Options::method_steps,
       0,
       4096,
       {},
       "Steps of the numeric method, squarings of scaling-squaring; exact has none"},
      {"length",
       "warps",
       &Options::length,
       0,
       kMost,
       {},
       "Time steps of aligned series, 8 or more; 0 means the longest training series'"},
      {"centered",
       "warps",
       &Options::centered,
       0,
       0,
       {},
       "Whether common time is the mean of the training series' own times"},

      {"network",
       "network",
       &Options::network,
       0,
       0,
       {"conv", "recurrent", "inception", "residual"},
       "What looks at a series and decides on its warp"},
      {"widths", "network", &Options::widths, 1, 65536, {}, "Channels of the network's blocks"},
      {"kernels", "network", &Options::kernels, 1, 65535, {}, "Lengths of the convolutions, odd, one for each block"},
      {"hidden", "network", &Options::hidden, 1, 1e6, {}, "Width of the layer before the last"},
      {"positions",
       "network",
       &Options::positions,
       1,
       1e6,
       {},
       "Time steps, at most, that reach the last two layers of conv and residual"},
      {"dropout",
       "network",
       &Options::dropout,
       0,
       0.99,
       {},
       "Part of the features left out in training, before the last two layers"},
      {"initialization", "network", &Options::initialization, 0, 0, {"torch", "xavier-normal"}, "How weights start"},

      {"loss",
       "loss",
       &Options::loss,
       0,
       0,
       {},
       "What training makes small: a sum of warps, variance, slopes, inverse-consistent, cross-entropy and "
       "recognition, each with a weight before it; on values, slopes or values and slopes; several, with | between "
       "them, are for members in turn"},
      {"sharpness",
       "loss",
       &Options::sharpness,
       1e-6,
       1e6,
       {},
       "Where the cross-entropy's sharpness starts, in units of 1 / the variance within classes before training"},
      {"prior_weight", "loss", &Options::prior_weight, 0, 1e9, {}, "Weight of the smoothness prior's penalty"},
      {"length_scale", "loss", &Options::length_scale, 1e-3, 1e3, {}, "Smoothness of the prior, of the series' length"},

      {"epochs", "optimizer", &Options::epochs, 1, kMost, {}, "Passes over the training set"},
      {"least_steps", "optimizer", &Options::least_steps, 0, kMost, {}, "Steps, at least: small sets get more epochs"},
      {"batch_size", "optimizer", &Options::batch_size, 2, kMost, {}, "Series in a step"},
      {"balanced", "optimizer", &Options::balanced, 0, 0, {}, "Whether rare classes come more often than by chance"},
      {"learning_rate", "optimizer", &Options::learning_rate, 1e-12, 1e3, {}, "Step size of Adam"},
      {"schedule", "optimizer", &Options::schedule, 0, 0, {"cosine", "constant"}, "How the learning rate goes down"},
      {"weight_decay",
       "optimizer",
       &Options::weight_decay,
       0,
       1e3,
       {},
       "Decoupled decay of the weights (AdamW); 0 is Adam"},
      {"beta1", "optimizer", &Options::beta1, 0, 0.999999, {}, "Decay of Adam's mean of gradients"},
      {"beta2", "optimizer", &Options::beta2, 0, 0.999999, {}, "Decay of Adam's mean of squared gradients"},
      {"epsilon", "optimizer", &Options::epsilon, 1e-30, 1, {}, "What keeps Adam from dividing by zero"},
      {"clip", "optimizer", &Options::clip, 0, 1e9, {}, "Longest gradient allowed; 0 allows any"},
      {"noise",
       "optimizer",
       &Options::noise,
       0,
       1e3,
       {},
       "Noise added to what the network sees in training, of the data's standard deviation"},
      {"augmentation",
       "optimizer",
       &Options::augmentation,
       0,
       10,
       {},
       "Size of the random warps that training series get, of their length; 0 leaves them as they are"},

      {"members",
       "robustness",
       &Options::members,
       0,
       1024,
       {},
       "Number of networks; 0 means one for each loss. The first that only aligns aligns, the others compare"},
      {"shrinkage",
       "robustness",
       &Options::shrinkage,
       0,
       0,
       {},
       "Time at which trained warps are used, 0 to 1; or validated, to choose it on series held out of training"},
      {"folds",
       "robustness",
       &Options::folds,
       2,
       100,
       {},
       "Parts of the training set held out in turn to choose the shrinkage, where it is validated"},
      {"validation",
       "robustness",
       &Options::validation,
       0,
       0.9,
       {},
       "Part of the training set held out to stop early on; 0 trains to the end"},
      {"patience",
       "robustness",
       &Options::patience,
       1,
       kMost,
       {},
       "Epochs without a better held-out loss before stopping"},
  };
  return rows;
}

std::string range_text(const Hyperparameter& parameter) { return message(parameter.lowest, " to ", parameter.highest); }

template <class Number>
Number parsed(const Hyperparameter& parameter, std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  require(
      is_number && static_cast<double>(value) >= parameter.lowest && static_cast<double>(value) <= parameter.highest,
      parameter.name, ": expected ", type_name(parameter) == "number" ? "a number" : "an integer", " from ",
      range_text(parameter), ", got ", text);
  return value;
}

void assign(std::int64_t& value, const Hyperparameter& parameter, std::string_view text) {
  value = parsed<std::int64_t>(parameter, text);
}

void assign(double& value, const Hyperparameter& parameter, std::string_view text) {
  value = parsed<double>(parameter, text);
}

void assign(bool& value, const Hyperparameter& parameter, std::string_view text) {
  require(text == "true" || text == "false", parameter.name, ": expected true or false, got ", text);
  value = text == "true";
}

void assign(std::string& value, const Hyperparameter& parameter, std::string_view text) {
  const auto& choices = parameter.choices;
  if (!choices.empty() && std::ranges::find(choices, text) == choices.end()) {
    std::string list;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (i > 0) list.append(i + 1 == choices.size() ? " or " : ", ");
      list.append(choices[i]);
    }
    require(false, parameter.name, ": expected ", list, ", got ", text);
  }
  value = text;
}

void assign(std::vector<std::int64_t>& value, const Hyperparameter& parameter, std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    numbers.push_back(parsed<std::int64_t>(parameter, trimmed(rest.substr(0, comma))));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  value = std::move(numbers);
}

std::string text_of(std::int64_t value) { return std::to_string(value); }
std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(const std::string& value) { return value; }

std::string text_of(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string text_of(const std::vector<std::int64_t>& values) {
  std::string text;
  for (const std::int64_t value : values) {
    if (!text.empty()) text.append(",");
    text.append(std::to_string(value));
  }
  return text;
}

std::size_t common_letters(std::string_view a, std::string_view b) {
  std::size_t common = 0;
  while (common < std::min(a.size(), b.size()) && a[common] == b[common]) ++common;
  return common;
}

}  // namespace

std::string_view type_name(const Hyperparameter& parameter) noexcept {
  constexpr std::array<std::string_view, 5> names = {"integer", "number", "truth", "text", "integers"};
  return names[parameter.field.index()];
}

std::span<const Hyperparameter> hyperparameters() { return table(); }

const Hyperparameter& hyperparameter(std::string_view name) {
  const auto& rows = table();
  const auto found = std::ranges::find(rows, name, &Hyperparameter::name);
  if (found != rows.end()) return *found;
  const auto nearest =
      std::ranges::max_element(rows, {}, [&](const Hyperparameter& row) { return common_letters(row.name, name); });
  throw std::invalid_argument(message(name, ": expected the name of a hyper-parameter, such as ", nearest->name));
}

std::string hyperparameter_text(const TrainingOptions& options, const Hyperparameter& parameter) {
  return std::visit([&](auto field) { return text_of(options.*field); }, parameter.field);
}

void set_hyperparameter(TrainingOptions& options, std::string_view name, std::string_view text) {
  const Hyperparameter& parameter = hyperparameter(name);
  std::visit([&](auto field) { assign(options.*field, parameter, trimmed(text)); }, parameter.field);
}

}  // namespace diffeo
