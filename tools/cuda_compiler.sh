#!/usr/bin/env bash
# Prints the path of CUDA's compiler, 12 or later: CUDACXX, else the machine's nvcc, else one from PyPI in .venv-cuda, which is
# made if need be. A CUDACXX that is none, or too old, is an error: whoever names a compiler means that one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The major version of a compiler; 0 of what is none.
version() { "$1" --version 2>/dev/null | sed -nE 's/.*release ([0-9]+).*/\1/p' | grep . || echo 0; }

if [[ -n ${CUDACXX:-} && $(version "$CUDACXX") -lt 12 ]]; then
  echo "cuda: CUDACXX: expected CUDA's compiler, 12 or later, got $CUDACXX (release $(version "$CUDACXX"); 0 is none)" >&2
  exit 1
fi
for candidate in "$(command -v "${CUDACXX:-}" || true)" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc; do
  if [[ -n $candidate && -x $candidate && $(version "$candidate") -ge 12 ]]; then
    echo "$candidate"
    exit
  fi
done

environment=.venv-cuda
stamp=$environment/requirements.installed
if ! { [[ -f $stamp ]] && cmp --silent tools/cuda-requirements.txt "$stamp"; }; then
  echo "cuda: no nvcc 12 or later on this machine; making $environment" >&2
  rm -rf "$environment"
  "${PYTHON:-python3}" -m venv "$environment"
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
    --requirement tools/cuda-requirements.txt >&2
  # The compiler looks for its libraries where a machine has them.
  for toolkit in "$environment"/lib/python*/site-packages/nvidia/cu*; do ln -sfn lib "$toolkit/lib64"; done
  cp tools/cuda-requirements.txt "$stamp"
fi
compilers=("$PWD/$environment"/lib/python*/site-packages/nvidia/cu*/bin/nvcc)
echo "${compilers[0]}"
