# Finds libtorch and makes a target of it; for the build (cmake/torch.cmake) and for users of the installed package
# (cmake/diffeo-config.cmake.in).
#
#   diffeo_find_libtorch(TARGET VERSION PROBLEM)
#
#   TARGET    interface library with headers and libraries of torch; not made if torch is not found
#   VERSION   the only accepted version, for example 2.13.0
#   PROBLEM   variable: empty, or why there is no target
#
# Searched in this order: DIFFEO_TORCH_DIRECTORY (the folder with torch's include and lib), CMAKE_PREFIX_PATH, the package
# torch of the Python in use (Python_EXECUTABLE, if set). The first torch found must have the version. torch's own CMake
# package is not used: if torch was built for CUDA, it requires a CUDA compiler, which diffeo does not need.
function(diffeo_find_libtorch target version problem)
  set(${problem} "" PARENT_SCOPE)
  diffeo_torch_directory(directory)
  if(NOT directory)
    set(${problem} "expected torch ${version}, found none; pip install torch==${version} and set Python_EXECUTABLE, or \
set DIFFEO_TORCH_DIRECTORY to the folder that has torch's include and lib" PARENT_SCOPE)
    return()
  endif()
  diffeo_torch_version("${directory}" found)
  if(NOT found STREQUAL version)
    set(${problem} "expected torch ${version}, found ${found} in ${directory}; pip install torch==${version}, or set \
DIFFEO_TORCH_DIRECTORY to another torch" PARENT_SCOPE)
    return()
  endif()
  diffeo_add_libtorch(${target} "${directory}")
endfunction()

# The folder of torch, empty if there is none.
function(diffeo_torch_directory result)
  unset(directory)
  set(header include/ATen/ATen.h)
  if(DIFFEO_TORCH_DIRECTORY)
    find_path(directory ${header} PATHS "${DIFFEO_TORCH_DIRECTORY}" NO_DEFAULT_PATH NO_CACHE)
  else()
    # CMAKE_PREFIX_PATH may be torch.utils.cmake_prefix_path, which is torch/share/cmake.
    file(TO_CMAKE_PATH "$ENV{CMAKE_PREFIX_PATH}" prefixes)
    list(PREPEND prefixes ${CMAKE_PREFIX_PATH})
    list(TRANSFORM prefixes APPEND /../.. OUTPUT_VARIABLE above)
    find_path(directory ${header} PATHS ${prefixes} ${above} NO_DEFAULT_PATH NO_CACHE)
    if(NOT directory)
      diffeo_torch_of_python(of_python)
      find_path(directory ${header} PATHS ${of_python} NO_DEFAULT_PATH NO_CACHE)
    endif()
  endif()
  if(directory)
    get_filename_component(directory "${directory}" ABSOLUTE)
    set(${result} "${directory}" PARENT_SCOPE)
  else()
    set(${result} "" PARENT_SCOPE)
  endif()
endfunction()

# The folder of the package torch of the Python in use, which is not imported; empty if there is none.
function(diffeo_torch_of_python result)
  find_package(Python 3.10 QUIET COMPONENTS Interpreter)
  set(folder "")
  if(Python_EXECUTABLE)
    execute_process(
      COMMAND "${Python_EXECUTABLE}" -c "import importlib.util as i; print(i.find_spec('torch').submodule_search_locations[0])"
      OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  set(${result} "${folder}" PARENT_SCOPE)
endfunction()

function(diffeo_torch_version directory result)
  set(header "${directory}/include/torch/headeronly/version.h")
  if(NOT EXISTS "${header}")  # older versions have it here
    set(header "${directory}/include/torch/csrc/api/include/torch/version.h")
  endif()
  file(STRINGS "${header}" lines REGEX "^#define TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
  list(TRANSFORM lines REPLACE "^.* " "")
  list(JOIN lines "." version)
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

function(diffeo_add_libtorch target directory)
  add_library(${target} INTERFACE IMPORTED)
  set_target_properties(${target} PROPERTIES DIFFEO_TORCH_DIRECTORY "${directory}")
  target_include_directories(${target} SYSTEM INTERFACE
    "${directory}/include" "${directory}/include/torch/csrc/api/include")
  # As torch itself was built: without them, some of its classes have other members.
  target_compile_definitions(${target} INTERFACE USE_C10D_GLOO USE_DISTRIBUTED USE_RPC USE_TENSORPIPE)
  target_link_libraries(${target} INTERFACE "${directory}/lib/libtorch_cpu.so" "${directory}/lib/libc10.so")
endfunction()
