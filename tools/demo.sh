#!/usr/bin/env bash
# What `make demo` shows: an aligner trained on generated series, or on the file given, and the page about it.
set -euo pipefail
output=build/demo
data=${1:-}

.venv/bin/python examples/train.py --output "$output" ${data:+--data "$data"}
title=${data:+$(basename "$data"), series not seen in training}
build/bin/diffeo report "$output/model.safetensors" --data "$output/new_series.ts" --output "$output/report.html" \
  --title "${title:-Cylinders, bells and funnels not seen in training}"

if [[ -z $data ]]; then
  .venv/bin/python examples/demo.py --output "$output"
  build/bin/diffeo benchmark
fi
echo "open $output/report.html in a browser"
