#!/usr/bin/env bash
# Tests of layers under the address and undefined-behavior sanitizers: sanitize.sh LAYER..., or all of them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

layers=("$@")
if [[ ${#layers[@]} == 0 ]]; then layers=(core cuda data align baselines classify options report); fi

# All tests of a layer in one process, which says what failed; where all passed, how many did.
run_program() {
  local log outcome=0
  log=$(mktemp)
  "$1" >"$log" 2>&1 || outcome=$?
  if [[ $outcome != 0 ]]; then cat "$log"; fi
  printf '%s: %s\n' "$1" "$(grep -E '^\[==========\] .* ran' "$log" || echo "ended early")"
  tools/skipped_tests.sh "$log"
  rm -f "$log"
  return "$outcome"
}

tools/build.sh asan-ubsan "${layers[@]/%/_tests}"
# One process for each layer: under sanitizers it takes longer to start than most tests take.
export -f run_program
printf 'build-asan-ubsan/bin/%s_tests\n' "${layers[@]}" | xargs -P "$(nproc)" -I{} "$BASH" -c 'run_program {}'
