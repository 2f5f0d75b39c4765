# diffeo_compile_each_header(NAME HEADER...): an object library with one source per header, which includes that header and
# nothing else: a header includes what it uses.
function(diffeo_compile_each_header name)
  set(sources "")
  foreach(header IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER "${header}" source)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}/${source}.cpp")
    file(WRITE "${source}" "#include <${header}>\n")
    list(APPEND sources "${source}")
  endforeach()
  add_library(${name} OBJECT ${sources})
  target_compile_options(${name} PRIVATE -O0)
endfunction()
