#!/usr/bin/env bash
# docs/results/ncc.md: accuracies on an archive, with the default setting and with two published methods rebuilt. Started
# again, it does what is missing.
set -euo pipefail
archive=$1
results=docs/results/ncc
evaluate() { build/bin/diffeo evaluate "$archive" --methods diffeo --seeds 0 --jobs 2 "$@"; }

evaluate --results "$results"
# The presets are trained for 2000 epochs at a learning rate of 1e-4, made for graphics processors. Here they get ten times
# the rate, and a twentieth of the epochs.
brief=(--learning-rate 1e-3 --schedule cosine --epochs 100 --least-steps 600 --batch-size 32)
evaluate --results "$results/dtan" --preset dtan "${brief[@]}"
evaluate --results "$results/resnet-tw" --preset resnet-tw "${brief[@]}"
.venv/bin/python bench/compare/ncc_page.py
