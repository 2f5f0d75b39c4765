#!/usr/bin/env bash
# Measures, and makes docs/results/speed.md, the figures of set-up times and those of the README from it.
# DIFFEO_BENCH_OPTIONS goes to bench/compare/run.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/build.sh default micro_benchmarks training_step
results=docs/results
mkdir -p "$results"
# Beside, then renamed: a broken run leaves the old file.
build/bin/micro_benchmarks --benchmark_repetitions=5 --benchmark_min_time=0.05 --benchmark_enable_random_interleaving=true \
  --benchmark_out="$results/micro.tmp" --benchmark_out_format=json >/dev/null
mv "$results/micro.tmp" "$results/micro.json"
build/bin/diffeo benchmark --json >"$results/benchmark.tmp"
mv "$results/benchmark.tmp" "$results/benchmark.json"

bench/compare/setup.sh
read -r -a options <<<"${DIFFEO_BENCH_OPTIONS:-}"
.venv-peers/bin/python bench/compare/run.py "${options[@]}"
.venv/bin/python bench/compare/report.py
.venv/bin/python bench/compare/baselines.py
.venv/bin/python bench/compare/files.py
.venv-peers/bin/python bench/compare/alignment.py
# The others' results are kept: they take long, and only diffeo changes.
.venv-peers/bin/python bench/compare/truth.py --fresh-diffeo
# A build without the torch layer has no training step to time.
.venv-peers/bin/python bench/compare/training_step.py
.venv/bin/python tools/figures.py
.venv/bin/python tools/guide_figures.py
.venv/bin/python tools/update_readme.py
