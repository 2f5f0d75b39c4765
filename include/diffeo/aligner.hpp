// Anything that learns from a set of series how to bring series into common time.
//
// The interface between alignment and what builds on it: nearest-centroid classification knows nothing else, so an
// aligner with a network and one without are used alike.
//
//   * fit learns from the training series, and from their labels where they have any
//   * transform brings every series into the common time that fit found. It never looks at labels, so training and new
//     series are treated alike; the result is equally long, has the input's channels, labels and class names, and row i
//     depends on series i alone
//   * comparison is what series are told apart by: the aligned series, unless an aligner knows more than they show. As
//     transform in everything but the number of channels
//   * either before fit, or with another number of channels than fit saw: std::invalid_argument
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
