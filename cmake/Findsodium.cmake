# libsodium as sodium::sodium: the static library if there is one, so that programs and wheels need nothing beside them.
# Installed with diffeo, for projects that link it.
include(FindPackageHandleStandardArgs)
find_path(sodium_INCLUDE_DIR sodium/crypto_hash_sha256.h)
find_library(sodium_LIBRARY NAMES libsodium.a sodium)
mark_as_advanced(sodium_INCLUDE_DIR sodium_LIBRARY)
find_package_handle_standard_args(sodium REQUIRED_VARS sodium_LIBRARY sodium_INCLUDE_DIR)
if(sodium_FOUND AND NOT TARGET sodium::sodium)
  add_library(sodium::sodium UNKNOWN IMPORTED)
  set_target_properties(sodium::sodium PROPERTIES IMPORTED_LOCATION "${sodium_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${sodium_INCLUDE_DIR}")
endif()
