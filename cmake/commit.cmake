# Writes a source file that knows the commit it is built from:
#   cmake -DSOURCE=<repository> -DTEMPLATE=<file.in> -DOUTPUT=<file> -P commit.cmake
# A file that would not change is left alone, so that nothing is compiled again.
execute_process(
  COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=12 --exclude=*
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR NOT commit)
  set(commit unknown)
endif()
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
