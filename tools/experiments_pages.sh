#!/usr/bin/env bash
# The pages about a folder of results, as far as there are results: experiments_pages.sh [RESULTS] [FOLDER FOR THE PAGES].
set -euo pipefail
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
results=$(realpath "${1:-$project/results}")
pages=$(realpath "${2:-$project/docs/results}")
cd "$(dirname "$results")"  # the page names its files as seen from here
results=$(basename "$results")
"$project/build/bin/diffeo" report "$results" --table "$results/published.csv" \
  --title "Nearest centroids on data sets of the UCR archive" -o "$pages/experiments.html"
"$project/.venv/bin/python" "$project/bench/compare/ncc_page.py" "$results" "$pages/ncc.md"
