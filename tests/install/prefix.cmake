# What the tests of the installed package share.
#
#   run(COMMAND...)                 fails if the command does
#   install_build(BUILD WORK)       installs to WORK/moved
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "failed: ${command}")
  endif()
endfunction()

# Moved after installation: the package must not remember where it was put.
function(install_build build work)
  file(REMOVE_RECURSE "${work}")
  run(${CMAKE_COMMAND} --install "${build}" --prefix "${work}/prefix")
  file(RENAME "${work}/prefix" "${work}/moved")
endfunction()
