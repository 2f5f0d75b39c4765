# The CMake package `diffeo`: find_package(diffeo) gives one target per layer that users call, diffeo::core, diffeo::options,
# diffeo::data, diffeo::baselines, diffeo::align, diffeo::classify and diffeo::report. find_package(diffeo COMPONENTS torch)
# adds diffeo::torch. Experiments, studies and the command line are not part of it.
include(CMakePackageConfigHelpers)
include(cmake/public_headers.cmake)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/diffeo)

function(diffeo_install_headers)
  foreach(header IN LISTS ARGN)
    get_filename_component(folder "diffeo/${header}" DIRECTORY)
    install(FILES "include/diffeo/${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}")
  endforeach()
endfunction()

function(diffeo_install_layers export)
  install(TARGETS ${ARGN} EXPORT ${export})
  install(EXPORT ${export} NAMESPACE diffeo:: DESTINATION ${package_directory})
endfunction()

set(installed_layers core options data baselines align classify report)
list(JOIN installed_layers ", " diffeo_component_names)
list(TRANSFORM installed_layers PREPEND diffeo_)
diffeo_install_layers(diffeo-targets ${installed_layers})
diffeo_install_headers(${diffeo_public_headers})

if(diffeo_torch_is_installed)
  diffeo_install_layers(diffeo-torch-targets diffeo_torch)
  diffeo_install_headers(${diffeo_public_torch_headers})
  install(FILES cmake/libtorch.cmake DESTINATION ${package_directory} RENAME diffeo-libtorch.cmake)
endif()
if(DIFFEO_BUILD_CLI)
  install(TARGETS diffeo_program)
endif()

configure_package_config_file(cmake/diffeo-config.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/diffeo-config.cmake"
  INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/diffeo-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES cmake/Findsodium.cmake "${CMAKE_CURRENT_BINARY_DIR}/diffeo-config.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/diffeo-config-version.cmake" DESTINATION ${package_directory})
