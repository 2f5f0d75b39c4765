#!/usr/bin/env bash
# The experiments on an archive: results/results.jsonl, and docs/results/ncc.md and experiments.html made of it. Started
# again, it does what is missing; stopped, it has lost nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
archive=$1
jobs=${DIFFEO_JOBS:-$(nproc)}
evaluate() { build/bin/diffeo evaluate "$archive" --results results --jobs "$jobs" "$@"; }

evaluate --methods euclidean,dba,soft-dtw
evaluate --methods diffeo --seeds 0,1,2 --pictures   # the defaults: docs/results/ncc.md
evaluate --methods diffeo --preset ensemble          # for those who have time
# The presets are trained for 2000 epochs at a learning rate of 1e-4, made for graphics processors. Here they get ten times
# the rate, and far fewer epochs; resnet-tw, eight networks one after the other, fewer still.
brief=(--learning-rate 1e-3 --schedule cosine --batch-size 32)
evaluate --methods dtan "${brief[@]}" --epochs 300 --least-steps 2000
evaluate --methods resnet-tw "${brief[@]}" --epochs 30 --least-steps 300
# How well a network aligns that makes the variance small, as the one that aligned in the first ensemble did.
evaluate --methods diffeo --loss variance --centered false --epochs 200 --least-steps 1000
# What training data alone would have made one expect.
evaluate --methods euclidean,dba,diffeo --cv 3
# One thing changed at a time, of one network, on five small sets.
build/bin/diffeo ablation "$archive" --results results/ablation --jobs "$jobs" --epochs 100 --least-steps 500 \
  --loss "variance + 30 cross-entropy" \
  --datasets CBF,ECG200,GunPoint,SonyAIBORobotSurface1,SyntheticControl
# Series of known true times, and sets of several channels.
.venv/bin/python bench/compare/new_series.py
# The paper's 96 settings of one network by successive halving, on twelve small sets, trained briefly.
build/bin/diffeo grid "$archive" --results results/grid --jobs "$jobs" --halving --oracle --epochs 60 --least-steps 300 \
  --loss "variance + 30 cross-entropy" \
  --datasets ArrowHead,Beef,CBF,ECG200,ECGFiveDays,FaceFour,GunPoint,ItalyPowerDemand,Lightning7,SonyAIBORobotSurface1,ToeSegmentation1,Trace
tools/experiments_pages.sh
