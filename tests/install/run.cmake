# Installs a build to a fresh prefix and uses it from a project of its own:
#   cmake -DBUILD=... -DWORK=... -DVERSION=... -DGENERATOR=... -DCOMPILER=... -P run.cmake
include("${CMAKE_CURRENT_LIST_DIR}/prefix.cmake")

install_build("${BUILD}" "${WORK}")
run(${CMAKE_COMMAND} -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK}/build" -G "${GENERATOR}"
    "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${WORK}/moved" "-DEXPECTED_VERSION=${VERSION}"
    -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build "${WORK}/build")
run("${WORK}/build/consumer" "${VERSION}")
if(EXISTS "${WORK}/moved/bin/diffeo")
  run("${WORK}/moved/bin/diffeo" --version)
endif()
