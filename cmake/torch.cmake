# The target diffeo::libtorch: headers and libraries of the one torch that diffeo is built against, by default the torch of
# the Python in use (cmake/libtorch.cmake).
#
#   torch_version, torch_directory      2.13.0, and the folder with torch's include and lib
set(torch_version 2.13.0)  # as in pyproject.toml and tools/requirements.txt

find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
include(cmake/libtorch.cmake)
diffeo_find_libtorch(diffeo::libtorch ${torch_version} problem)
if(problem)
  message(FATAL_ERROR "DIFFEO_BUILD_TORCH: ${problem}; or build with -DDIFFEO_BUILD_TORCH=OFF")
endif()
get_target_property(torch_directory diffeo::libtorch DIFFEO_TORCH_DIRECTORY)
message(STATUS "Networks are built against torch ${torch_version} in ${torch_directory}")
