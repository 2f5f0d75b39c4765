// Max pooling by two and ReLU in one pass, and its gradient: what diffeo.torch's networks need from no header.
//
// Torch's own pooling goes through 64-bit indices and scatters its gradient, which takes half of a training step of the
// default network (docs/decisions.md, "Pooling in one pass").
#include "arrays.hpp"
#include "bindings.hpp"
#include "diffeo/threads.hpp"

namespace diffeo::python {
namespace {

constexpr double kNanosecondsPerValue = 0.5;

/// Whether the larger of two is the second: not if they are equal; NaN is larger. Like all below without a branch, which
/// features would decide at random.
template <class Real>
bool is_second_larger(Real first, Real second) noexcept {
  return static_cast<bool>(static_cast<int>(second > first) | static_cast<int>(second != second));
}

template <class Real>
void pool_row(const Real* features, std::size_t pairs, Real* pooled) noexcept {
  for (std::size_t i = 0; i < pairs; ++i) {
    const Real first = features[2 * i], second = features[2 * i + 1];
    const Real larger = is_second_larger(first, second) ? second : first;
    pooled[i] = larger < Real{0} ? Real{0} : larger;
  }
}

template <class Real>
void give_back_row(const Real* features, std::size_t pairs, const Real* cotangents, Real* gradients) noexcept {
  for (std::size_t i = 0; i < pairs; ++i) {
    const Real first = features[2 * i], second = features[2 * i + 1], cotangent = cotangents[i];
    const bool is_second = is_second_larger(first, second);
    const Real larger = is_second ? second : first;
    const Real passed = larger <= Real{0} ? Real{0} : cotangent;
    gradients[2 * i] = is_second ? Real{0} : passed;
    gradients[2 * i + 1] = is_second ? passed : Real{0};
  }
}

template <class Real, class Work>
void for_each_row(const Array<Real>& features, std::size_t threads, const Work& work) {
  const std::size_t rows = extent(features, 0);
  const std::size_t useful = useful_threads(threads, rows, kNanosecondsPerValue * static_cast<double>(features.size()));
  without_gil([&] { for_each_item(useful, rows, [&](std::size_t, std::size_t row) { work(row); }); });
}

template <class Real>
Array<Real> rectified_pooling_of(const Array<Real>& features, std::size_t threads) {
  const std::size_t steps = extent(features, 1), pairs = steps / 2;
  Array<Real> pooled = new_array<Real>(extent(features, 0), pairs);
  const Real* const from = features.data();
  Real* const to = pooled.mutable_data();
  for_each_row(features, threads, [=](std::size_t row) { pool_row(from + row * steps, pairs, to + row * pairs); });
  return pooled;
}

template <class Real>
Array<Real> rectified_pooling_vjp_of(const Array<Real>& features, const Array<Real>& cotangents, std::size_t threads) {
  const std::size_t steps = extent(features, 1), pairs = steps / 2;
  Array<Real> gradients = new_array<Real>(extent(features, 0), steps);
  const Real* const from = features.data();
  const Real* const weights = cotangents.data();
  Real* const to = gradients.mutable_data();
  for_each_row(features, threads, [=](std::size_t row) {
    give_back_row(from + row * steps, pairs, weights + row * pairs, to + row * steps);
    if (steps % 2 == 1) to[row * steps + steps - 1] = Real{0};
  });
  return gradients;
}

template <class Real>
void define_pooling_for(py::module_& module) {
  module.def("rectified_pooling", &rectified_pooling_of<Real>, exact("features"), py::arg("threads"),
             "(rows, steps) -> (rows, steps / 2): the larger of each pair, and at least 0.");
  module.def("rectified_pooling_vjp", &rectified_pooling_vjp_of<Real>, exact("features"), exact("cotangents"),
             py::arg("threads"), "(rows, steps), (rows, steps / 2) -> (rows, steps)");
}

}  // namespace

void define_pooling(py::module_& module) {
  define_pooling_for<float>(module);
  define_pooling_for<double>(module);
}

}  // namespace diffeo::python
