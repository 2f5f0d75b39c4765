#!/usr/bin/env bash
# The experiments on an archive: results/results.jsonl, and docs/results/ncc.md and experiments.html made of it. Started
# again, it does what is missing; stopped, it has lost nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
archive=$1
jobs=${DIFFEO_JOBS:-$(nproc)}
evaluate() { build/bin/diffeo evaluate "$archive" --results results --jobs "$jobs" "$@"; }

evaluate --methods euclidean,dba,soft-dtw
evaluate --methods diffeo                                              # the defaults: docs/results/ncc.md
evaluate --methods diffeo --preset ensemble --seeds 0,1,2 --pictures   # what is compared with the others
# The presets are trained for 2000 epochs at a learning rate of 1e-4, made for graphics processors. Here they get ten times
# the rate, and far fewer epochs; resnet-tw, eight networks one after the other, fewer still.
brief=(--learning-rate 1e-3 --schedule cosine --batch-size 32)
evaluate --methods dtan "${brief[@]}" --epochs 100 --least-steps 600
evaluate --methods resnet-tw "${brief[@]}" --epochs 30 --least-steps 300
# What training data alone would have made one expect.
evaluate --methods euclidean,diffeo --preset ensemble --cv 3
# One thing changed at a time, on five small sets, trained for half as long as usual.
build/bin/diffeo ablation "$archive" --results results/ablation --jobs "$jobs" --epochs 100 --least-steps 500 \
  --datasets CBF,ECG200,GunPoint,SonyAIBORobotSurface1,SyntheticControl
# The paper's 96 settings by successive halving, on twelve small sets, trained for less than a third as long as usual.
build/bin/diffeo grid "$archive" --results results/grid --jobs "$jobs" --halving --oracle --epochs 60 --least-steps 300 \
  --datasets ArrowHead,Beef,CBF,ECG200,ECGFiveDays,FaceFour,GunPoint,ItalyPowerDemand,Lightning7,SonyAIBORobotSurface1,ToeSegmentation1,Trace
tools/experiments_pages.sh
