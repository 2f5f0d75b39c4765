#!/usr/bin/env bash
# The pages about results/, as far as there are results.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build/bin/diffeo report results --table results/published.csv --title "Nearest centroids on data sets of the UCR archive" \
  -o docs/results/experiments.html
.venv/bin/python bench/compare/ncc_page.py
