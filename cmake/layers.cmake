# One library per layer, one test program per layer.
#
#   diffeo_add_layer(NAME sources...)         library diffeo_NAME, diffeo::NAME to users; what it links is the caller's
#   diffeo_add_layer_tests(NAME sources...)   program NAME_tests of the layer diffeo::NAME
function(diffeo_add_layer name)
  add_library(diffeo_${name} ${ARGN})
  add_library(diffeo::${name} ALIAS diffeo_${name})
  set_target_properties(diffeo_${name} PROPERTIES EXPORT_NAME ${name} OUTPUT_NAME diffeo-${name})
  target_include_directories(diffeo_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(diffeo_${name} PUBLIC cxx_std_20)
  target_link_libraries(diffeo_${name} PRIVATE $<BUILD_INTERFACE:diffeo_private_options>)
endfunction()

function(diffeo_add_layer_tests name)
  add_executable(${name}_tests ${ARGN})
  target_include_directories(${name}_tests PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name}_tests PRIVATE diffeo::${name} diffeo_private_options GTest::gtest_main)
  gtest_discover_tests(${name}_tests DISCOVERY_TIMEOUT 60)
endfunction()
