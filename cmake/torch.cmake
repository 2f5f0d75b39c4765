# The target diffeo_libtorch: headers and libraries of the one torch that diffeo is built against, taken from the Python in
# use. torch's own CMake package is not asked: where torch was built for CUDA, it wants a CUDA compiler, of which nothing here
# has any need.
#
#   torch_version, torch_directory      2.13.0, and the folder of the Python package
set(torch_version 2.13.0)  # as in pyproject.toml and tools/requirements.txt

find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(
  COMMAND "${Python_EXECUTABLE}" -c
          "import pathlib, torch; print(torch.__version__.partition('+')[0], pathlib.Path(torch.__file__).parent, sep=';')"
  OUTPUT_VARIABLE found_torch OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE torch_missing ERROR_QUIET)
if(torch_missing)
  message(FATAL_ERROR "DIFFEO_BUILD_TORCH: expected torch ${torch_version} in ${Python_EXECUTABLE}, found none; "
                      "pip install torch==${torch_version}, or build with -DDIFFEO_BUILD_TORCH=OFF")
endif()
list(POP_FRONT found_torch found_torch_version torch_directory)
if(NOT found_torch_version STREQUAL torch_version)
  message(FATAL_ERROR "DIFFEO_BUILD_TORCH: expected torch ${torch_version} in ${Python_EXECUTABLE}, found "
                      "${found_torch_version}; pip install torch==${torch_version}, or build with -DDIFFEO_BUILD_TORCH=OFF")
endif()
message(STATUS "Networks are built against torch ${torch_version} in ${torch_directory}")

add_library(diffeo_libtorch INTERFACE)
target_include_directories(diffeo_libtorch SYSTEM INTERFACE
  "${torch_directory}/include" "${torch_directory}/include/torch/csrc/api/include")
# As torch itself was built: without them, some of its classes have other members.
target_compile_definitions(diffeo_libtorch INTERFACE USE_C10D_GLOO USE_DISTRIBUTED USE_RPC USE_TENSORPIPE)
target_link_libraries(diffeo_libtorch INTERFACE
  "${torch_directory}/lib/libtorch_cpu.so" "${torch_directory}/lib/libc10.so")
