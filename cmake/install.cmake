# The CMake package `diffeo`: find_package(diffeo) gives one target per layer: diffeo::core, diffeo::data,
# diffeo::baselines, diffeo::align, diffeo::classify, diffeo::options, diffeo::experiments, diffeo::report.
include(CMakePackageConfigHelpers)

install(TARGETS diffeo_align diffeo_baselines diffeo_classify diffeo_core diffeo_data diffeo_options
        diffeo_report
        EXPORT diffeo-targets)
# Headers that need torch are of use only with the library that goes with them.
install(DIRECTORY include/diffeo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} PATTERN torch EXCLUDE)
if(DIFFEO_BUILD_CLI)
  install(TARGETS diffeo_experiments EXPORT diffeo-targets)
  install(TARGETS diffeo_program)
endif()

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/diffeo)
install(EXPORT diffeo-targets NAMESPACE diffeo:: DESTINATION ${package_directory})
configure_package_config_file(cmake/diffeo-config.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/diffeo-config.cmake"
  INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/diffeo-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/diffeo-config.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/diffeo-config-version.cmake" DESTINATION ${package_directory})
