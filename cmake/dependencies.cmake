# Everything that is looked for on the machine, in one place: whoever lacks several parts hears of all of them at once.
# Python and what comes with it are found where they are used (python/CMakeLists.txt, cmake/torch.cmake).
set(missing_parts "")
macro(diffeo_find package debian_package)
  find_package(${package} QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    list(APPEND missing_parts "${package} (Debian's package ${debian_package})")
  endif()
endmacro()

find_package(Threads REQUIRED)
diffeo_find(Eigen3 libeigen3-dev NO_MODULE)           # header-only: bases, priors, the solver of alignments
diffeo_find(nlohmann_json nlohmann-json3-dev)         # header-only: files of tensors, results, pages
diffeo_find(ZLIB zlib1g-dev)                          # compressed .npz
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
diffeo_find(sodium libsodium-dev)                     # digests of files; Findsodium.cmake
if(DIFFEO_BUILD_CLI)
  diffeo_find(CLI11 libcli11-dev)                     # header-only: arguments of the program
endif()
if(missing_parts)
  list(JOIN missing_parts ", " missing_parts)
  message(FATAL_ERROR "diffeo is built with parts that were not found: ${missing_parts}. Install them, or say in "
                      "CMAKE_PREFIX_PATH where they are.")
endif()
