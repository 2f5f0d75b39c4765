// Base class of aligners, which learn from a set of series how to align series.
//
// Nearest-centroid classification uses only this interface, so aligners with and without a network work alike.
//
//   * fit learns from the training series, and from their labels if they have any
//   * transform maps every series into the common time found by fit. It ignores labels, so training and new series are
//     treated alike. The results are equally long and keep the input's channels, labels and class names. Row i depends
//     only on series i
//   * comparison returns the features used for classification: the aligned series by default. Like transform, except
//     that the number of channels may differ
//   * before fit, or with another number of channels than in fit, both throw std::invalid_argument
//   * const member functions may be called from several threads
#pragma once

#include "diffeo/dataset.hpp"

namespace diffeo {

class Aligner {
 public:
  virtual ~Aligner() = default;

  virtual void fit(const Dataset& training) = 0;
  [[nodiscard]] virtual Dataset transform(const Dataset& series) const = 0;
  [[nodiscard]] virtual Dataset comparison(const Dataset& series) const { return transform(series); }

 protected:
  Aligner() = default;
  Aligner(const Aligner&) = default;
  Aligner& operator=(const Aligner&) = default;
};

}  // namespace diffeo
