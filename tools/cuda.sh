#!/usr/bin/env bash
# Compiles the kernels for all GPUs (cmake/cuda.cmake) and the operators of torch that call them, and makes
# docs/results/gpu.md of what the compiler says about registers and memory. Fails where registers do not suffice.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

compiler=$(tools/cuda_compiler.sh)
echo "cuda: $compiler"
if [[ -f build-cuda/CMakeCache.txt ]] && ! grep -qF "CMAKE_CUDA_COMPILER:FILEPATH=$compiler" build-cuda/CMakeCache.txt; then
  rm -rf build-cuda
fi
CUDACXX=$compiler cmake --preset cuda
# The report comes while the kernels are compiled: that is done anew.
find build-cuda -name 'operations.cu.o' -delete
report=build-cuda/ptxas.txt
if ! cmake --build --preset cuda --target diffeo_cuda diffeo_torch_cuda gpu_sizes >"$report" 2>&1; then
  grep -v '^ptxas info' "$report" >&2
  exit 1
fi
mkdir -p docs/results
python3 tools/gpu_page.py "$report" "$("$compiler" --version | sed -nE 's/.*, V([0-9.]+).*/\1/p')" build-cuda/bin/gpu_sizes
