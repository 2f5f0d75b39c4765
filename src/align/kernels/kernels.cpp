// All kernels of alignment, for one instruction set. Compiled once per entry of the list in cmake/kernels.cmake.
#include "align/kernels/lane_systems.hpp"
#include "align/kernels/path_costs.hpp"
#include "align/kernels/whitened_products.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

// Declared, and chosen among, in dispatch.cpp.
extern const AlignKernels align_kernels;
const AlignKernels align_kernels = {
    [](const WhiteningFilter& filter, const double* block, std::size_t columns, double* whitened,
       double* products) noexcept { add_whitened_products(filter, block, columns, whitened, products); },
    [](const SystemPack& systems) noexcept { factor(systems); },
    [](const SystemPack& systems, double* logs) noexcept { fill_log_determinants(systems, logs); },
    [](const SystemPack& systems) noexcept { solve_lower(systems); },
    [](const SystemPack& systems) noexcept { invert(systems); },
    [](const SystemPack& systems, double* products) noexcept { multiply(systems, products); },
    [](const PathPiece& piece, const float* before, std::size_t count, float* best) noexcept {
      try_piece(piece, before, count, best);
    },
};

}  // namespace diffeo::kernels::DIFFEO_TARGET
