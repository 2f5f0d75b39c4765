// diffeo._core: the core as compiled functions of NumPy arrays. The package around it is what people call.
#include "bindings.hpp"

PYBIND11_MODULE(_core, module) {
  using namespace diffeo::python;
  module.doc() = "The compiled core of diffeo. Use the functions of the package `diffeo` instead.";
  define_version(module);
  define_threads(module);
  define_velocity(module);
  define_flow(module);
  define_numeric_flow(module);
  define_scaling_squaring(module);
  define_pooling(module);
  define_sample(module);
  define_warp(module);
  define_warp_space(module);
  define_prior(module);
  define_random(module);
  define_file_errors(module);
  define_dataset(module);
  define_generate(module);
  define_prepare(module);
  define_dtw(module);
  define_soft_dtw(module);
  define_barycenter(module);
  define_nearest_centroid(module);
  define_files(module);
  define_series_stream(module);
  define_align(module);
  define_joint_aligner(module);
  define_training_options(module);
}
