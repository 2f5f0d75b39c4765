# Writes a source file that holds other files as text:
#   cmake "-DFILES=<file>;<file>..." -DOUTPUT=<file.cpp> -P embed.cmake
# What is in it is asked for by name, without folder: src/report/assets.hpp.
set(cases "")
foreach(path IN LISTS FILES)
  get_filename_component(name "${path}" NAME)
  file(READ "${path}" content)
  string(FIND "${content}" ")embedded\"" ends)
  if(NOT ends EQUAL -1)
    message(FATAL_ERROR "${path}: contains the sign that ends embedded text")
  endif()
  string(APPEND cases "  if (name == \"${name}\") return R\"embedded(${content})embedded\";\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"report/assets.hpp\"

#include <stdexcept>
#include <string>

namespace diffeo::report {

std::string_view asset(std::string_view name) {
${cases}  throw std::logic_error(\"no such page source: \" + std::string(name));
}

}  // namespace diffeo::report
")
