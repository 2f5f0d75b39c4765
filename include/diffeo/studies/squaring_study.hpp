// What scaling and squaring loses against the closed form, and what it costs, over the size of the deformation and the
// number of squarings.
//
// Errors are root mean squares, as in the paper's appendix on the method: of positions over all points and fields, of
// gradients by theta over its entries too. The points are equally spaced from 0 to 1 and are the grid on which the
// method composes. The largest absolute differences stand beside.
//
//   SquaringOptions options;                             // the paper's fields: all entries of theta are the size
//   const SquaringErrors errors = squaring_errors(options);
//   errors.sizes[4][8].gradient                          // of size 4 with 8 squarings
//
//   * no squarings are the closed form: no error, to the last bit. Every further squaring adds about as much while the
//     small step goes farther than the points are apart, then half of what the one before added: errors level off
//   * the same options give the same bits on the same instruction set, for any number of threads (0: all cores)
//   * O(fields * sizes * points^2 * squarings^2): every point's gradient is a composition of its own
//   * std::invalid_argument for what study_fields refuses, no sizes, and more squarings than kMaximumSquarings
#pragma once

#include <cstddef>
#include <vector>

#include "diffeo/scaling_squaring.hpp"
#include "diffeo/studies/precision_study.hpp"
#include "diffeo/studies/study_fields.hpp"

namespace diffeo {

struct SquaringError {
  double value = 0;
  double gradient = 0;
  double largest_value = 0;
  double largest_gradient = 0;
};

/// `exact` is exact_answers(fields); the points of every field are its grid.
[[nodiscard]] SquaringError squaring_error(const StudyFields& fields, const ExactAnswers& exact, std::size_t squarings,
                                           std::size_t threads = 0);

struct SquaringOptions {
  /// Its size and layout play no part: sizes are those below, points are equally spaced.
  StudySetting setting = {.source = FieldSource::ones, .fields = 1};
  std::vector<double> sizes = {0, 1, 2, 3, 4};
  std::size_t most_squarings = 8;
  std::size_t threads = 0;
};

struct SquaringErrors {
  std::vector<std::vector<SquaringError>> sizes;  ///< [size][squarings]
  std::vector<double> displacements;              ///< [size]: root mean square of phi(x) - x
  std::vector<double> gradients;                  ///< [size]: root mean square by theta
};

[[nodiscard]] SquaringErrors squaring_errors(const SquaringOptions& options, const StudyProgress& progress = {});

/// Milliseconds, the least of all repetitions; the gradient is one vector-Jacobian product.
struct SquaringTime {
  double forward = 0;
  double gradient = 0;
};

/// [size][squarings]: all points of all fields at a time.
[[nodiscard]] std::vector<std::vector<SquaringTime>> squaring_times(const SquaringOptions& options,
                                                                    std::size_t repetitions,
                                                                    const StudyProgress& progress = {});

}  // namespace diffeo
