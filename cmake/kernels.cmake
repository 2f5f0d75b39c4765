# Kernels that exist once per instruction set: the same sources, compiled into namespaces of their own, one of which is
# chosen at run time. A wheel or a package built this way needs no SIMD library and runs on any machine of its
# architecture.
#
#   diffeo_add_kernels(<library> <prefix> <source> <dispatch>)   adds the object libraries <prefix>_baseline, <prefix>_avx2, ...
#                                                                and the source that chooses among them
function(diffeo_add_kernels_for library prefix source target bytes)
  set(objects ${prefix}_${target})
  add_library(${objects} OBJECT ${source})
  target_compile_definitions(${objects} PRIVATE DIFFEO_TARGET=${target} DIFFEO_VECTOR_BYTES=${bytes})
  # Optimized in every build type: unoptimized, the vectors would spill and nothing could be inlined.
  target_compile_options(${objects} PRIVATE -O3 ${ARGN})
  target_compile_features(${objects} PRIVATE cxx_std_20)
  target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${objects} PRIVATE diffeo_private_options)
  target_sources(${library} PRIVATE $<TARGET_OBJECTS:${objects}>)
endfunction()

function(diffeo_add_kernels library prefix source dispatch)
  target_sources(${library} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${dispatch})
  set_source_files_properties(${dispatch} TARGET_DIRECTORY ${library} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  diffeo_add_kernels_for(${library} ${prefix} ${source} baseline 16)
  # Sanitizers look at one of them: the others are the same templates with longer vectors, and take long to compile.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64" AND NOT DIFFEO_SANITIZE)
    diffeo_add_kernels_for(${library} ${prefix} ${source} avx2 32 -mavx2 -mfma)
    diffeo_add_kernels_for(${library} ${prefix} ${source} avx512 64
                           -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma)
    # For this source alone: a precompiled header is not shared with tests that do not have it.
    set_source_files_properties(${dispatch} TARGET_DIRECTORY ${library} PROPERTIES
      COMPILE_DEFINITIONS DIFFEO_HAVE_X86_KERNELS)
  endif()
endfunction()
