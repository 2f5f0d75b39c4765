#!/usr/bin/env bash
# What `make wheel` does: the source distribution and the wheel, in build/dist. The wheel is built from the sources as
# `pip install .` does it, with the tools of .venv; a second run compiles what has changed since.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

output=build/dist
rm -rf "$output"
.venv/bin/python -m build --no-isolation --sdist --outdir "$output" .
.venv/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir "$output/as-built" .
tools/repair_wheel.sh "$output"/as-built/diffeo-*.whl "$output"
rm -r "$output/as-built"
ls -l "$output"
