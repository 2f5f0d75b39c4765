# Installs a build to a fresh prefix and uses it from a project of its own:
#   cmake -DBUILD=... -DWORK=... -DVERSION=... -P run.cmake
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "failed: ${command}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${WORK}/prefix")
# Moved after installation: the package must not remember where it was put.
file(RENAME "${WORK}/prefix" "${WORK}/moved")
run(${CMAKE_COMMAND} -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK}/build" -G "${GENERATOR}"
    "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${WORK}/moved" "-DEXPECTED_VERSION=${VERSION}"
    -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build "${WORK}/build")
run("${WORK}/build/consumer" "${VERSION}")
if(EXISTS "${WORK}/moved/bin/diffeo")
  run("${WORK}/moved/bin/diffeo" --version)
endif()
