// What networks are in tests of experiments: aligners that need no training.
#pragma once

#include <memory>

#include "diffeo/evaluation.hpp"
#include "diffeo/prepare.hpp"

namespace diffeo::testing {

/// Leaves series as they are.
class Unmoved : public WarpingAligner {
 public:
  void fit(const Dataset&) override {}
  [[nodiscard]] Dataset transform(const Dataset& series) const override { return series; }
  [[nodiscard]] Matrix warp_times(const Dataset&, const Matrix& times, bool) const override { return times; }
  [[nodiscard]] Dataset inverse_transform(const Dataset& aligned, const Dataset& series) const override {
    Dataset result(series.channels());
    for (std::size_t item = 0; item < series.cases(); ++item) {
      const std::vector<std::size_t> one = {item};
      result.add_case(resample(aligned.subset(one), series.length(item)).values());
    }
    return result;
  }
};

/// Makes all series the same, so that nothing can be told apart: the first class is predicted for all.
class Flattening final : public Unmoved {
 public:
  [[nodiscard]] Dataset transform(const Dataset& series) const override {
    Dataset result = series;
    for (double& value : result.values()) value = 0.0;
    return result;
  }
};

inline EvaluationControl with_networks() {
  EvaluationControl control;
  control.make_network = [](const NetworkTask&) { return std::make_shared<Unmoved>(); };
  return control;
}

/// A network that is of use where `is_good` says so of its options, and else makes all series the same.
template <class IsGood>
EvaluationControl with_networks_that_are_good_where(const IsGood& is_good) {
  EvaluationControl control;
  control.make_network = [is_good](const NetworkTask& task) -> std::shared_ptr<WarpingAligner> {
    if (is_good(task.options)) return std::make_shared<Unmoved>();
    return std::make_shared<Flattening>();
  };
  return control;
}

}  // namespace diffeo::testing
