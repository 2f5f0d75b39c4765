// Bindings of diffeo/random.hpp.
#include "diffeo/random.hpp"

#include <algorithm>
#include <cstdint>

#include "arrays.hpp"
#include "bindings.hpp"

namespace diffeo::python {
namespace {

template <double (Random::*next)() noexcept>
Array<double> numbers(std::size_t count, std::uint64_t seed) {
  Array<double> result = new_array<double>(count);
  Random random(seed);
  std::ranges::generate(mutable_values(result), [&] { return (random.*next)(); });
  return result;
}

}  // namespace

void define_random(py::module_& module) {
  module.def("random_uniform", &numbers<&Random::uniform>, py::arg("count"), py::arg("seed"), "In [0, 1)");
  module.def("random_normal", &numbers<&Random::normal>, py::arg("count"), py::arg("seed"), "Mean 0, variance 1");
}

}  // namespace diffeo::python
