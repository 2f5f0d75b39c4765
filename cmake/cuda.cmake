# CUDA's compiler, and the GPUs that are compiled for: Turing (75) to Blackwell (120), and those to come by way of PTX.
# What a build is for, CMAKE_CUDA_ARCHITECTURES says otherwise.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 100-real 120)
endif()
enable_language(CUDA)
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)  # the one that torch has loaded
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.0)
  message(FATAL_ERROR "DIFFEO_BUILD_CUDA: expected CUDA's compiler 12 or later, found ${CMAKE_CUDA_COMPILER_VERSION} "
                      "(${CMAKE_CUDA_COMPILER})")
endif()
