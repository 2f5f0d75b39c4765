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
  # Eigen allocates otherwise where it sees sanitizers, and some sources are compiled without: they have to agree.
  target_compile_definitions(diffeo_private_options INTERFACE EIGEN_MALLOC_ALREADY_ALIGNED=0)
endif()
