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

# What goes on beside the steps that follow, until its result is asked for; its output comes then, in one piece.
begin_beside() {
  beside_log=$(mktemp)
  setsid nice -n 10 "$@" >"$beside_log" 2>&1 &
  beside=$!
  trap 'kill -- -"$beside" 2>/dev/null || true' EXIT  # whoever interrupts means all of it
}

end_beside() {
  local outcome=0
  wait "$beside" || outcome=$?
  cat "$beside_log"
  rm -f "$beside_log"
  return "$outcome"
}

run_ctest() {
  local outcome=0
  ctest --preset default --parallel "$jobs" --no-tests=error || outcome=$?
  tools/skipped_tests.sh build/Testing/Temporary/LastTest.log
  return "$outcome"
}

python_tests() { .venv/bin/python -m pytest -q -rs --durations=25 tests/python tests/readme tests/packaging; }

step "C++ tests, command line, installed package, examples" run_ctest
# Beside each other, because most of the Python tests leave a core idle. What computes and what reads files of others;
# `make sanitize` has all layers.
begin_beside tools/sanitize.sh core data
step "Python tests, README snippets, wheel" python_tests
step "documentation" tools/docs.sh
step "core and data under address and undefined-behaviour sanitizers" end_beside

printf '\n== summary\n'
printf '%s\n' "${summary[@]}"
if [[ $failures != 0 ]]; then
  echo "make test: $failures of ${#summary[@]} steps failed"
  exit 1
fi
echo "make test: all passed"
