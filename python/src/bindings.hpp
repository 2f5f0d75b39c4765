// One function per binding file; each adds the contents of one public header to the module.
#pragma once

#include <pybind11/pybind11.h>

namespace diffeo::python {

void define_velocity(pybind11::module_& module);
void define_flow(pybind11::module_& module);
void define_numeric_flow(pybind11::module_& module);
void define_scaling_squaring(pybind11::module_& module);
void define_pooling(pybind11::module_& module);
void define_sample(pybind11::module_& module);
void define_warp(pybind11::module_& module);
void define_warp_space(pybind11::module_& module);
void define_prior(pybind11::module_& module);
void define_random(pybind11::module_& module);
void define_align(pybind11::module_& module);
void define_joint_aligner(pybind11::module_& module);
void define_dataset(pybind11::module_& module);
void define_generate(pybind11::module_& module);
void define_nearest_centroid(pybind11::module_& module);
void define_prepare(pybind11::module_& module);
void define_file_errors(pybind11::module_& module);
void define_files(pybind11::module_& module);
void define_series_stream(pybind11::module_& module);
void define_dtw(pybind11::module_& module);
void define_soft_dtw(pybind11::module_& module);
void define_barycenter(pybind11::module_& module);
void define_training_options(pybind11::module_& module);
void define_threads(pybind11::module_& module);
void define_version(pybind11::module_& module);

}  // namespace diffeo::python
