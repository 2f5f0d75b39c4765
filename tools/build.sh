#!/usr/bin/env bash
# Configures (the first time) and builds a preset: build.sh PRESET [TARGET...]. With the preset `default`, .venv's Python
# then imports diffeo from build/python.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=$1
shift
directory=build
if [[ $preset != default ]]; then directory=build-$preset; fi

# Ninja itself runs CMake again when a CMakeLists.txt has changed; presets it does not watch.
if [[ ! -f $directory/build.ninja || CMakePresets.json -nt $directory/build.ninja ]]; then
  cmake --preset "$preset"
fi
cmake --build --preset "$preset" ${1:+--target "$@"}

if [[ $preset == default ]]; then
  site_packages=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  echo "$PWD/build/python" >"$site_packages/diffeo-build.pth"
fi
