# Installs a build to a fresh prefix and uses its networks from a project of its own:
#   cmake -DBUILD=... -DWORK=... -DVERSION=... -DGENERATOR=... -DCOMPILER=... -DPYTHON=... -DTORCH=... -P run_torch.cmake
#
# PYTHON is a Python that has the torch of the build, and TORCH is its folder; both are empty if the build installs no networks.
include("${CMAKE_CURRENT_LIST_DIR}/prefix.cmake")

set(configure ${CMAKE_COMMAND} -S "${CMAKE_CURRENT_LIST_DIR}/torch" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
    "-DEXPECTED_VERSION=${VERSION}")

function(is_refused name reason)
  execute_process(COMMAND ${configure} -B "${WORK}/${name}" ${ARGN} RESULT_VARIABLE result ERROR_VARIABLE error OUTPUT_QUIET)
  string(REGEX REPLACE "[ \n]+" " " error "${error}")
  if(result EQUAL 0 OR NOT error MATCHES "${reason}")
    message(FATAL_ERROR "${name}: expected the error \"${reason}\", got ${result}: ${error}")
  endif()
endfunction()

function(make_torch folder)  # that has nothing but version 1.2.3
  file(WRITE "${folder}/include/ATen/ATen.h" "")
  file(WRITE "${folder}/include/torch/headeronly/version.h"
    "#define TORCH_VERSION_MAJOR 1\n#define TORCH_VERSION_MINOR 2\n#define TORCH_VERSION_PATCH 3\n")
endfunction()

install_build("${BUILD}" "${WORK}")
set(found "-DCMAKE_PREFIX_PATH=${WORK}/moved")
if(NOT TORCH)
  is_refused(without_networks "component torch: this diffeo is installed without networks" "${found}")
  message("run_torch.cmake: Skipped\nthis build installs no networks: DIFFEO_BUILD_TORCH is OFF, or they are linked with CUDA\n"
          "[  SKIPPED ] Install.NetworksAreFoundAndUsedByAnotherProject")
  return()
endif()

make_torch("${WORK}/other_torch")
is_refused(other_torch "expected torch [0-9.]+, found 1.2.3 in ${WORK}/other_torch"
           "${found}" "-DDIFFEO_TORCH_DIRECTORY=${WORK}/other_torch")
is_refused(no_torch "expected torch [0-9.]+, found none" "${found}" "-DDIFFEO_TORCH_DIRECTORY=${WORK}/empty")
run(${CMAKE_COMMAND} -E env "CMAKE_PREFIX_PATH=${TORCH}/share/cmake"  # torch.utils.cmake_prefix_path
    ${configure} -B "${WORK}/by_prefix" "${found}" -DCMAKE_DISABLE_FIND_PACKAGE_Python=ON)
run(${configure} -B "${WORK}/build" "${found}" "-DPython_EXECUTABLE=${PYTHON}")
run(${CMAKE_COMMAND} --build "${WORK}/build")
run("${WORK}/build/torch_consumer")
