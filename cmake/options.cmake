# diffeo::private_options: what every target of this project is compiled with, and no user of it ever sees.
add_library(diffeo_private_options INTERFACE)
target_compile_options(diffeo_private_options INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wno-psabi
  -ffp-contract=off      # fused multiply-adds only where the code says so: same bits from every code path
  -fno-math-errno -fno-trapping-math)
if(DIFFEO_WERROR)
  target_compile_options(diffeo_private_options INTERFACE -Werror)
endif()
if(DIFFEO_SANITIZE)
  string(REPLACE ";" "," sanitizers "${DIFFEO_SANITIZE}")
  target_compile_options(diffeo_private_options INTERFACE
    -fsanitize=${sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(diffeo_private_options INTERFACE -fsanitize=${sanitizers})
  # Some sources are compiled without (tests/CMakeLists.txt): tests go by DIFFEO_SANITIZED, and Eigen, which allocates
  # otherwise where it sees sanitizers, is told how.
  target_compile_definitions(diffeo_private_options INTERFACE DIFFEO_SANITIZED EIGEN_MALLOC_ALREADY_ALIGNED=0)
endif()
