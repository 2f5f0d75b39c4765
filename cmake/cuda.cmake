# CUDA's compiler, and the GPUs that are compiled for: Turing (75) to Blackwell (120; compilers before 12.8 know up to
# Hopper, 90), and those to come by way of PTX. CMAKE_CUDA_ARCHITECTURES says otherwise.
set(architectures ${CMAKE_CUDA_ARCHITECTURES})
if(NOT architectures)
  set(CMAKE_CUDA_ARCHITECTURES 75-real)  # one is enough to try the compiler
endif()
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.0)
  message(FATAL_ERROR "DIFFEO_BUILD_CUDA: expected CUDA's compiler 12 or later, found ${CMAKE_CUDA_COMPILER_VERSION} "
                      "(${CMAKE_CUDA_COMPILER})")
endif()
if(NOT architectures)
  set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
    list(APPEND CMAKE_CUDA_ARCHITECTURES 90)
  else()
    list(APPEND CMAKE_CUDA_ARCHITECTURES 90-real 100-real 120)
  endif()
endif()
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)  # the one that torch has loaded
