#!/usr/bin/env bash
# For who has a GPU: the tests of the kernels there, torch's operators and the transformer beside the processor, and times
# beside difw's CUDA build, into docs/results/gpu_timing.json.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

stop() {
  echo "gpu-check: $1" >&2
  exit 1
}

if ! gpus=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null) || [[ -z $gpus ]]; then
  stop "no GPU here (nvidia-smi finds none); what can be shown without one, make test shows, and make cuda compiles"
fi
echo "gpu-check: $gpus"
compiler=$(tools/cuda_compiler.sh)
# CMake's own "native" needs 3.24.
capabilities=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | tr -d . | sort -nu)
CUDACXX=$compiler cmake --preset gpu -DCMAKE_CUDA_ARCHITECTURES="${capabilities//$'\n'/;}"
cmake --build --preset gpu --target gpu_tests

echo "== reference vectors, properties, defects, agreement with the processor"
build-gpu/bin/gpu_tests --gtest_brief=1

echo "== torch's operators, the transformer, and times"
if ! .venv/bin/python -c 'import sys, torch; sys.exit(not torch.cuda.is_available())'; then
  stop "the torch in .venv has no CUDA: put torch==2.13.0 with CUDA there, and run this again"
fi
cmake --build --preset gpu --target diffeo_python diffeo_python_torch diffeo_python_sources
bench/compare/setup.sh
PYTHONPATH=build-gpu/python CUDACXX=$compiler PATH="$(dirname "$compiler"):$PATH" .venv-peers/bin/python bench/compare/gpu.py
