// Bindings of diffeo/torch/temporal_aligner.hpp.
//
// No tensor passes here: series are those of diffeo._core.Dataset and options those of diffeo._core.TrainingOptions,
// which pybind11 knows in every module of one build once diffeo._core is imported. `threads` is torch's, 0 for all the
// cores the process may use; it is in force for the one call, on the thread that calls.
#include "diffeo/torch/temporal_aligner.hpp"

#include <pybind11/functional.h>
#include <pybind11/stl/filesystem.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../arrays.hpp"
#include "bindings.hpp"
#include "diffeo/threads.hpp"
#include "diffeo/torch/interruption.hpp"
#include "torch_threads.hpp"

namespace diffeo::python {
namespace {

int all_if_none(std::size_t threads) { return static_cast<int>(threads == 0 ? available_threads() : threads); }

/// What `work` finds, with torch on that many threads and Python free to go on; Ctrl-C ends it.
template <class Work>
auto on_threads(std::size_t threads, const Work& work) {
  return on_series_x([&] {
    const TorchThreads torch_threads(all_if_none(threads));
    const InterruptionGuard interruptible(raise_pending_interrupt);
    return work();
  });
}

/// In the order of diffeo.EpochRecord.
auto tuple_of(const EpochRecord& record) {
  return std::make_tuple(record.member, record.epoch, record.loss, record.warps, record.variance, record.slopes,
                         record.inverse_consistency, record.cross_entropy, record.recognition, record.prior,
                         record.accuracy, record.validation_loss, record.learning_rate);
}

using RecordTuple = decltype(tuple_of(EpochRecord()));
using Callback = std::function<void(RecordTuple, std::int64_t members, std::int64_t epochs, double done, double left)>;
using Path = std::filesystem::path;

void fit(TemporalAligner& aligner, const Dataset& training, std::size_t threads, const std::optional<Path>& checkpoint,
         bool resume, const std::optional<Callback>& callback, const std::string& group, bool double_precision) {
  FitControl control;
  if (!group.empty()) control.group = Group::named(group);
  control.double_precision = double_precision;
  control.checkpoint = checkpoint.value_or(Path());
  control.resume = resume;
  control.threads = threads;
  control.stop = [] {
    raise_pending_interrupt();
    return false;
  };
  if (callback) {
    control.callback = [&](const FitProgress& progress) {
      (*callback)(tuple_of(progress.record), progress.members, progress.epochs, progress.done, progress.seconds_left);
    };
  }
  on_threads(threads, [&] { aligner.fit(training, control); });
}

Dataset transform(const TemporalAligner& aligner, const Dataset& series, std::size_t threads) {
  return on_threads(threads, [&] { return aligner.transform(series); });
}

Dataset comparison(const TemporalAligner& aligner, const Dataset& series, std::size_t threads) {
  return on_threads(threads, [&] { return aligner.comparison(series); });
}

Dataset inverse_transform(const TemporalAligner& aligner, const Dataset& aligned, const Dataset& series,
                          std::size_t threads) {
  return on_threads(threads, [&] { return aligner.inverse_transform(aligned, series); });
}

Array<double> warps(const TemporalAligner& aligner, const Dataset& series, std::size_t threads) {
  return array_of(on_threads(threads, [&] { return aligner.warps(series); }));
}

Array<double> warp_times(const TemporalAligner& aligner, const Dataset& series, const Array<double>& times,
                         bool inverse, std::size_t threads) {
  Matrix points(extent(times, 0), extent(times, 1));
  std::copy_n(times.data(), times.size(), points.values().data());
  return array_of(on_threads(threads, [&] { return aligner.warp_times(series, points, inverse); }));
}

std::vector<Array<double>> velocities(const TemporalAligner& aligner, const Dataset& series, std::size_t threads) {
  std::vector<Array<double>> layers;
  for (Matrix& layer : on_threads(threads, [&] { return aligner.velocities(series); })) {
    layers.push_back(array_of(std::move(layer)));
  }
  return layers;
}

std::vector<RecordTuple> history(const TemporalAligner& aligner) {
  std::vector<RecordTuple> records;
  for (const EpochRecord& record : aligner.history()) records.push_back(tuple_of(record));
  return records;
}

void save(const TemporalAligner& aligner, const Path& path) {
  without_gil([&] { aligner.save(path); });
}

TemporalAligner load(const Path& path) {
  return without_gil([&] { return TemporalAligner::load(path); });
}

}  // namespace

void define_temporal_aligner(py::module_& module) {
  py::class_<TemporalAligner> aligner(module, "TemporalAligner", py::is_final());
  aligner.def(py::init<TrainingOptions, std::uint64_t>(), py::arg("options"), py::arg("seed"));
  aligner.def("fit", &fit, py::arg("training"), py::arg("threads"), py::arg("checkpoint"), py::arg("resume"),
              py::arg("callback"), py::arg("group") = "", py::arg("double_precision") = false);
  aligner.def("transform", &transform, py::arg("series"), py::arg("threads"));
  aligner.def("comparison", &comparison, py::arg("series"), py::arg("threads"));
  aligner.def("inverse_transform", &inverse_transform, py::arg("aligned"), py::arg("series"), py::arg("threads"));
  aligner.def("warps", &warps, py::arg("series"), py::arg("threads"), "(cases, length)");
  aligner.def("warp_times", &warp_times, py::arg("series"), exact("times"), py::arg("inverse"), py::arg("threads"));
  aligner.def("velocities", &velocities, py::arg("series"), py::arg("threads"), "One per layer: (cases, cells + 1)");
  aligner.def_property_readonly("options", &TemporalAligner::options);
  aligner.def_property_readonly("seed", &TemporalAligner::seed);
  aligner.def_property_readonly("shrinkage", &TemporalAligner::shrinkage);
  aligner.def_property_readonly("series_at_once", &TemporalAligner::series_at_once);
  aligner.def_property_readonly("centroids", &TemporalAligner::centroids);
  aligner.def_property_readonly("comparison_centroids", &TemporalAligner::comparison_centroids);
  aligner.def("history", &history);
  aligner.def("save", &save, py::arg("path"));
  aligner.def_static("load", &load, py::arg("path"));
}

}  // namespace diffeo::python
