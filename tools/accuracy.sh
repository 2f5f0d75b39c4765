#!/usr/bin/env bash
# docs/results/ncc.md: accuracies on an archive, with the default setting and with two published methods rebuilt. Started
# again, it does what is missing.
set -euo pipefail
archive=$1
results=docs/results/ncc
evaluate() { build/bin/diffeo evaluate "$archive" --methods diffeo --seeds 0 --jobs 2 "$@"; }

evaluate --results "$results"
# The presets are trained for 2000 epochs at a learning rate of 1e-4, made for graphics processors. Here they get ten times
# the rate, and far fewer epochs.
brief=(--learning-rate 1e-3 --schedule cosine --batch-size 32)
evaluate --results "$results/dtan" --preset dtan "${brief[@]}" --epochs 100 --least-steps 600
# Eight networks one after the other, where a step takes four times as long: fewer still, and only on the sets whose
# published figures can be compared.
evaluate --results "$results/resnet-tw" --preset resnet-tw "${brief[@]}" --epochs 30 --least-steps 300 \
  --datasets "$(.venv/bin/python bench/compare/ncc_page.py --sound-sets)"
.venv/bin/python bench/compare/ncc_page.py
