// Bindings of diffeo/joint_aligner.hpp.
#include "diffeo/joint_aligner.hpp"

#include <algorithm>
#include <numeric>

#include "align_options.hpp"
#include "arrays.hpp"
#include "bindings.hpp"

namespace diffeo::python {
namespace {

/// Series between two looks at the keyboard: well below a second of work.
constexpr std::size_t kCasesBetweenInterrupts = 64;

JointAligner make_aligner(const AlignOptions& options) { return JointAligner(with_interrupts(options)); }

void fit(JointAligner& aligner, const Dataset& training) {
  without_gil([&] { aligner.fit(training); });
}

Array<double> velocities_of(const JointAligner& aligner, const Dataset& series) {
  Matrix result(series.cases(), aligner.options().cells + 1);
  without_gil([&] {
    for (std::size_t first = 0; first < series.cases(); first += kCasesBetweenInterrupts) {
      std::vector<std::size_t> items(std::min(kCasesBetweenInterrupts, series.cases() - first));
      std::iota(items.begin(), items.end(), first);
      const Matrix part = aligner.velocities(series.subset(items));
      std::copy(part.values().begin(), part.values().end(),
                result.values().begin() + static_cast<std::ptrdiff_t>(first * result.columns()));
      raise_pending_interrupt();
    }
  });
  return array_of(std::move(result));
}

Dataset warped_by(const JointAligner& aligner, const Dataset& series, const Array<double>& velocities) {
  Matrix fields(extent(velocities, 0), extent(velocities, 1));
  std::copy_n(velocities.data(), velocities.size(), fields.values().data());
  return without_gil([&] { return aligner.warped(series, fields); });
}

}  // namespace

void define_joint_aligner(py::module_& module) {
  py::class_<JointAligner> aligner(module, "JointAligner", py::is_final());
  aligner.def(py::init(&make_aligner), py::arg("options"));
  aligner.def("fit", &fit, py::arg("training"));
  aligner.def("velocities", &velocities_of, py::arg("series"), "(cases, cells + 1)");
  aligner.def("warped", &warped_by, py::arg("series"), exact("velocities"));
  aligner.def_property_readonly("alignment", &JointAligner::alignment);
}

}  // namespace diffeo::python
