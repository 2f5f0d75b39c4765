#!/usr/bin/env bash
# What `make test` does: everything it needs, the build, then all steps, even after one has failed, and a summary.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Threads of torch's that wait sleep instead of spinning: several tests run at a time, and one that spins keeps the other
# from what it waits for.
export OMP_WAIT_POLICY=passive

jobs=$(nproc)
summary=()
failures=0

note() {  # name, seconds, exit code
  local outcome=passed
  if [[ $3 != 0 ]]; then
    outcome=FAILED
    failures=$((failures + 1))
  fi
  summary+=("$(printf '%-7s %4d s  %s' "$outcome" "$2" "$1")")
}

step() {
  local name=$1 start=$SECONDS outcome=0
  shift
  printf '\n== %s\n' "$name"
  "$@" || outcome=$?
  note "$name" $((SECONDS - start)) "$outcome"
}

# Steps that go on beside those that follow, one after the other; their output comes in the end, each in one piece.
names_beside=()
commands_beside=()
beside() {
  names_beside+=("$1")
  commands_beside+=("$2")
}

begin_beside() {
  setsid nice -n 10 "$BASH" -c '
    logs=$1
    shift
    for command in "$@"; do
      number=$((number + 1)) start=$SECONDS outcome=0
      $command >"$logs/$number.log" 2>&1 || outcome=$?
      echo "$((SECONDS - start)) $outcome" >"$logs/$number.outcome"
    done' beside "$logs" "${commands_beside[@]}" &
  running+=($!)
}

end_beside() {
  local number seconds outcome
  wait "${running[-1]}" || true
  for number in "${!names_beside[@]}"; do
    printf '\n== %s\n' "${names_beside[$number]}"
    cat "$logs/$((number + 1)).log" || true
    read -r seconds outcome <"$logs/$((number + 1)).outcome" || { seconds=0 outcome=1; }
    note "${names_beside[$number]}" "$seconds" "$outcome"
  done
}

run_ctest() {
  local outcome=0
  ctest --preset default --parallel "$jobs" --no-tests=error || outcome=$?
  tools/skipped_tests.sh build/Testing/Temporary/LastTest.log
  return "$outcome"
}

# What sanitizers look at is compiled from the start on, with what everything else leaves of the cores: one of them while
# Python's packages are installed.
compile_for_sanitizers_ahead() {
  setsid nice -n 19 tools/build.sh asan-ubsan core_tests data_tests >"$logs/ahead.log" 2>&1 &
  running+=($!)
  export compiling_ahead=$!
}
sanitize() {
  tail --pid="$compiling_ahead" -f /dev/null
  tools/sanitize.sh core data
}

run_pytest() { .venv/bin/python -m pytest -q -rs --durations=15 "$@"; }
readme_and_wheel() { run_pytest tests/readme tests/packaging; }
export -f run_pytest readme_and_wheel sanitize

logs=$(mktemp -d)
running=()  # groups of processes; whoever interrupts means all of them
trap 'for group in "${running[@]}"; do kill -- -"$group" 2>/dev/null || true; done; rm -rf "$logs"' EXIT

tools/setup.sh packages
compile_for_sanitizers_ahead
tools/setup.sh
tools/build.sh default
step "C++ tests, command line, installed package, examples" run_ctest
# Beside each other, because most of the Python tests leave a core idle. Under sanitizers what computes and what reads files
# of others; `make sanitize` has all layers.
beside "README snippets, pages, wheel" readme_and_wheel
beside "documentation" tools/docs.sh
beside "core and data under address and undefined-behaviour sanitizers" sanitize
begin_beside
step "Python tests" run_pytest tests/python
end_beside

printf '\n== summary\n'
printf '%s\n' "${summary[@]}"
if [[ $failures != 0 ]]; then
  echo "make test: $failures of ${#summary[@]} steps failed"
  exit 1
fi
echo "make test: all passed"
