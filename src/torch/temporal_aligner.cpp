#include "diffeo/torch/temporal_aligner.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>

#include "callers_stop.hpp"
#include "centering.hpp"
#include "checkpoint.hpp"
#include "diffeo/error.hpp"
#include "diffeo/stratified.hpp"
#include "diffeo/threads.hpp"
#include "diffeo/torch/interruption.hpp"
#include "diffeo/torch/localization_net.hpp"
#include "fit_members.hpp"
#include "layered_warp.hpp"
#include "shared_set.hpp"
#include "shrinkage.hpp"
#include "teacher.hpp"
#include "temporal_model.hpp"
#include "torch_threads.hpp"
#include "transformer_options.hpp"

namespace diffeo {
namespace {

/// Of the training that chooses the shrinkage, compared with the training itself.
constexpr double kFoldEffort = 0.4;
/// Of squared distances, in units of the training set's variance: below is rounding, for networks compute velocities in
/// float, and a position that is off by 1e-7 of the duration moves values by ten times that where a series is steep.
constexpr double kLeastSpread = 1e-12;
/// Of the squared distance between probabilities of classes, beside distances in units of the spread within classes.
constexpr double kRecognitionWeight = 4.0;

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
  if (!set.labeled()) return labels;
  std::vector<std::int64_t> numbers(set.class_names().size(), -1);
  for (const std::size_t label : set.labels()) numbers[label] = 0;
  std::int64_t next = 0;
  for (std::int64_t& number : numbers) {
    if (number == 0) number = next++;
  }
  for (std::size_t item = 0; item < set.cases(); ++item) labels[item] = numbers[set.labels()[item]];
  return labels;
}

/// What all members have in common; the series, by their features, are each member's own.
TrainingTask common_task(const SharedSet& set, const TrainingOptions& options, std::uint64_t seed) {
  TrainingTask task;
  task.labels = dense_labels(set);
  task.classes = *std::ranges::max_element(task.labels) + 1;
  task.channels = static_cast<std::int64_t>(set.channels());
  task.length = options.length > 0 ? options.length : static_cast<std::int64_t>(set.longest());
  task.options = options;
  task.seed = seed;
  return task;
}

/// The training set by some features, and the task of the members that see it so.
struct FeatureTask {
  FeatureTask(const SharedSet& set, const FeatureMaker& maker, const Features& features, const TrainingTask& common)
      : series(maker, set.own(), features), shared(series.get(), set.group()), task(common) {
    task.set = &shared;
    task.first_slope = features.values ? set.channels() : 0;
    task.normalization = normalization_of(series.get(), set.group());
  }
  FeatureTask(const FeatureTask&) = delete;
  FeatureTask& operator=(const FeatureTask&) = delete;

  SeenSeries series;
  SharedSet shared;
  TrainingTask task;
};

/// By features, for all members that there are.
using FeatureTasks = std::map<Features, FeatureTask>;

const TrainingTask& task_of(const FeatureTasks& tasks, const TrainingOptions& options, std::int64_t member) {
  return tasks.at(member_loss(options, member).features).task;
}

bool is_taught(const TrainingOptions& options, std::int64_t member) {
  return weight_of(member_loss(options, member), "warps") > 0.0;
}

bool validates(const TrainingTask& task) {
  return shrinkage_value(task.options.shrinkage) < 0.0 && task.classes > 1 && task.labels.size() > 1;
}

/// Which fold each case belongs to; none where shrinkage needs no folds.
std::vector<std::size_t> folds_of(const TrainingTask& task) {
  if (!validates(task)) return {};
  const std::vector<std::size_t> labels(task.labels.begin(), task.labels.end());
  const auto folds = std::min(static_cast<std::size_t>(task.options.folds), labels.size());
  return stratified_folds(labels, folds, task.seed);
}

/// The networks of the model, which train on everything, and then one for each fold, which trains without it.
std::vector<MemberPlan> plans_of(const FeatureTasks& tasks, std::span<const std::int64_t> members,
                                 const TrainingOptions& options, const std::vector<std::size_t>& folds) {
  const TrainingTask& of_folds = task_of(tasks, options, aligning_member(options));
  std::vector<std::size_t> everything(of_folds.labels.size());
  std::iota(everything.begin(), everything.end(), std::size_t{0});
  std::vector<MemberPlan> plans;
  for (const std::int64_t member : members) plans.push_back({&task_of(tasks, options, member), member, everything});
  const std::size_t count = folds.empty() ? 0 : *std::ranges::max_element(folds) + 1;
  for (std::size_t fold = 0; fold < count; ++fold) {
    MemberPlan plan{&of_folds, member_count(options) + static_cast<std::int64_t>(fold), {}, kFoldEffort};
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
Dataset beside_each_other(std::vector<Dataset> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  const Dataset& first = parts.front();
  std::size_t channels = 0;
  for (const Dataset& part : parts) channels += part.channels();
  Dataset result(channels);
  std::vector<double> values;
  for (std::size_t item = 0; item < first.cases(); ++item) {
    values.clear();
    for (const Dataset& part : parts) {
      const auto series = part.series(item).values();
      values.insert(values.end(), series.begin(), series.end());
    }
    result.add_case(values);
  }
  if (first.labeled()) result.set_labels({first.labels().begin(), first.labels().end()}, first.class_names());
  return result;
}

/// What warped features are multiplied by so that their mean squared distance to the means of their classes, summed over
/// channels, is 1: members count alike, whatever they see. 1 where there is no distance.
double balancing_scale(const Dataset& warped, const Dataset& means, const SharedSet& set) {
  std::map<std::string, std::size_t> number;  // of every class among the means
  for (std::size_t item = 0; set.labeled() && item < means.cases(); ++item) number.emplace(means.label(item), item);
  std::vector<double> sums(2, 0.0);  // of squares, and their number
  for (std::size_t item = 0; item < warped.cases(); ++item) {
    const std::span<const double> own = warped.series(item).values();
    const std::size_t label = set.labeled() ? number.at(warped.label(item)) : 0;
    const std::span<const double> mean = means.series(label).values();
    for (std::size_t i = 0; i < own.size(); ++i) {
      const double difference = own[i] - mean[i];
      if (std::isnan(difference)) continue;
      sums[0] += difference * difference;
      ++sums[1];
    }
  }
  set.group().sum(sums);
  if (!(sums[0] > kLeastSpread * sums[1])) return 1.0;
  return std::sqrt(sums[1] / (sums[0] * static_cast<double>(warped.channels())));
}

Teacher::Settings teacher_settings(const TrainingOptions& options, std::uint64_t seed, const FitControl& control) {
  const std::size_t threads = control.threads == 0 ? available_threads() : control.threads;
  Teacher::Settings settings{options.zero_boundary, seed, threads, {}};
  if (control.group.alone()) settings.stop = control.stop;  // in a group all align the same series
  return settings;
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
    set_torch_threads(1);
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

/// Into the rows of the matrix from `first` on.
void copy_rows(const at::Tensor& rows, std::size_t first, Matrix& matrix) {
  const at::Tensor values = rows.to(at::kDouble).contiguous();
  std::copy_n(values.const_data_ptr<double>(), values.numel(),
              matrix.values().begin() + static_cast<std::ptrdiff_t>(first * matrix.columns()));
}

std::size_t channels_of_probabilities(std::size_t classes, std::size_t steps) { return (classes + steps - 1) / steps; }

/// Probabilities beside series of so many steps, in units of what else is compared: in a row from the first step on, in as
/// few channels as hold them, such that the mean of squared differences over the steps is the weight times their squared
/// distance.
Dataset as_series(const Matrix& probabilities, const Dataset& beside) {
  const std::size_t steps = beside.longest();
  const std::size_t channels = channels_of_probabilities(probabilities.columns(), steps);
  Dataset result(channels);
  std::vector<double> values(channels * steps, 0.0);
  for (std::size_t item = 0; item < beside.cases(); ++item) {
    std::ranges::transform(probabilities.row(item), values.begin(), [&](double probability) {
      return std::sqrt(kRecognitionWeight * static_cast<double>(steps)) * probability;
    });
    result.add_case(values);
  }
  if (beside.labeled()) result.set_labels({beside.labels().begin(), beside.labels().end()}, beside.class_names());
  return result;
}

void require_channels(const Dataset& series, std::size_t channels) {
  require(series.channels() == channels, "series: expected ", channels, channels == 1 ? " channel" : " channels",
          ", got ", series.channels());
}

}  // namespace

NetworkOutput network_output(TemporalTransformer& network, const Normalization& normalization, const Dataset& series) {
  const auto vertices = static_cast<std::size_t>(network.options().cells) + 1;
  const auto classes = static_cast<std::size_t>(network.options().localization.classes);
  NetworkOutput output;
  output.velocities.assign(static_cast<std::size_t>(network.options().layers), Matrix(series.cases(), vertices));
  if (classes > 1) output.recognized = Matrix(series.cases(), classes);
  std::vector<std::size_t> items(series.cases());
  std::iota(items.begin(), items.end(), std::size_t{0});
  for_each_part(items, series_at_once(static_cast<std::size_t>(network.length())), [&](std::span<std::size_t> part) {
    const Transformed found = network.forward(series_batch(series, normalization, part));
    for (std::size_t layer = 0; layer < output.velocities.size(); ++layer) {
      copy_rows(found.velocities[layer], part.front(), output.velocities[layer]);
    }
    if (classes > 1) copy_rows(at::stack(found.evidence).softmax(2).mean(0), part.front(), output.recognized);
  });
  return output;
}

std::vector<std::int64_t> useful_members(const TrainingOptions& options, std::int64_t classes) {
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> aligning;
  for (std::int64_t member = 0; member < member_count(options); ++member) {
    all.push_back(member);
    if (!tells_classes_apart(member_loss(options, member))) aligning.push_back(member);
  }
  return classes > 1 || aligning.empty() ? all : aligning;
}

std::size_t comparison_channels(const TrainingOptions& options, std::int64_t classes, std::size_t channels,
                                std::size_t length) {
  std::size_t all = 0;
  std::size_t telling = 0;
  for (const std::int64_t member : useful_members(options, classes)) {
    const MemberLoss loss = member_loss(options, member);
    const bool recognizes = classes > 1 && weight_of(loss, "recognition") > 0.0;
    const std::size_t own = feature_channels(loss.features, channels) +
                            (recognizes ? channels_of_probabilities(static_cast<std::size_t>(classes), length) : 0);
    all += own;
    if (tells_classes_apart(loss)) telling += own;
  }
  return telling > 0 ? telling : all;
}

std::int64_t parameter_count(const TrainingOptions& options, std::size_t channels, std::size_t length,
                             std::size_t classes) {
  check_training_options(options);
  const SeriesShape shape{static_cast<std::int64_t>(channels), static_cast<std::int64_t>(length),
                          static_cast<std::int64_t>(classes)};
  std::int64_t count = 0;
  for (const std::int64_t member : useful_members(options, static_cast<std::int64_t>(classes))) {
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
  const SharedSet set(training, control.group);
  control.group.together([&] { check_training_set(set); });
  if (!control.group.alone()) require_same(control.group, options_, seed_);
  begin_checkpoint(control);
  try {
    model_ = learned(training, set, control);
  } catch (...) {
    remove_unbegun_checkpoint(control);
    throw;
  }
}

std::shared_ptr<const TemporalAligner::Model> TemporalAligner::learned(const Dataset& training, const SharedSet& set,
                                                                       const FitControl& control) const {
  const Group& group = control.group;
  TrainingTask common = common_task(set, options_, seed_);
  common.precision = control.double_precision ? at::kDouble : at::kFloat;
  if (!group.alone() || !control.checkpoint.empty()) common.set_digest = set.digest();
  const std::vector<std::int64_t> numbers = useful_members(options_, common.classes);
  auto model = std::make_shared<Model>();
  const auto sees_slopes = [&](std::int64_t member) { return member_loss(options_, member).features.slopes; };
  model->features = FeatureMaker(training, group, std::ranges::any_of(numbers, sees_slopes));
  std::optional<Teacher> teacher;
  if (std::ranges::any_of(numbers, [&](std::int64_t member) { return is_taught(options_, member); })) {
    common.teacher =
        &teacher.emplace(set, model->features.values(), common.labels, teacher_settings(options_, seed_, control));
  }
  FeatureTasks tasks;
  for (const std::int64_t member : numbers) {
    const Features features = member_loss(options_, member).features;
    tasks.try_emplace(features, set, model->features, features, common);
  }
  const std::vector<std::size_t> folds = folds_of(common);
  const std::vector<TrainedMember> trained = fit_members(plans_of(tasks, numbers, options_, folds), control);
  const InterruptionGuard interruptible(interruption_of(control));

  model->channels = training.channels();
  model->length = static_cast<std::size_t>(common.length);
  for (std::size_t index = 0; index < numbers.size(); ++index) {
    const std::int64_t member = numbers[index];
    if (member == aligning_member(options_)) model->aligning = index;
    model->members.push_back({member, trained[index].network, task_of(tasks, options_, member).normalization});
  }
  for (const TrainedMember& each : trained) {
    model->history.insert(model->history.end(), each.history.begin(), each.history.end());
  }
  model->shrinkage = std::abs(shrinkage_value(options_.shrinkage));  // nothing to choose by: all of the warp
  if (validates(common)) {
    model->shrinkage = validated_shrinkage(task_of(tasks, options_, aligning_member(options_)), folds,
                                           std::span(trained).subspan(numbers.size()));
  }
  tasks.clear();  // what follows needs the room
  TemporalAligner fitted(options_, seed_);
  fitted.model_ = model;
  if (options_.centered) {
    model->offsets = centering_offsets(fitted.velocities(training), options_, group, threads_of_torch());
  }
  const auto means = [&](const Dataset& warped) { return class_mean_series(warped, set); };
  model->centroids = means(fitted.transform(training));
  for (ModelMember& member : model->members) {
    if (!fitted.is_compared(member)) continue;
    const Dataset warped = fitted.warped_features(member, training, fitted.output_of(member, training).velocities);
    member.comparison_scale = balancing_scale(warped, means(warped), set);
  }
  model->comparison_centroids = beside_each_other(fitted.by_member(training, means));
  model->unwarped_centroids = means(unwarped(training, model->length, options_));
  return model;
}

const TemporalAligner::Model& TemporalAligner::model() const {
  require(fitted(), "TemporalAligner: expected fit before this");
  return *model_;
}

NetworkOutput TemporalAligner::output_of(const ModelMember& member, const Dataset& series) const {
  require_channels(series, model().channels);
  require_visible(series, "series");
  const SeenSeries seen(model().features, series, member_loss(options_, member.number).features);
  NetworkOutput output = network_output(*member.network, member.normalization, seen.get());
  scale(output.velocities, model().shrinkage * options_.horizon);
  if (&member == &model().members[model().aligning]) subtract_offsets(model().offsets, output.velocities);
  return output;
}

std::vector<Matrix> TemporalAligner::velocities(const Dataset& series) const {
  return output_of(model().members[model().aligning], series).velocities;
}

Dataset TemporalAligner::transform(const Dataset& series) const {
  return layered_warp(series, velocities(series), model().length, options_, threads_of_torch());
}

Dataset TemporalAligner::warped_features(const ModelMember& member, const Dataset& series,
                                         const std::vector<Matrix>& velocities) const {
  const SeenSeries seen(model().features, series, member_loss(options_, member.number).features);
  Dataset warped = normalized(layered_warp(seen.get(), velocities, model().length, options_, threads_of_torch()),
                              member.normalization);
  for (double& value : warped.values()) value *= member.comparison_scale;
  return warped;
}

std::vector<Dataset> TemporalAligner::compared_by(const ModelMember& member, const Dataset& series) const {
  const NetworkOutput output = output_of(member, series);
  std::vector<Dataset> parts;
  parts.push_back(warped_features(member, series, output.velocities));
  if (output.recognized.columns() > 0) parts.push_back(as_series(output.recognized, parts.front()));
  return parts;
}

/// Members that tell classes apart; all of them if none does.
bool TemporalAligner::is_compared(const ModelMember& member) const {
  const auto tells = [&](const ModelMember& each) { return tells_classes_apart(member_loss(options_, each.number)); };
  return tells(member) || std::ranges::none_of(model().members, tells);
}

std::vector<Dataset> TemporalAligner::by_member(const Dataset& series, const Reduction& reduce) const {
  std::vector<Dataset> warped;
  for (const ModelMember& member : model().members) {
    if (!is_compared(member)) continue;
    for (Dataset& part : compared_by(member, series)) warped.push_back(reduce(std::move(part)));
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
    aligned.labeled() ? result.add_case(back.values(), aligned.label(item)) : result.add_case(back.values());
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
