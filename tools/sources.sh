#!/usr/bin/env bash
# Lists the C++ files of the project, separated by NUL: what `make format` and `make lint` look at.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
find bench examples include python src tests -type f \( -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' -o -name '*.cuh' \) -print0
