#include "teacher.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "diffeo/align.hpp"
#include "diffeo/flow.hpp"
#include "diffeo/log_slope.hpp"
#include "diffeo/sample.hpp"
#include "diffeo/tensor_file.hpp"
#include "diffeo/torch/temporal_aligner.hpp"
#include "layered_warp.hpp"

namespace diffeo {
namespace {

/// Of the displacement: what is integrated over is smooth.
constexpr std::size_t kDisplacementPoints = 65;
/// Share of lessons whose warp is one that was found, as opposed to one made of two.
constexpr double kFoundShare = 0.5;
/// Share of the series whose warps must be reliable for any warp to be taught: half, or the teacher knows next to nothing.
constexpr double kLeastReliable = 0.5;

std::vector<double> flowed(std::span<const double> velocities, std::span<const double> points, double time) {
  std::vector<double> result(points.size());
  const std::array times{time};
  flow<double>({.velocities = velocities, .points = points, .times = times},
               Rows<double>(result.data(), 1, result.size()), 1);
  return result;
}

std::vector<double> log_slopes(std::span<const double> velocities, std::span<const double> points, double time) {
  std::vector<double> result(points.size());
  const std::array times{time};
  flow_log_slope<double>({.velocities = velocities, .points = points, .times = times},
                         Rows<double>(result.data(), 1, result.size()), 1);
  return result;
}

/// A series read along found o wanted^{-1}; channels from `first_slope` on are slopes, which are multiplied by the root of
/// that warp's slope. Beyond its ends a series stays as it is, and its slopes are zero.
void read_as_lesson(SeriesView<double> series, std::span<const double> found, std::span<const double> wanted,
                    std::size_t first_slope) {
  const std::vector<double> before(series.values().begin(), series.values().end());
  const Matrix times = equal_times(1, series.length);
  const std::vector<double> common = flowed(wanted, times.row(0), -1.0);
  const std::vector<double> positions = flowed(found, common, 1.0);
  sample<double>({Series<const double>(before.data(), 1, series.channels, series.length),
                  Rows<const double>(positions.data(), 1, positions.size())},
                 Series<double>(series.data, 1, series.channels, series.length), 1);
  if (first_slope == series.channels) return;
  const std::vector<double> into_common = log_slopes(wanted, times.row(0), -1.0);
  const std::vector<double> out_of_common = log_slopes(found, common, 1.0);
  for (std::size_t channel = first_slope; channel < series.channels; ++channel) {
    for (std::size_t i = 0; i < series.length; ++i) {
      const bool is_inside = positions[i] >= 0.0 && positions[i] <= 1.0;
      series.channel(channel)[i] *= is_inside ? std::exp(0.5 * (into_common[i] + out_of_common[i])) : 0.0;
    }
  }
}

double mean_square_displacement_of(const Matrix& velocities) {
  const Matrix times = equal_times(1, kDisplacementPoints);
  const std::span<const double> points = times.row(0);
  double sum = 0.0;
  for (std::size_t row = 0; row < velocities.rows(); ++row) {
    const std::vector<double> moved = flowed(velocities.row(row), points, 1.0);
    for (std::size_t i = 0; i < points.size(); ++i) sum += (moved[i] - points[i]) * (moved[i] - points[i]);
  }
  const double mean = sum / static_cast<double>(velocities.rows() * points.size());
  return mean > 0.0 ? mean : 1.0;
}

/// The warps that align finds. None, if it trusts less than half of them: a network would learn noise by heart.
Matrix taught_velocities(const Dataset& series, const AlignOptions& options) {
  Alignment found = align(series, options);
  const auto reliable = static_cast<double>(std::ranges::count_if(found.quality, &CaseQuality::reliable));
  const bool is_trusted = reliable >= kLeastReliable * static_cast<double>(series.cases());
  return is_trusted ? std::move(found.velocities) : Matrix(found.velocities.rows(), found.velocities.columns());
}

/// `count` of the numbers, drawn at random and sorted; all of them if there are no more.
std::vector<std::size_t> some_of(std::vector<std::size_t> all, std::size_t count, Random& random) {
  if (all.size() <= count) return all;
  for (std::size_t i = 0; i < count; ++i) std::swap(all[i], all[i + random.below(all.size() - i)]);
  all.resize(count);
  std::ranges::sort(all);
  return all;
}

std::string text_of(const TensorFile& file) {
  const std::vector<std::byte> bytes = encode_tensor_file(file);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Lengths and values of series, so that another process can have them.
std::string told(const Dataset& series) {
  std::vector<std::int64_t> lengths;
  for (std::size_t item = 0; item < series.cases(); ++item) {
    lengths.push_back(static_cast<std::int64_t>(series.length(item)));
  }
  TensorFile file;
  file.tensors.push_back(
      make_tensor("lengths", {static_cast<std::int64_t>(lengths.size())}, std::span<const std::int64_t>(lengths)));
  file.tensors.push_back(make_tensor("values", {static_cast<std::int64_t>(series.values().size())}, series.values()));
  return text_of(file);
}

Dataset heard(const std::string& text, std::size_t channels) {
  const TensorFile file = decode_tensor_file(std::as_bytes(std::span(text)), "the series of a process");
  const std::vector<std::int64_t> lengths = file.find("lengths")->values<std::int64_t>();
  return Dataset(channels, file.find("values")->values<double>(),
                 std::vector<std::size_t>(lengths.begin(), lengths.end()));
}

/// What the first process computes, in all of them: others may have processors that round otherwise.
Matrix velocities_of_first(const Group& group, const std::function<Matrix()>& compute) {
  if (group.alone()) return compute();
  TensorFile file;
  group.together([&] {
    if (!group.is_first()) return;
    const Matrix velocities = compute();
    file.tensors.push_back(make_tensor(
        "velocities", {static_cast<std::int64_t>(velocities.rows()), static_cast<std::int64_t>(velocities.columns())},
        velocities.values()));
  });
  const std::string bytes = group.of_first(group.is_first() ? text_of(file) : std::string());
  const TensorFile told = decode_tensor_file(std::as_bytes(std::span(bytes)), "the warps of the first process");
  const NamedTensor& tensor = *told.find("velocities");
  Matrix velocities(static_cast<std::size_t>(tensor.shape[0]), static_cast<std::size_t>(tensor.shape[1]));
  std::ranges::copy(tensor.values<double>(), velocities.values().begin());
  return velocities;
}

}  // namespace

Teacher::Teacher(const SharedSet& set, const Normalization& normalization, std::span<const std::int64_t> labels,
                 const Settings& settings) {
  choose(labels, settings.seed);
  Dataset series = gathered(set, normalization);
  std::vector<std::string> names;
  for (const std::size_t item : items_) names.push_back(std::to_string(labels[item]));
  series.set_labels(names);
  AlignOptions options;
  options.zero_boundary = settings.zero_boundary;
  options.threads = settings.threads;
  if (settings.stop) {
    options.progress = [&settings](const AlignStep&) {
      if (settings.stop()) throw Interrupted("training was interrupted while its series were aligned");
      return true;
    };
  }
  velocities_ = velocities_of_first(set.group(), [&] { return taught_velocities(series, options); });
  mean_square_displacement_ = mean_square_displacement_of(velocities_);
}

void Teacher::choose(std::span<const std::int64_t> labels, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<std::size_t>> by_class;
  for (std::size_t item = 0; item < labels.size(); ++item) {
    const auto label = static_cast<std::size_t>(labels[item]);
    if (by_class.size() <= label) by_class.resize(label + 1);
    by_class[label].push_back(item);
  }
  for (std::vector<std::size_t>& items : by_class) {
    items = some_of(std::move(items), kMostTaught, random);
    items_.insert(items_.end(), items.begin(), items.end());
  }
  std::ranges::sort(items_);
  rows_.assign(labels.size(), kNotTaught);
  classes_.resize(by_class.size());
  for (std::size_t row = 0; row < items_.size(); ++row) {
    const auto label = static_cast<std::size_t>(labels[items_[row]]);
    rows_[items_[row]] = row;
    classes_[label].push_back(row);
    class_of_row_.push_back(label);
  }
}

/// The series of items_, in their order, whichever process has them.
Dataset Teacher::gathered(const SharedSet& set, const Normalization& normalization) const {
  const BatchShare share = set.share_of(items_);
  const Dataset own = normalized(set.own().subset(share.places), normalization);
  if (set.group().alone()) return own;
  std::vector<double> processes(items_.size(), 0.0);  // that hold each item
  for (const std::int64_t position : share.positions) {
    processes[static_cast<std::size_t>(position)] = static_cast<double>(set.group().rank());
  }
  set.group().sum(processes);
  std::vector<Dataset> parts;
  for (const std::string& text : set.group().gathered(told(own))) parts.push_back(heard(text, own.channels()));
  std::vector<std::size_t> next(parts.size(), 0);
  Dataset result(own.channels());
  for (const double process : processes) {
    const auto part = static_cast<std::size_t>(process);
    result.add_case(parts[part].series(next[part]++).values());
  }
  return result;
}

std::vector<double> Teacher::drawn_velocities(std::size_t item, Random& random) const {
  const std::vector<std::size_t>& rows = classes_[class_of_row_[rows_[item]]];
  const std::span<const double> first = velocities_.row(rows[random.below(rows.size())]);
  const std::span<const double> second = velocities_.row(rows[random.below(rows.size())]);
  const double angle = 2.0 * std::numbers::pi * random.uniform();
  const bool is_found = random.uniform() < kFoundShare;
  std::vector<double> result(first.begin(), first.end());
  if (is_found) return result;
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = std::cos(angle) * first[i] + std::sin(angle) * second[i];
  }
  return result;
}

Lessons Teacher::lessons(const Dataset& own, std::size_t first_slope, std::span<const std::size_t> batch,
                         const BatchShare& share, Random& random) const {
  std::vector<std::vector<double>> drawn;
  for (const std::size_t item : batch) drawn.push_back(drawn_velocities(item, random));
  Lessons result{own.subset(share.places), Matrix(share.items.size(), velocities_.columns())};
  for (std::size_t index = 0; index < share.items.size(); ++index) {
    const std::vector<double>& wanted = drawn[static_cast<std::size_t>(share.positions[index])];
    std::ranges::copy(wanted, result.velocities.values().begin() + static_cast<std::ptrdiff_t>(index * wanted.size()));
    read_as_lesson(result.series.series(index), velocities_.row(rows_[share.items[index]]), wanted, first_slope);
  }
  return result;
}

}  // namespace diffeo
