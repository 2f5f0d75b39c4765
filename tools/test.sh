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

step() {  # name, command
  local start=$SECONDS outcome=0
  printf '\n== %s\n' "$1"
  "$2" || outcome=$?
  note "$1" $((SECONDS - start)) "$outcome"
}

# Steps that may run beside others, two at a time: most tests of Python leave a core idle. What a step prints comes when
# it ends, in one piece.
declare -A name_of=() begun_at=()  # by the process of a step
begin() {  # name, command
  if [[ ${#name_of[@]} == 2 ]]; then end_one; fi
  echo "-- begun: $1"
  setsid "$BASH" -euo pipefail -c "$2" >"$logs/$1" 2>&1 &
  running+=($!)
  name_of[$!]=$1
  begun_at[$!]=$SECONDS
}

end_one() {
  local process outcome=0
  wait -n -p process "${!name_of[@]}" || outcome=$?
  printf '\n== %s\n' "${name_of[$process]}"
  cat "$logs/${name_of[$process]}"
  note "${name_of[$process]}" $((SECONDS - begun_at[$process])) "$outcome"
  unset "name_of[$process]"
}

end_all() { while [[ ${#name_of[@]} != 0 ]]; do end_one; done; }

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
# Python's tests in three steps, so that both cores are done at about the same time.
export of_command_line='test_cli_*' of_pages='test_report_* test_*results_browser* test_experiments_*'
python_tests_named() {  # patterns
  local patterns
  read -ra patterns <<<"$1"
  run_pytest ${patterns[@]/#/tests\/python\/}  # as names of files
}
other_python_tests() {
  local patterns
  read -ra patterns <<<"$of_command_line $of_pages"
  run_pytest tests/python "${patterns[@]/#/--ignore-glob=*/}"
}
export -f run_pytest readme_and_wheel python_tests_named other_python_tests sanitize

logs=$(mktemp -d)
running=()  # groups of processes; whoever interrupts means all of them
trap 'for group in "${running[@]}"; do kill -- -"$group" 2>/dev/null || true; done; rm -rf "$logs"' EXIT

tools/setup.sh packages
compile_for_sanitizers_ahead
tools/setup.sh
tools/build.sh default
step "C++ tests, command line, installed package, examples" run_ctest
# The longest first. Under sanitizers what computes and what reads files of others; `make sanitize` has all layers.
begin "Python tests" other_python_tests
begin "README snippets, pages, wheel" readme_and_wheel
begin "Python tests of the command line" "python_tests_named '$of_command_line'"
begin "Python tests of pages" "python_tests_named '$of_pages'"
begin "documentation" tools/docs.sh
begin "core and data under address and undefined-behavior sanitizers" sanitize
end_all

printf '\n== summary\n'
printf '%s\n' "${summary[@]}"
if [[ $failures != 0 ]]; then
  echo "make test: $failures of ${#summary[@]} steps failed"
  exit 1
fi
echo "make test: all passed"
