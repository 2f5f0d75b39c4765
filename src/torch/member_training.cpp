#include "member_training.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "diffeo/error.hpp"
#include "diffeo/prior.hpp"
#include "diffeo/random.hpp"
#include "diffeo/stratified.hpp"
#include "diffeo/torch/losses.hpp"
#include "diffeo/torch/operators.hpp"
#include "named_tensors.hpp"
#include "slope_batches.hpp"
#include "training_history.hpp"
#include "transformer_options.hpp"

namespace diffeo {
namespace {

/// Of a prior of variance 1: the weight says how much it counts.
constexpr double kPriorVariance = 1.0;

std::uint64_t derived_seed(std::uint64_t seed, std::int64_t member, std::int64_t epoch) {
  Random first(seed);
  Random second(first.bits() + static_cast<std::uint64_t>(member));
  Random third(second.bits() + static_cast<std::uint64_t>(epoch));
  return third.bits();
}

WarpSpace warp_space(const TrainingOptions& options) {
  return WarpSpace(static_cast<std::size_t>(options.cells), options.zero_boundary, basis_from_name(options.basis));
}

at::Tensor tensor_of(const Matrix& matrix) {
  const at::Tensor values =
      at::empty({static_cast<std::int64_t>(matrix.rows()), static_cast<std::int64_t>(matrix.columns())}, at::kDouble);
  std::ranges::copy(matrix.values(), values.mutable_data_ptr<double>());
  return values;
}

at::Tensor prior_precision(const TrainingOptions& options, at::ScalarType type) {
  return tensor_of(Prior(warp_space(options), kPriorVariance, options.length_scale).precision()).to(type);
}

/// Weights and averages in another precision; counts stay counts.
void convert(torch::nn::Module& module, at::ScalarType type) {
  const auto set = [&](at::Tensor tensor) {
    if (tensor.is_floating_point()) tensor.set_data(tensor.to(type));
  };
  for (const at::Tensor& parameter : module.parameters()) set(parameter);
  for (const at::Tensor& buffer : module.buffers()) set(buffer);
}

at::Tensor own_distances(const at::Tensor& distances, const at::Tensor& labels) {
  return distances.gather(1, labels.unsqueeze(1));
}

/// A series that shares no sample with its centroid is infinitely far from it, and left out.
double finite_sum(const at::Tensor& distances) {
  return distances.masked_fill(distances.isfinite().logical_not(), 0.0).sum().item<double>();
}

/// Which rows of the batch a network is to draw its random numbers for.
BatchRows rows_of(const BatchShare& share, const Group& group) {
  if (group.alone()) return {};
  return {static_cast<std::int64_t>(share.cases), at::tensor(share.positions, at::kLong)};
}

/// Of the cases that this process has, so many as go through a network at once; where it has none, once without any.
template <class Use>
void for_each_chunk(const TrainingTask& task, std::span<const std::size_t> items, const Use& use) {
  const std::size_t at_once = series_at_once(static_cast<std::size_t>(task.length));
  const std::vector<std::size_t> own = task.set->share_of(items).items;
  std::size_t first = 0;
  do {
    use(task.set->share_of(std::span(own).subspan(first, std::min(at_once, own.size() - first))));
    first += at_once;
  } while (first < own.size());
}

}  // namespace

MemberTraining::MemberTraining(const TrainingTask& task, std::int64_t member, std::vector<std::size_t> items,
                               std::function<bool()> stop, double effort)
    : task_(task),
      member_(member),
      stop_(std::move(stop)),
      loss_(network_loss(task.options, member)),
      plan_{task.options.batch_size, task.options.balanced},
      network_(make_transformer({task.channels, task.length, task.classes}, task.options, member)),
      augmentation_(warp_space(task.options), task.options.length_scale, task.options.augmentation),
      log_sharpness_(at::zeros({}, task.precision).set_requires_grad(true)),
      precision_(prior_precision(task.options, task.precision)) {
  convert(*network_, task.precision);
  network_->set_group(task.group());
  const InterruptionGuard interruptible(interruption());
  if (is_taught()) std::erase_if(items, [&](std::size_t item) { return !task.teacher->teaches(item); });
  hold_out(std::move(items));
  steps_in_epoch_ = steps_per_epoch(plan_, items_.size());
  const auto part = [&](std::int64_t whole) { return std::llround(effort * static_cast<double>(whole)); };
  const std::int64_t for_steps = (part(task.options.least_steps) + steps_in_epoch_ - 1) / steps_in_epoch_;
  epochs_ = std::max<std::int64_t>({1, part(task.options.epochs), for_steps});
  training_counts_ = at::bincount(labels_of(items_), {}, task.classes);
  initialize(*network_, initialization_from_name(task.options.initialization),
             at::make_generator<at::CPUGeneratorImpl>(derived_seed(task.seed, member, 0)));
  start_sharpness();
  scale_slopes();
  make_optimizer();
  remember();
}

/// In a group all processes stop after the same step: one that left in the middle would keep the others waiting.
Interruption MemberTraining::interruption() const {
  if (!task_.group().alone() || !stop_) return {};
  return [this] {
    if (stop_()) throw Interrupted(message("training was interrupted in epoch ", epoch() + 1));
  };
}

/// How far the series are from the centroids of their classes decides what a large difference is.
void MemberTraining::start_sharpness() {
  if (weight("cross-entropy") == 0.0) return;
  const at::NoGradGuard no_gradients;
  const at::Tensor centroids = centroids_of_training_items();
  network_->eval();
  double sum = 0.0;
  for_each_chunk(task_, items_, [&](const BatchShare& share) {
    const at::Tensor labels = labels_of(share.items);
    sum += finite_sum(own_distances(squared_distances(aligned_in_evaluation(share), centroids), labels));
  });
  sum = task_.group().sum(sum);
  const auto degrees_of_freedom = static_cast<double>(items_.size()) - static_cast<double>(task_.classes);
  const double spread = degrees_of_freedom > 0.0 && sum > 0.0 ? sum / degrees_of_freedom : 1.0;
  log_sharpness_.fill_(std::log(task_.options.sharpness / spread));
}

void MemberTraining::scale_slopes() {
  if (weight("slopes") == 0.0) return;
  SlopeSums sums;
  for_each_chunk(task_, items_, [&](const BatchShare& share) {
    add_batch(series_batch(task_.set->own(), task_.normalization, share.places, {1, task_.precision}), sums);
  });
  SlopeSums::Numbers& numbers = sums.numbers();
  const at::Tensor all = at::from_blob(numbers.data(), {static_cast<std::int64_t>(numbers.size())}, at::kDouble);
  task_.group().sum_in_place(all);
  slope_scale_ = sums.scale();
}

/// The sharpness is no weight of a network: it does not decay.
void MemberTraining::make_optimizer() {
  const auto settings = [&](double decay) {
    return torch::optim::AdamWOptions(task_.options.learning_rate)
        .betas({task_.options.beta1, task_.options.beta2})
        .eps(task_.options.epsilon)
        .weight_decay(decay);
  };
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.emplace_back(network_->parameters(),
                      std::make_unique<torch::optim::AdamWOptions>(settings(task_.options.weight_decay)));
  groups.emplace_back(std::vector<at::Tensor>{log_sharpness_},
                      std::make_unique<torch::optim::AdamWOptions>(settings(0.0)));
  optimizer_ = std::make_unique<torch::optim::AdamW>(groups, settings(task_.options.weight_decay));
}

/// Keeps a stratified part of the items for early stopping, as far as classes have a case to spare.
void MemberTraining::hold_out(std::vector<std::size_t> items) {
  const double part = task_.options.validation;
  if (part == 0.0) {
    items_ = std::move(items);
    return;
  }
  std::vector<std::size_t> labels;
  for (const std::size_t item : items) labels.push_back(static_cast<std::size_t>(task_.labels[item]));
  const auto parts = static_cast<std::size_t>(std::max(2L, std::lround(1.0 / part)));
  const std::vector<std::size_t> folds = stratified_folds(labels, parts, derived_seed(task_.seed, member_, -1));
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool only_one = std::ranges::count(labels, labels[i]) == 1;
    (folds[i] == 0 && !only_one ? held_out_ : items_).push_back(items[i]);
  }
  require(!items_.empty() && !held_out_.empty(), "validation: expected enough series to hold some out, got ",
          items.size());
}

MemberTraining::NamedState MemberTraining::weights() const {
  NamedState result;
  for (const auto& item : network_->named_parameters()) result.emplace_back("network/" + item.key(), item.value());
  for (const auto& item : network_->named_buffers()) result.emplace_back("network/" + item.key(), item.value());
  result.emplace_back("log_sharpness", log_sharpness_);
  return result;
}

/// Weights and moments; moments are zero before the first step, as AdamW itself starts them.
MemberTraining::NamedState MemberTraining::everything() {
  NamedState result = weights();
  auto& states = optimizer_->state();
  std::vector<at::Tensor> parameters = network_->parameters();
  parameters.push_back(log_sharpness_);
  std::size_t number = 0;
  for (const at::Tensor& parameter : parameters) {
    auto& state = states[parameter.unsafeGetTensorImpl()];
    if (!state) {
      auto fresh = std::make_unique<torch::optim::AdamWParamState>();
      fresh->step(0);
      fresh->exp_avg(at::zeros_like(parameter));
      fresh->exp_avg_sq(at::zeros_like(parameter));
      state = std::move(fresh);
    }
    auto& moments = static_cast<torch::optim::AdamWParamState&>(*state);
    result.emplace_back("moments/first/" + std::to_string(number), moments.exp_avg());
    result.emplace_back("moments/second/" + std::to_string(number), moments.exp_avg_sq());
    ++number;
  }
  return result;
}

void MemberTraining::remember() {
  complete_.clear();
  for (const auto& [name, tensor] : everything()) complete_.emplace_back(name, tensor.detach().clone());
}

double MemberTraining::weight(std::string_view term) const { return weight_of(loss_, term); }

at::Tensor MemberTraining::labels_of(std::span<const std::size_t> items) const {
  const at::Tensor labels = at::empty({static_cast<std::int64_t>(items.size())}, at::kLong);
  std::ranges::transform(items, labels.mutable_data_ptr<std::int64_t>(),
                         [&](std::size_t item) { return task_.labels[item]; });
  return labels;
}

at::Tensor MemberTraining::aligned_in_evaluation(const BatchShare& share) {
  return network_->forward(series_batch(task_.set->own(), task_.normalization, share.places, {1, task_.precision}))
      .aligned;
}

/// (classes, channels, length), of the network as it is now.
at::Tensor MemberTraining::centroids_of_training_items() {
  const at::NoGradGuard no_gradients;
  network_->eval();
  ClassSums sums(task_.classes);
  for_each_chunk(task_, items_,
                 [&](const BatchShare& share) { sums.add(aligned_in_evaluation(share), labels_of(share.items)); });
  network_->train();
  return sums.means(task_.group());
}

void MemberTraining::check_finite(double term, std::string_view name) const {
  if (std::isfinite(term)) return;
  throw NonFiniteLoss(message("the term ", name, " of the loss is not finite in epoch ", epoch() + 1, " of member ",
                              member_, ": a smaller learning_rate or velocity_scale may help"));
}

/// What the network makes of a batch, noise on what it sees included.
Transformed MemberTraining::transformed_batch(const at::Tensor& series, const BatchShare& share,
                                              const at::Tensor& labels, at::Generator& generator) {
  const double noise = task_.options.noise;
  const BatchRows rows = rows_of(share, task_.group());
  network_->set_rows(rows);
  try {
    if (noise == 0.0) return network_->forward(series, 1.0, labels);
    const auto normal = [&](at::Tensor values) { return values.normal_(0.0, 1.0, generator); };
    Transformed result = network_->forward(series + noise * rows.drawn(series, normal), 1.0, labels);
    result.aligned = network_->apply(series, result.velocities);
    return result;
  } catch (const c10::Error&) {
    // The operators refuse velocities that are not finite; where they come from weights that are not, say so.
    for (const at::Tensor& parameter : network_->parameters())
      check_finite(parameter.sum().item<double>(), "velocities");
    throw;
  }
}

/// The series of a step as they came, a little warped at random; or lessons made of them.
MemberTraining::Batch MemberTraining::batch_of(std::span<const std::size_t> items, const BatchShare& share,
                                               Random& random) const {
  const BatchForm form{share.longest, task_.precision};
  const Dataset& own = task_.set->own();
  if (!is_taught()) return {series_batch(augmentation_(own, share, random), task_.normalization, form), {}};
  const Lessons lessons = task_.teacher->lessons(own, task_.first_slope, items, share, random);
  const at::Tensor velocities = tensor_of(lessons.velocities).to(task_.precision);
  return {series_batch(lessons.series, task_.normalization, form),
          flow(velocities, network_->grid(task_.length), at::ones({}, task_.precision))};
}

/// In units of how far the known warps move points; zero if this process has none of the batch.
at::Tensor MemberTraining::distance_to_known(const Batch& batch, const Transformed& transformed) const {
  const at::Tensor positions = network_->positions(transformed.velocities, network_->grid(task_.length));
  const auto points = static_cast<double>(std::max<std::int64_t>(1, positions.numel()));
  return (positions - batch.known_positions).square().sum() / (points * task_.teacher->mean_square_displacement());
}

std::vector<double> MemberTraining::Terms::numbers() const {
  return {loss, warps, variance, slopes, inverse_consistency, cross_entropy, recognition, prior, correct, stops};
}

MemberTraining::Terms MemberTraining::Terms::of(const std::vector<double>& numbers) {
  return {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4],
          numbers[5], numbers[6], numbers[7], numbers[8], numbers[9]};
}

/// What a process computes is its share of every term; terms are judged when they are whole, which is before anything
/// is made of their gradients.
MemberTraining::Terms MemberTraining::step(std::span<const std::size_t> items, const at::Tensor& centroids,
                                           Random& random, at::Generator& generator, bool stops) {
  const Group& group = task_.group();
  const BatchShare share = task_.set->share_of(items);
  const Batch batch = batch_of(items, share, random);
  const at::Tensor& series = batch.series;
  const at::Tensor labels = labels_of(share.items);
  const Transformed transformed = transformed_batch(series, share, labels, generator);

  Terms result;
  result.stops = stops ? 1.0 : 0.0;
  at::Tensor loss = at::zeros({}, task_.precision);
  const auto add = [&](const at::Tensor& term, double term_weight, std::string_view name, double& number) {
    ask_for_interruption();
    number = term.item<double>();
    if (group.alone()) check_finite(number, name);
    if (term_weight != 0.0) loss = loss + term_weight * term;
  };
  /// Of a mean over the cases here, what it adds to that over the batch.
  const auto part_of_mean = [&](const at::Tensor& mean) {
    return group.alone() ? mean : mean * (static_cast<double>(share.items.size()) / static_cast<double>(share.cases));
  };
  add(within_class_variance(transformed.aligned, labels, task_.classes, group), weight("variance"), "variance",
      result.variance);
  // Warps that are taught are smooth already.
  const double prior_weight = is_taught() ? 0.0 : task_.options.prior_weight;
  add(part_of_mean(prior_penalty(transformed.thetas, precision_)), prior_weight, "prior", result.prior);
  if (is_taught()) {
    add(part_of_mean(distance_to_known(batch, transformed)), weight("warps"), "warps", result.warps);
  }
  if (const double slopes_weight = weight("slopes"); slopes_weight != 0.0) {
    add(within_class_slope_variance(*network_, slope_batch(series, slope_scale_, task_.length), transformed.velocities,
                                    labels, task_.classes, 1.0, group),
        slopes_weight, "slopes", result.slopes);
  }
  if (const double inverse_weight = weight("inverse-consistent"); inverse_weight != 0.0) {
    add(inverse_consistency(*network_, series, transformed, labels, task_.classes, 1.0, group), inverse_weight,
        "inverse-consistent", result.inverse_consistency);
  }
  const at::Tensor distances = squared_distances(
      transformed.aligned,
      centroids.defined() ? centroids : class_means(transformed.aligned.detach(), labels, task_.classes, group));
  if (const double entropy_weight = weight("cross-entropy"); entropy_weight != 0.0) {
    add(part_of_mean(centroid_cross_entropy(distances, labels, training_counts_, log_sharpness_)), entropy_weight,
        "cross-entropy", result.cross_entropy);
  }
  if (!transformed.evidence.empty()) {
    add(part_of_mean(recognition_loss(transformed.evidence, labels)), weight("recognition"), "recognition",
        result.recognition);
  }
  result.loss = loss.item<double>();
  result.correct = (distances.argmin(1) == labels).sum().item<double>() / static_cast<double>(share.cases);

  set_learning_rate();
  optimizer_->zero_grad();
  loss.backward();
  if (!group.alone()) result = summed_with_gradients(result);
  if (task_.options.clip > 0.0) torch::nn::utils::clip_grad_norm_(network_->parameters(), task_.options.clip);
  optimizer_->step();
  ++step_;
  return result;
}

/// Together, because to wait for each other costs more than a few more numbers.
MemberTraining::Terms MemberTraining::summed_with_gradients(const Terms& own) const {
  std::vector<double> numbers = own.numbers();
  task_.group().sum_gradients(trained_parameters(), numbers);
  const Terms all = Terms::of(numbers);
  check_finite(all);
  return all;
}

void MemberTraining::check_finite(const Terms& terms) const {
  check_finite(terms.warps, "warps");
  check_finite(terms.variance, "variance");
  check_finite(terms.prior, "prior");
  check_finite(terms.slopes, "slopes");
  check_finite(terms.inverse_consistency, "inverse-consistent");
  check_finite(terms.cross_entropy, "cross-entropy");
  check_finite(terms.recognition, "recognition");
}

/// Those of the network, and the sharpness where the loss depends on it.
std::vector<at::Tensor> MemberTraining::trained_parameters() const {
  std::vector<at::Tensor> parameters = network_->parameters();
  if (weight("cross-entropy") != 0.0) parameters.push_back(log_sharpness_);
  return parameters;
}

double MemberTraining::learning_rate() const {
  if (task_.options.schedule == "constant") return task_.options.learning_rate;
  const double part = static_cast<double>(step_) / static_cast<double>(epochs_ * steps_in_epoch_);
  return task_.options.learning_rate * 0.5 * (1.0 + std::cos(std::numbers::pi * part));
}

void MemberTraining::set_learning_rate() {
  for (auto& group : optimizer_->param_groups()) group.options().set_lr(learning_rate());
}

void MemberTraining::run_epoch() {
  const InterruptionGuard interruptible(interruption());
  Random random(derived_seed(task_.seed, member_, epoch() + 1));
  at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(random.bits());
  network_->train();
  network_->set_generator(generator);
  EpochRecord record{.member = member_, .epoch = epoch() + 1, .learning_rate = learning_rate()};
  const bool classifies = weight("cross-entropy") != 0.0;
  const at::Tensor centroids = classifies ? centroids_of_training_items() : at::Tensor();
  std::vector<std::int64_t> labels;
  for (const std::size_t item : items_) labels.push_back(task_.labels[item]);
  const auto batches = epoch_batches(plan_, items_, labels, random);
  const double share = 1.0 / static_cast<double>(batches.size());
  for (const std::vector<std::size_t>& batch : batches) {
    if (is_stopping_) throw Interrupted(message("training was interrupted in epoch ", record.epoch));
    const bool stops = !task_.group().alone() && stop_ && stop_();
    const Terms terms = step(batch, centroids, random, generator, stops);
    is_stopping_ = terms.stops > 0.0;
    record.loss += share * terms.loss;
    record.warps += share * terms.warps;
    record.variance += share * terms.variance;
    record.slopes += share * terms.slopes;
    record.inverse_consistency += share * terms.inverse_consistency;
    record.cross_entropy += share * terms.cross_entropy;
    record.recognition += share * terms.recognition;
    record.prior += share * terms.prior;
    if (task_.classes > 1) record.accuracy += share * terms.correct;
  }
  if (!held_out_.empty()) note_validation(record);
  history_.push_back(record);
  remember();
}

/// The loss of the held-out series against the centroids of the others.
double MemberTraining::held_out_loss() {
  const at::Tensor centroids = centroids_of_training_items();
  const at::NoGradGuard no_gradients;
  network_->eval();
  double sum = 0.0;
  for_each_chunk(task_, held_out_, [&](const BatchShare& share) {
    if (share.items.empty()) return;
    const at::Tensor labels = labels_of(share.items);
    const at::Tensor distances = squared_distances(aligned_in_evaluation(share), centroids);
    const double entropy = centroid_cross_entropy(distances, labels, {}, log_sharpness_).item<double>();
    sum += finite_sum(own_distances(distances, labels)) +
           static_cast<double>(share.items.size()) * weight("cross-entropy") * entropy;
  });
  network_->train();
  return task_.group().sum(sum) / static_cast<double>(held_out_.size());
}

void MemberTraining::note_validation(EpochRecord& record) {
  record.validation_loss = held_out_loss();
  if (best_.empty() || record.validation_loss < best_loss_) {
    best_loss_ = record.validation_loss;
    best_epoch_ = record.epoch;
    best_.clear();
    for (const auto& [name, tensor] : weights()) best_.emplace_back(name, tensor.detach().clone());
  }
  stopped_early_ = record.epoch - best_epoch_ >= task_.options.patience;
}

std::shared_ptr<TemporalTransformer> MemberTraining::network() {
  const at::NoGradGuard no_gradients;
  const NamedState current = weights();
  for (std::size_t i = 0; i < best_.size(); ++i) current[i].second.copy_(best_[i].second);
  network_->eval();
  network_->set_generator(std::nullopt);
  network_->set_group({});
  network_->set_rows({});
  convert(*network_, at::kFloat);
  return network_;
}

TensorFile MemberTraining::state() const {
  TensorFile file;
  for (const auto& [name, tensor] : complete_) file.tensors.push_back(named_tensor(name, tensor));
  for (const auto& [name, tensor] : best_) file.tensors.push_back(named_tensor("best/" + name, tensor));
  file.tensors.push_back(history_tensor(history_));
  file.metadata["step"] = std::to_string(epoch() * steps_in_epoch_);
  return file;
}

void MemberTraining::restore(const TensorFile& state) {
  const NamedTensor* rows = state.find("history");
  require(rows != nullptr, "history: expected a tensor of that name, got none");
  const std::vector<EpochRecord> history = history_of(*rows);
  for (const auto& [name, tensor] : everything()) copy_from_file(state, name, tensor);
  history_ = history;
  step_ = epoch() * steps_in_epoch_;
  for (auto& [pointer, moments] : optimizer_->state()) {
    static_cast<torch::optim::AdamWParamState&>(*moments).step(step_);
  }
  if (!held_out_.empty() && !history_.empty()) {
    const auto best = std::ranges::min_element(history_, {}, &EpochRecord::validation_loss);
    best_loss_ = best->validation_loss;
    best_epoch_ = best->epoch;
    for (const auto& [name, tensor] : weights()) {
      best_.emplace_back(name, at::empty_like(tensor));
      copy_from_file(state, "best/" + name, best_.back().second);
    }
    stopped_early_ = epoch() - best_epoch_ >= task_.options.patience;
  }
  remember();
}

}  // namespace diffeo
