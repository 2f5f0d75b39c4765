// Prints, as JSON, how many bytes the memory between the kernels has per field: what docs/results/gpu.md counts with.
#include <iostream>

#include "cuda/drive_flow.hpp"
#include "cuda/drive_warp.hpp"

namespace {

using diffeo::cuda::Arena;

constexpr std::size_t kCells = 32;
constexpr std::size_t kPoints = 1000;
constexpr std::size_t kFields = 1024;

/// Bytes per field of whatever `make(arena, fields)` takes.
template <class Make>
std::size_t per_field(const Make& make) {
  Arena none, many;
  make(none, std::size_t{0});
  make(many, kFields);
  return (many.used() - none.used()) / kFields;
}

template <class Real>
void print(const char* name) {
  const auto tables =
      per_field([](Arena& arena, std::size_t fields) { (void)diffeo::cuda::FieldTables<Real>(arena, kCells, fields); });
  const auto products = per_field([](Arena& arena, std::size_t fields) {
    (void)diffeo::cuda::ProductSpace<Real>(arena, kCells, kPoints, {}, 0, fields);
  });
  std::cout << "\"" << name << "\": {\"real\": " << sizeof(Real) << ", \"tables\": " << tables
            << ", \"sums\": " << products - tables << "}";
}

}  // namespace

int main() {
  std::cout << "{\"cells\": " << kCells << ", \"points\": " << kPoints << ", ";
  print<float>("float");
  std::cout << ", ";
  print<double>("double");
  std::cout << "}\n";
}
