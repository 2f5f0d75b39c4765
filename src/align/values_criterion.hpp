// Warps judged by the values of the series along them: the squared difference of diffeo/align_options.hpp, at one
// resolution. Right where series have the same heights; where heights vary it bends time to explain them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "align/criterion.hpp"
#include "align/difference.hpp"
#include "align/resolution.hpp"
#include "diffeo/dataset.hpp"

namespace diffeo {

struct ValuesOptions {
  double scale;     // variance that differences are measured in
  double own_time;  // share of the difference that is measured in the series' own time
  bool zero_boundary;
  double prior_weight;
  double length_scale;
  std::size_t threads;
};

class ValuesCriterion final : public Criterion {
 public:
  /// `target` may be null: the mean of the group as it is warped. The series are copied, smoothed and thinned out.
  ValuesCriterion(std::span<const SeriesView<const double>> series, const SeriesView<const double>* target,
                  std::size_t length, const Resolution& resolution, const ValuesOptions& options);

 private:
  [[nodiscard]] bool compare(GroupState& state) const override;
  void add_normal_equations(const GroupState& state, std::size_t item, std::span<double> gradient,
                            std::span<double> hessian) const override;
  [[nodiscard]] double nanoseconds_per_case() const noexcept override;

  [[nodiscard]] std::size_t points() const noexcept { return grid_.size(); }
  [[nodiscard]] SeriesView<const double> series(std::size_t item) const noexcept;
  [[nodiscard]] Comparison comparison(const GroupState& state, std::size_t item) const noexcept;
  void fill_mean(const GroupState& state, std::vector<double>& mean) const;

  double scale_;
  double own_time_;
  std::size_t channels_;
  std::vector<std::vector<double>> series_;
  std::vector<double> grid_;
  std::vector<double> target_;
};

}  // namespace diffeo
