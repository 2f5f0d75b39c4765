#include "data/bytes.hpp"

#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"

namespace diffeo::files {

void ByteSource::read(char* to, std::size_t count) {
  if (count > remaining_) {
    throw FileError({name_}, message("expected ", count, " more bytes, got ", remaining_, ": the file is cut short"));
  }
  remaining_ -= count;
  while (count > 0) {
    const std::size_t got = read_some(to, count);
    if (got == 0) throw FileError({name_}, message("expected ", count, " more bytes, got none: the file is cut short"));
    to += got;
    count -= got;
  }
}

}  // namespace diffeo::files
