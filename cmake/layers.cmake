# One library per layer, one test program per layer.
#
#   diffeo_add_layer(NAME sources...)         library diffeo_NAME, diffeo::NAME to users; what it links is the caller's
#   diffeo_add_layer_tests(NAME sources...)   program NAME_tests of the layer diffeo::NAME. Every source has a namespace
#                                             of its own, so that several can be compiled at a time
#   diffeo_run_in_parts(PROGRAM)              tests that load libtorch, which takes longer than most of them: many in a process
#   diffeo_compile_quickly(TARGET)            for tests: they are compiled more often than they run
#   diffeo_compile_together(TARGET)           several sources at a time, where DIFFEO_UNITY is on: most of a compilation goes
#                                             into headers, which they share
function(diffeo_add_layer name)
  add_library(diffeo_${name} ${ARGN})
  add_library(diffeo::${name} ALIAS diffeo_${name})
  set_target_properties(diffeo_${name} PROPERTIES EXPORT_NAME ${name} OUTPUT_NAME diffeo-${name})
  target_include_directories(diffeo_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(diffeo_${name} PUBLIC cxx_std_20)
  target_link_libraries(diffeo_${name} PRIVATE $<BUILD_INTERFACE:diffeo_private_options>)
  diffeo_compile_together(diffeo_${name})
endfunction()

function(diffeo_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${DIFFEO_UNITY} UNITY_BUILD_BATCH_SIZE 10)
  if(DIFFEO_UNITY)  # an included source is no header: what it keeps to itself has no other reader
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

function(diffeo_compile_quickly target)
  target_compile_options(${target} PRIVATE -O1)
  target_precompile_headers(${target} PRIVATE <gtest/gtest.h> <algorithm> <filesystem> <functional> <ranges> <string>
                            <vector>)
endfunction()

function(diffeo_add_layer_tests name)
  add_executable(${name}_tests ${ARGN})
  target_include_directories(${name}_tests PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name}_tests PRIVATE diffeo::${name} diffeo_private_options GTest::gtest_main)
  if(name STREQUAL torch)  # shares the layer's precompiled header, and has to be compiled as it was
    diffeo_run_in_parts(${name}_tests)
    return()
  endif()
  diffeo_compile_quickly(${name}_tests)
  diffeo_compile_together(${name}_tests)
  gtest_discover_tests(${name}_tests DISCOVERY_TIMEOUT 60)
endfunction()

function(diffeo_run_in_parts program)
  set(parts 4)
  math(EXPR last "${parts} - 1")
  foreach(part RANGE ${last})
    add_test(NAME ${program}.Part${part}of${parts} COMMAND ${program} --gtest_brief=1)
    set_tests_properties(${program}.Part${part}of${parts} PROPERTIES
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${part}")
  endforeach()
endfunction()
