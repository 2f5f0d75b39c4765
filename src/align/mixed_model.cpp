#include "align/mixed_model.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "align/gains.hpp"
#include "align/packed_systems.hpp"
#include "diffeo/prior.hpp"
#include "diffeo/threads.hpp"
#include "diffeo/warp_space.hpp"

namespace diffeo {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Where no option says otherwise, the prior of warps has one of these length scales.
constexpr std::array kWarpLengthScales{0.05, 0.1, 0.2, 0.4, 0.8};
/// Standard deviations that heights and warps begin with, relative to the series' own and to the duration.
constexpr double kInitialHeight = 0.22;
constexpr double kInitialWarp = 0.1;
constexpr double kInitialLengthScale = 0.4;
/// Of the heights: shorter ones could stand for timing, longer ones for no peak (docs/decisions.md).
constexpr double kHeightLengthScale = 0.4;
/// The variance of the noise is at least this, relative to the scale: interpolation is no better.
constexpr double kLeastNoise = 1e-5;
/// Heights may vary by this much, relative to the standard deviation of a series over time: what varies more is timing.
constexpr double kLargestHeight = 0.5;
/// The variance of velocities, relative to the prior of variance 1: larger ones would cross the domain.
constexpr double kLargestWarpVariance = 1.0;
/// Gains, as fractions of the template: what they begin with, and the largest variance.
constexpr double kInitialGain = 0.03;
constexpr double kLargestGainVariance = 0.25;
/// What a factor of e beyond either costs.
constexpr double kExcessCost = 1e3;
/// The search goes by factors of e, then of its roots; to compare starts the first will do.
constexpr std::array kSearchSteps{1.0, 0.5, 0.25};
constexpr std::size_t kScreeningSearchSteps = 1;
constexpr std::size_t kScreeningRounds = 3;
/// A step that gains less in the log-likelihood says nothing; to compare starts, one that gains less than the second.
constexpr double kLeastStepGain = 0.2;
constexpr double kLeastScreeningStepGain = 3.0;
constexpr double kLeastGain = 0.01;
/// A fit is hopeless if after a round it is behind another by this much of the log-likelihood, per sample.
constexpr double kHopeless = 0.2;
/// Warps are the same if their velocities differ by less, on average: what is stuck differs by more.
constexpr double kSameWarps = 0.02;
/// Another round must gain this much.
constexpr double kLeastRoundGain = 1.0;
constexpr std::size_t kRounds = 8;
/// More cases tell no more about five numbers.
constexpr std::size_t kMostLikelihoodCases = 48;

constexpr double kNanosecondsPerSystem = 500.0;

struct WarpPrecision {
  Eigen::MatrixXd matrix;
  double log_determinant;
};

WarpPrecision warp_precision(std::size_t cells, bool zero_boundary, double length_scale) {
  const Matrix values = Prior(WarpSpace(cells, zero_boundary, Basis::sparse), 1.0, length_scale).precision();
  const Eigen::Map<const RowMajor> map(values.values().data(), static_cast<Eigen::Index>(values.rows()),
                                       static_cast<Eigen::Index>(values.columns()));
  WarpPrecision result{map, 0.0};
  const Eigen::LLT<Eigen::MatrixXd> factor(result.matrix);
  result.log_determinant = 2.0 * factor.matrixLLT().diagonal().array().log().sum();
  return result;
}

/// The likelihood around given warps, as a function of the variances.
class Likelihood {
 public:
  Likelihood(const MixedCriterion& criterion, const GroupState& state, const MixedSeries& series, double scale,
             const AlignOptions& options)
      : series_(series),
        scale_(scale),
        options_(options),
        free_(criterion.free_velocities()),
        columns_(criterion.block_columns()) {
    const std::size_t stride = (series.cases() + kMostLikelihoodCases - 1) / kMostLikelihoodCases;
    for (std::size_t item = 0; item < series.cases(); item += stride) items_.push_back(item);
    blocks_.resize(items_.size());
    const bool centered = series.target() == nullptr && series.cases() > 1;
    const double cases = static_cast<double>(series.cases());
    // The mean was made of the same series: residuals are too small by that.
    const double unbiased = centered ? std::sqrt(cases / (cases - 1.0)) : 1.0;
    const std::size_t first_free = options.zero_boundary ? 1 : 0;
    for_each_item(useful_threads(options.threads, items_.size(), nanoseconds()), items_.size(),
                  [&](std::size_t, std::size_t index) {
                    const std::size_t item = items_[index];
                    std::vector<double>& block = blocks_[index];
                    block.resize(series.channels() * series.length(item) * columns_);
                    criterion.linearized_residual(state, item, block);
                    const std::span<const double> velocities = state.velocities.row(item).subspan(first_free);
                    for (std::size_t row = 0; row < block.size(); row += columns_) {
                      double at_rest = unbiased * block[row];
                      for (std::size_t k = 0; k < free_; ++k) at_rest -= block[row + 1 + k] * velocities[k];
                      block[row] = at_rest;
                    }
                  });
    for (const std::size_t item : items_) samples_ += series.present_samples(item);
  }

  /// The likelihood, and the noise that goes with the ratios.
  double operator()(MixedParameters& parameters) {
    whiten(parameters);
    take_out_gains(parameters.gain_ratio);
    const WarpPrecision& prior = precision(parameters.warp_length_scale);
    std::vector<double> squares(items_.size());
    std::vector<double> determinants(items_.size());
    const std::size_t packs = PackedSystems::packs(items_.size());
    for_each_item(useful_threads(options_.threads, packs, kNanosecondsPerSystem * static_cast<double>(items_.size())),
                  packs, [&](std::size_t, std::size_t pack) {
                    const std::size_t first = pack * PackedSystems::kLanes;
                    const std::size_t count = std::min(PackedSystems::kLanes, items_.size() - first);
                    marginalize(first, prior, parameters.warp_ratio, std::span(squares).subspan(first, count),
                                std::span(determinants).subspan(first, count));
                  });
    double square = 0.0;
    double determinant = 0.0;
    for (std::size_t index = 0; index < items_.size(); ++index) {
      square += squares[index];
      determinant += determinants[index];
    }
    const double noise = std::max(square / samples_, kLeastNoise * scale_);
    const double height = parameters.height_ratio * noise / (kLargestHeight * kLargestHeight * scale_);
    const double warp = parameters.warp_ratio * noise / kLargestWarpVariance;
    const double gain = parameters.gain_ratio * noise / kLargestGainVariance;
    const double penalty =
        kExcessCost * (std::log(std::max(height, 1.0)) + std::log(std::max(warp, 1.0)) + std::log(std::max(gain, 1.0)));
    parameters.noise = noise / scale_;
    return -0.5 * (square / noise + samples_ * std::log(noise) + determinant) - penalty;
  }

 private:
  /// Of one case, without the prior of warps.
  struct Equations {
    std::vector<std::vector<double>> by_channel;  // B^T C^{-1} B, (columns, columns), lower triangles; C without gains
    std::vector<double> products;                 // summed over the channels, without gains
    double log_determinant = 0.0;                 // of C without gains
    double gain_determinant = 0.0;                // what they add
  };

  /// Of neighboring cases: what is left of the residual's square, and log det, after the warps have been integrated out.
  void marginalize(std::size_t first, const WarpPrecision& prior, double warp_ratio, std::span<double> squares,
                   std::span<double> determinants) const {
    PackedSystems systems(free_);
    for (std::size_t lane = 0; lane < squares.size(); ++lane) {
      const double* products = equations_[first + lane].products.data();
      for (std::size_t i = 0; i < free_; ++i) {
        const double* row = products + (1 + i) * columns_;
        systems.vector(lane, i) = row[0];
        for (std::size_t j = 0; j <= i; ++j) {
          const double precision = prior.matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
          systems.matrix(lane, i, j) = row[1 + j] + precision / warp_ratio;
        }
      }
    }
    systems.factor();
    systems.solve_lower();
    double logs[PackedSystems::kLanes];
    systems.log_determinants(logs);
    for (std::size_t lane = 0; lane < squares.size(); ++lane) {
      const Equations& own = equations_[first + lane];
      squares[lane] = own.products[0];
      for (std::size_t i = 0; i < free_; ++i) squares[lane] -= systems.vector(lane, i) * systems.vector(lane, i);
      determinants[lane] = own.log_determinant + own.gain_determinant + logs[lane] - prior.log_determinant +
                           static_cast<double>(free_) * std::log(warp_ratio);
    }
  }

  [[nodiscard]] double nanoseconds() const noexcept {
    return 20.0 * static_cast<double>(items_.size() * series_.channels() * series_.points() * columns_);
  }

  const WarpPrecision& precision(double length_scale) {
    const auto [place, is_new] = precisions_.try_emplace(length_scale);
    if (is_new) place->second = warp_precision(options_.cells, options_.zero_boundary, length_scale);
    return place->second;
  }

  void take_out_gains(double ratio) {
    for (Equations& own : equations_) {
      own.products.assign(columns_ * columns_, 0.0);
      own.gain_determinant = 0.0;
      for (std::vector<double> products : own.by_channel) {
        own.gain_determinant += take_out_gain(products, columns_, 1 + free_, ratio);
        for (std::size_t i = 0; i < products.size(); ++i) own.products[i] += products[i];
      }
    }
  }

  void whiten(const MixedParameters& parameters) {
    if (!equations_.empty() && parameters.height_ratio == whitened_ratio_) return;
    whitened_ratio_ = parameters.height_ratio;
    equations_.assign(items_.size(), {});
    std::map<std::size_t, Whitening> complete;  // by length
    for (const std::size_t item : items_) {
      const std::size_t length = series_.length(item);
      complete.try_emplace(length, length, std::span<const char>{}, parameters.height_ratio,
                           parameters.height_length_scale);
    }
    for_each_item(useful_threads(options_.threads, items_.size(), nanoseconds()), items_.size(),
                  [&](std::size_t, std::size_t index) { whiten_one(index, parameters, complete); });
  }

  void whiten_one(std::size_t index, const MixedParameters& parameters,
                  const std::map<std::size_t, Whitening>& complete) {
    const std::size_t item = items_[index];
    const std::size_t length = series_.length(item);
    const std::size_t size = length * columns_;
    const auto workspace = std::make_unique_for_overwrite<double[]>(size);
    Equations& own = equations_[index];
    own.by_channel.assign(series_.channels(), std::vector<double>(columns_ * columns_));
    for (std::size_t channel = 0; channel < series_.channels(); ++channel) {
      const std::span<const char> present = series_.present(item, channel);
      std::optional<Whitening> with_gaps;
      if (!present.empty()) {
        with_gaps.emplace(length, present, parameters.height_ratio, parameters.height_length_scale);
      }
      const Whitening& whitening = with_gaps ? *with_gaps : complete.at(length);
      whitening.add_products(std::span(blocks_[index]).subspan(channel * size, size), columns_, {workspace.get(), size},
                             own.by_channel[channel]);
      own.log_determinant += whitening.log_determinant();
    }
  }

  const MixedSeries& series_;
  double scale_;
  const AlignOptions& options_;
  std::size_t free_;
  std::size_t columns_;  // of a block, padded
  std::vector<std::size_t> items_;
  std::vector<std::vector<double>> blocks_;
  std::vector<Equations> equations_;
  std::map<double, WarpPrecision> precisions_;
  double whitened_ratio_ = 0.0;
  double samples_ = 0.0;
};

/// Climbs in one parameter by factors of e^step while the likelihood grows.
bool climb(Likelihood& likelihood, double MixedParameters::*which, double step, MixedParameters& best, double& value) {
  bool improved = false;
  for (const double direction : {1.0, -1.0}) {
    for (;;) {
      MixedParameters trial = best;
      trial.*which *= std::exp(direction * step);
      const double found = likelihood(trial);
      if (!(found > value + kLeastGain)) break;
      best = trial;
      value = found;
      improved = true;
    }
  }
  return improved;
}

bool choose_length_scale(Likelihood& likelihood, MixedParameters& best, double& value) {
  bool improved = false;
  for (const double length_scale : kWarpLengthScales) {
    if (length_scale == best.warp_length_scale) continue;
    MixedParameters trial = best;
    trial.warp_length_scale = length_scale;
    const double found = likelihood(trial);
    if (!(found > value + kLeastGain)) continue;
    best = trial;
    value = found;
    improved = true;
  }
  return improved;
}

/// The variances that make the linearized model most likely; returns its likelihood.
double maximize(Likelihood& likelihood, const AlignOptions& options, std::span<const double> steps,
                MixedParameters& parameters) {
  double value = likelihood(parameters);
  for (const double step : steps) {
    for (bool improved = true; improved;) {
      improved = climb(likelihood, &MixedParameters::height_ratio, step, parameters, value);
      improved |= climb(likelihood, &MixedParameters::gain_ratio, step, parameters, value);
      if (options.prior_weight == 0.0) {
        improved |= climb(likelihood, &MixedParameters::warp_ratio, step, parameters, value);
      }
      if (options.length_scale == 0.0) improved |= choose_length_scale(likelihood, parameters, value);
    }
  }
  return value;
}

/// Whether the warps of every case are about the same.
bool are_close(const Matrix& a, const Matrix& b) {
  for (std::size_t item = 0; item < a.rows(); ++item) {
    double square = 0.0;
    for (std::size_t vertex = 0; vertex < a.columns(); ++vertex) {
      const double difference = a(item, vertex) - b(item, vertex);
      square += difference * difference / static_cast<double>(a.columns());
    }
    if (square > kSameWarps * kSameWarps) return false;
  }
  return true;
}

bool is_pointless(double log_likelihood, const GroupState& state, const MixedSeries& series, const MixedFit* rival) {
  if (rival == nullptr) return false;
  return log_likelihood < rival->log_likelihood - kHopeless * series.present_samples() ||
         are_close(state.velocities, rival->state.velocities);
}

}  // namespace

MixedParameters initial_parameters(double noise_variance, double scale, const AlignOptions& options,
                                   std::size_t values_per_case) {
  MixedParameters result;
  result.scale = scale;
  result.height_length_scale = kHeightLengthScale;
  result.warp_length_scale = kInitialLengthScale;
  const double noise = std::max(noise_variance, kLeastNoise * scale);
  result.noise = noise / scale;
  result.height_ratio = kInitialHeight * kInitialHeight * scale / noise;
  result.gain_ratio = kInitialGain * kInitialGain / noise;
  result.warp_ratio = options.prior_weight == 0.0
                          ? kInitialWarp * kInitialWarp / noise
                          : 1.0 / (options.prior_weight * scale * static_cast<double>(values_per_case));
  if (options.length_scale > 0.0) result.warp_length_scale = options.length_scale;
  return result;
}

MixedParameters estimated_parameters(const MixedSeries& series, const Matrix& velocities, MixedParameters parameters,
                                     double scale, const AlignOptions& options) {
  const MixedCriterion criterion(series, parameters, scale, options.cells, options.zero_boundary, options.threads);
  GroupState state;
  criterion.evaluate(velocities, state);
  Likelihood likelihood(criterion, state, series, scale, options);
  (void)maximize(likelihood, options, std::span(kSearchSteps).first(kScreeningSearchSteps), parameters);
  return parameters;
}

MixedFit fit_mixed(const MixedSeries& series, Matrix start, MixedParameters parameters, double scale,
                   const MixedEffort& effort, const AlignOptions& options, std::vector<AlignStep>& history) {
  const std::span<const double> steps =
      std::span(kSearchSteps).first(effort.screening ? kScreeningSearchSteps : kSearchSteps.size());
  MixedFit fit;
  fit.log_likelihood = -std::numeric_limits<double>::infinity();
  fit.state.velocities = std::move(start);
  Stage part = effort.stage;
  part.share *= 0.5;
  // A cost lower by the fraction d raises the log-likelihood by about d * samples / 2.
  const double least_gain = effort.screening ? kLeastScreeningStepGain : kLeastStepGain;
  part.tolerance = std::max(part.tolerance, 2.0 * least_gain / series.present_samples());
  for (std::size_t round = 0; round < (effort.screening ? kScreeningRounds : kRounds); ++round) {
    const MixedCriterion criterion(series, parameters, scale, options.cells, options.zero_boundary, options.threads);
    GroupState state;
    criterion.evaluate(fit.state.velocities, state);
    fit.outcome = descend(criterion, part, state, options, history);
    part.begin += part.share;
    part.share *= 0.5;
    Likelihood likelihood(criterion, state, series, scale, options);
    const double value = maximize(likelihood, options, steps, parameters);
    fit.is_pointless = round == 0 && is_pointless(value, state, series, effort.rival);
    const bool is_last =
        !(value > fit.log_likelihood + kLeastRoundGain) || fit.is_pointless || fit.outcome == Outcome::stopped;
    fit.state = std::move(state);
    fit.parameters = parameters;
    fit.log_likelihood = value;
    if (is_last) break;
  }
  return fit;
}

MixedFit warp_mixed(const MixedSeries& series, Matrix start, const MixedParameters& parameters, double scale,
                    const Stage& stage, const AlignOptions& options, std::vector<AlignStep>& history) {
  MixedFit fit;
  const MixedCriterion criterion(series, parameters, scale, options.cells, options.zero_boundary, options.threads);
  criterion.evaluate(std::move(start), fit.state);
  fit.outcome = descend(criterion, stage, fit.state, options, history);
  fit.parameters = parameters;
  // Of warps and residual together, given the variances: what one series to a known template is judged by.
  const double samples = static_cast<double>(series.channels() * series.points());
  fit.log_likelihood = -0.5 * samples * (fit.state.cost / parameters.noise + std::log(parameters.noise * scale));
  return fit;
}

}  // namespace diffeo
