#!/usr/bin/env bash
# The paper's numerical studies, into docs/results/studies, and the page about them: studies.sh [errors|times], or both.
# Errors depend on the setting alone and use all cores; times want an idle machine and use one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

what=${1:-all}
program=${DIFFEO_PROGRAM:-build/bin/diffeo}
folder=docs/results/studies
mkdir -p "$folder"

# study NAME OPTIONS...: the file and the pictures of that name
study() {
  local name=$1
  shift
  "$program" study "$@" --output "$folder/$name.json" --figures "$folder/$name" >/dev/null
}

if [[ $what != times ]]; then
  for source in prior normal; do
    study "precision_${source}" precision --measure errors --source "$source" --threads 0
    # Differences take a flow for every entry of theta: fewer fields, a smaller map.
    study "precision_${source}_30_cells" precision --measure errors --source "$source" --cells 30 --threads 0 \
      --fields 20 --steps 10 --inner-steps 10
  done
  study squaring_ones squaring --measure errors --threads 0
  study squaring_ones_30_cells squaring --measure errors --cells 30 --threads 0
  study squaring_prior squaring --measure errors --source prior --threads 0
fi
if [[ $what != errors ]]; then
  study precision_times precision --measure times
  study squaring_times squaring --measure times --repetitions 1000
  study timing timing --repetitions 100
  bench/compare/setup.sh
  .venv-peers/bin/python bench/compare/sweep.py
fi
.venv/bin/python bench/compare/studies_page.py
