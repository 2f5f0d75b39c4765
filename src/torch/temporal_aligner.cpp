#include "diffeo/torch/temporal_aligner.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <sstream>
#include <string>
#include <utility>

#include "callers_stop.hpp"
#include "diffeo/error.hpp"
#include "diffeo/stratified.hpp"
#include "diffeo/threads.hpp"
#include "diffeo/torch/interruption.hpp"
#include "diffeo/torch/localization_net.hpp"
#include "fit_members.hpp"
#include "layered_warp.hpp"
#include "shared_set.hpp"
#include "shrinkage.hpp"
#include "temporal_model.hpp"
#include "torch_threads.hpp"
#include "transformer_options.hpp"

namespace diffeo {
namespace {

/// Of the training that chooses the shrinkage, compared with the training itself.
constexpr double kFoldEffort = 0.4;

/// Values or gaps in every series, nothing infinite: what a network can look at.
void require_visible(const Dataset& set, const char* name) {
  require(std::ranges::none_of(set.values(), [](double value) { return std::isinf(value); }), name,
          ": expected finite or missing values, got an infinite one");
  const auto is_present = [](double value) { return !std::isnan(value); };
  for (std::size_t item = 0; item < set.cases(); ++item) {
    require(std::ranges::any_of(set.series(item).values(), is_present), "case ", item,
            ": expected at least one value, got none");
  }
}

void check_training_set(const SharedSet& set) {
  require(set.cases() > 0, "training: expected at least one series, got none");
  require(set.longest() >= static_cast<std::size_t>(kShortestSeries), "training: expected series of at least ",
          kShortestSeries, " time steps, got ", set.longest());
  require_visible(set.own(), "training");
}

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

/// One after the other, with ends that no text has.
std::string joined(const NamedTexts& values) {
  std::string text;
  for (const auto& [name, value] : values) text += value + '\0';
  return text;
}

/// What must be the same in all processes: every option, and the seed.
void require_same(const Group& group, const TrainingOptions& options, std::uint64_t seed) {
  NamedTexts own = {{"seed", std::to_string(seed)}};
  for (const Hyperparameter& each : hyperparameters()) own.emplace_back(each.name, hyperparameter_text(options, each));
  const std::vector<std::string> all = group.gathered(joined(own));
  group.together([&] {
    const auto other = std::ranges::find_if(all, [&](const std::string& text) { return text != all.front(); });
    if (other == all.end()) return;
    std::istringstream first(all.front());
    std::istringstream second(*other);
    for (const auto& [name, value] : own) {
      std::string expected;
      std::string came;
      std::getline(first, expected, '\0');
      std::getline(second, came, '\0');
      require(came == expected, name, ": expected the same in all processes, got ", expected, " in process 0 and ",
              came, " in process ", other - all.begin());
    }
  });
}

/// Classes that have cases, numbered without gaps.
std::vector<std::int64_t> dense_labels(const SharedSet& set) {
  std::vector<std::int64_t> labels(set.cases(), 0);
  if (!set.labelled()) return labels;
  std::vector<std::int64_t> numbers(set.class_names().size(), -1);
  for (const std::size_t label : set.labels()) numbers[label] = 0;
  std::int64_t next = 0;
  for (std::int64_t& number : numbers) {
    if (number == 0) number = next++;
  }
  for (std::size_t item = 0; item < set.cases(); ++item) labels[item] = numbers[set.labels()[item]];
  return labels;
}

TrainingTask task_of(const SharedSet& set, const TrainingOptions& options, std::uint64_t seed) {
  TrainingTask task;
  task.set = &set;
  task.normalisation = normalisation_of(set.own(), set.group());
  task.labels = dense_labels(set);
  task.classes = *std::ranges::max_element(task.labels) + 1;
  task.length = options.length > 0 ? options.length : static_cast<std::int64_t>(set.longest());
  task.options = options;
  task.seed = seed;
  return task;
}

bool validates(const TrainingTask& task) {
  return shrinkage_value(task.options.shrinkage) < 0.0 && task.classes > 1 && task.set->cases() > 1;
}

/// Which fold each case belongs to; none where shrinkage needs no folds.
std::vector<std::size_t> folds_of(const TrainingTask& task) {
  if (!validates(task)) return {};
  const std::vector<std::size_t> labels(task.labels.begin(), task.labels.end());
  const auto folds = std::min(static_cast<std::size_t>(task.options.folds), labels.size());
  return stratified_folds(labels, folds, task.seed);
}

/// The networks of the model, which train on everything, and then one for each fold, which trains without it.
std::vector<MemberPlan> plans_of(const TrainingTask& task, const std::vector<std::size_t>& folds) {
  std::vector<std::size_t> everything(task.set->cases());
  std::iota(everything.begin(), everything.end(), std::size_t{0});
  std::vector<MemberPlan> plans(static_cast<std::size_t>(task.options.members), MemberPlan{everything});
  const std::size_t count = folds.empty() ? 0 : *std::ranges::max_element(folds) + 1;
  for (std::size_t fold = 0; fold < count; ++fold) {
    MemberPlan plan{{}, kFoldEffort};
    std::ranges::copy_if(everything, std::back_inserter(plan.items),
                         [&](std::size_t item) { return folds[item] != fold; });
    plans.push_back(std::move(plan));
  }
  return plans;
}

void scale(std::vector<Matrix>& layers, double factor) {
  for (Matrix& layer : layers) {
    for (double& value : layer.values()) value *= factor;
  }
}

/// Series as they came, in so many steps: read along no warp at all.
Dataset unwarped(const Dataset& series, std::size_t length, TrainingOptions options) {
  options.composition = "compose";
  return layered_warp(series, {}, length, options, 1);
}

/// Sets of the same cases, equally long, as channels of one.
Dataset beside_each_other(const std::vector<Dataset>& parts) {
  if (parts.size() == 1) return parts.front();
  const Dataset& first = parts.front();
  Dataset result(first.channels() * parts.size());
  std::vector<double> values;
  for (std::size_t item = 0; item < first.cases(); ++item) {
    values.clear();
    for (const Dataset& part : parts) {
      const auto series = part.series(item).values();
      values.insert(values.end(), series.begin(), series.end());
    }
    result.add_case(values);
  }
  if (first.labelled()) result.set_labels({first.labels().begin(), first.labels().end()}, first.class_names());
  return result;
}

/// Whoever told torch how many threads to use means all of the work.
std::size_t threads_of_torch() { return static_cast<std::size_t>(at::get_num_threads()); }

/// Of what follows the training. The caller may end it, but not in a group, where others wait.
Interruption interruption_of(const FitControl& control) {
  if (!control.group.alone()) return {};
  if (!control.stop) return interruption_in_force();
  return [&control] {
    if (control.stop()) throw Interrupted("interrupted after training, before the model was complete");
  };
}

/// Parts of `at_once` items, each on one thread: a network gives other bits where torch splits it among several. As
/// many parts beside each other as torch may use threads.
void for_each_part(std::span<std::size_t> items, std::size_t at_once,
                   const std::function<void(std::span<std::size_t>)>& use) {
  const TorchThreads calling_thread;
  const std::size_t parts = (items.size() + at_once - 1) / at_once;
  std::vector<std::exception_ptr> failures(parts);
  const CallersStop stop(interruption_in_force());
  for_each_item(calling_thread.before(), parts, [&](std::size_t, std::size_t part) {
    at::set_num_threads(1);
    const at::NoGradGuard no_gradients;
    const InterruptionGuard interruptible(stop);
    const std::size_t first = part * at_once;
    try {
      ask_for_interruption();
      use(items.subspan(first, std::min(at_once, items.size() - first)));
    } catch (...) {
      failures[part] = std::current_exception();
    }
  });
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

void require_channels(const Dataset& series, std::size_t channels) {
  require(series.channels() == channels, "series: expected ", channels, channels == 1 ? " channel" : " channels",
          ", got ", series.channels());
}

}  // namespace

std::vector<Matrix> member_velocities(TemporalTransformer& network, const Normalisation& normalisation,
                                      const Dataset& series) {
  const auto vertices = static_cast<std::size_t>(network.options().cells) + 1;
  std::vector<Matrix> layers(static_cast<std::size_t>(network.options().layers), Matrix(series.cases(), vertices));
  std::vector<std::size_t> items(series.cases());
  std::iota(items.begin(), items.end(), std::size_t{0});
  for_each_part(items, series_at_once(static_cast<std::size_t>(network.length())), [&](std::span<std::size_t> part) {
    const std::vector<at::Tensor> found = network.forward(series_batch(series, normalisation, part)).velocities;
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      const at::Tensor values = found[layer].to(at::kDouble).contiguous();
      std::copy_n(values.const_data_ptr<double>(), values.numel(),
                  layers[layer].values().begin() + static_cast<std::ptrdiff_t>(part.front() * vertices));
    }
  });
  return layers;
}

std::int64_t parameter_count(const TrainingOptions& options, std::size_t channels, std::size_t length,
                             std::size_t classes) {
  check_training_options(options);
  const SeriesShape shape{static_cast<std::int64_t>(channels), static_cast<std::int64_t>(length),
                          static_cast<std::int64_t>(classes)};
  std::int64_t count = 0;
  for (std::int64_t member = 0; member < options.members; ++member) {
    const auto network = make_transformer(shape, options, member);
    for (const at::Tensor& tensor : network->parameters()) count += tensor.numel();
  }
  return count;
}

TemporalAligner::TemporalAligner(TrainingOptions options, std::uint64_t seed)
    : options_(std::move(options)), seed_(seed) {
  check_training_options(options_);
}

void TemporalAligner::fit(const Dataset& training) { fit(training, control_); }

void TemporalAligner::fit(const Dataset& training, const FitControl& control) {
  const Group& group = control.group;
  const SharedSet set(training, group);
  group.together([&] { check_training_set(set); });
  if (!group.alone()) require_same(group, options_, seed_);
  TrainingTask task = task_of(set, options_, seed_);
  task.precision = control.double_precision ? at::kDouble : at::kFloat;
  if (!group.alone() || !control.checkpoint.empty()) task.set_digest = set.digest();
  const std::vector<std::size_t> folds = folds_of(task);
  const std::vector<TrainedMember> trained = fit_members(task, plans_of(task, folds), control);
  const auto members = std::span(trained).first(static_cast<std::size_t>(options_.members));
  const InterruptionGuard interruptible(interruption_of(control));

  auto model = std::make_shared<Model>();
  model->channels = training.channels();
  model->length = static_cast<std::size_t>(task.length);
  model->normalisation = task.normalisation;
  for (const TrainedMember& member : members) model->members.push_back(member.network);
  for (const TrainedMember& each : trained) {
    model->history.insert(model->history.end(), each.history.begin(), each.history.end());
  }
  model->shrinkage = std::abs(shrinkage_value(options_.shrinkage));  // nothing to choose by: all of the warp
  if (validates(task)) {
    model->shrinkage = validated_shrinkage(task, folds, std::span(trained).subspan(members.size()));
  }
  TemporalAligner fitted(options_, seed_);
  fitted.model_ = model;
  const auto means = [&](const Dataset& warped) { return class_mean_series(warped, set); };
  model->centroids = means(fitted.transform(training));
  model->comparison_centroids = beside_each_other(fitted.by_member(training, means));
  model->unwarped_centroids = means(unwarped(training, model->length, options_));
  model_ = std::move(model);
}

const TemporalAligner::Model& TemporalAligner::model() const {
  require(fitted(), "TemporalAligner: expected fit before this");
  return *model_;
}

std::vector<Matrix> TemporalAligner::velocities_of(std::size_t member, const Dataset& series) const {
  require_channels(series, model().channels);
  require_visible(series, "series");
  std::vector<Matrix> layers = member_velocities(*model().members[member], model().normalisation, series);
  scale(layers, model().shrinkage * options_.horizon);
  return layers;
}

std::vector<Matrix> TemporalAligner::velocities(const Dataset& series) const {
  return velocities_of(static_cast<std::size_t>(aligning_member(options_)), series);
}

Dataset TemporalAligner::transform(const Dataset& series) const {
  return layered_warp(series, velocities(series), model().length, options_, threads_of_torch());
}

std::vector<Dataset> TemporalAligner::by_member(const Dataset& series, const Reduction& reduce) const {
  std::vector<Dataset> warped;
  for (std::size_t member = 0; member < model().members.size(); ++member) {
    warped.push_back(
        reduce(layered_warp(series, velocities_of(member, series), model().length, options_, threads_of_torch())));
  }
  return warped;
}

Dataset TemporalAligner::comparison(const Dataset& series) const {
  return beside_each_other(by_member(series, [](Dataset warped) { return warped; }));
}

Dataset TemporalAligner::inverse_transform(const Dataset& aligned, const Dataset& series) const {
  require(aligned.cases() == series.cases(), "aligned: expected one series for each of the ", series.cases(), ", got ",
          aligned.cases());
  const std::vector<Matrix> layers = velocities(series);
  Dataset result(aligned.channels());
  for (std::size_t item = 0; item < series.cases(); ++item) {
    std::vector<Matrix> own;
    for (const Matrix& layer : layers) {
      own.push_back(rows_from(layer, item, 1));
    }
    const std::vector<std::size_t> one = {item};
    const Matrix times = equal_times(1, series.length(item));
    const Dataset back = read_at(aligned.subset(one), layered_positions(own, times, options_, true, 1));
    aligned.labelled() ? result.add_case(back.values(), aligned.label(item)) : result.add_case(back.values());
  }
  return result;
}

Matrix TemporalAligner::warps(const Dataset& series) const {
  return warp_times(series, equal_times(series.cases(), model().length));
}

Matrix TemporalAligner::warp_times(const Dataset& series, const Matrix& times, bool inverse) const {
  require(times.rows() == series.cases(), "times: expected a row for each of the ", series.cases(), " series, got ",
          times.rows());
  return layered_positions(velocities(series), times, options_, inverse, threads_of_torch());
}

std::size_t TemporalAligner::channels() const { return model().channels; }
std::size_t TemporalAligner::length() const { return model().length; }
std::size_t TemporalAligner::series_at_once() const { return diffeo::series_at_once(model().length); }
double TemporalAligner::shrinkage() const { return model().shrinkage; }
const std::vector<EpochRecord>& TemporalAligner::history() const { return model().history; }
const Dataset& TemporalAligner::centroids() const { return model().centroids; }
const Dataset& TemporalAligner::comparison_centroids() const { return model().comparison_centroids; }
const Dataset& TemporalAligner::unwarped_centroids() const { return model().unwarped_centroids; }

}  // namespace diffeo
