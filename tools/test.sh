#!/usr/bin/env bash
# Everything `make test` runs after the build: all steps, even after one has failed, then a summary.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs=$(nproc)
summary=()
failures=0

step() {
  local name=$1 start=$SECONDS outcome=passed
  shift
  printf '\n== %s\n' "$name"
  if ! "$@"; then
    outcome=FAILED
    failures=$((failures + 1))
  fi
  summary+=("$(printf '%-7s %4d s  %s' "$outcome" $((SECONDS - start)) "$name")")
}

under_sanitizers() {
  tools/build.sh asan-ubsan && ctest --preset asan-ubsan --parallel "$jobs" --no-tests=error
}

python_tests() { .venv/bin/python -m pytest -q -rs tests/python tests/readme tests/examples; }

step "C++ tests, command line, installed package, examples" ctest --preset default --parallel "$jobs" --no-tests=error
step "core under address and undefined-behaviour sanitizers" under_sanitizers
step "Python tests, Python examples, README snippets" python_tests

printf '\n== summary\n'
printf '%s\n' "${summary[@]}"
if [[ $failures != 0 ]]; then
  echo "make test: $failures of ${#summary[@]} steps failed"
  exit 1
fi
echo "make test: all passed"
