#!/usr/bin/env bash
# Everything the build needs: system packages, and .venv with pinned versions; setup.sh packages does the first alone. A
# second run finds both and is done.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' tools/apt-packages.txt; }

is_installed() { [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

stop() {
  echo "setup: $1" >&2
  exit 1
}

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    stop "needs root or sudo to install: ${missing[*]}"
  fi
}

install_packages() {
  if [[ -n ${DIFFEO_SKIP_PACKAGES:-} ]]; then return; fi
  local all
  mapfile -t all < <(packages)
  if ! command -v dpkg-query >/dev/null; then
    stop "no apt here; install what your system calls ${all[*]}, then set DIFFEO_SKIP_PACKAGES=1"
  fi
  missing=()
  local package
  for package in "${all[@]}"; do
    if ! is_installed "$package"; then missing+=("$package"); fi
  done
  if [[ ${#missing[@]} == 0 ]]; then return; fi
  if ! command -v apt-get >/dev/null; then stop "no apt-get here, and missing: ${missing[*]}"; fi
  echo "setup: installing ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

make_environment() {
  local stamp=.venv/requirements.installed
  if [[ -f $stamp ]] && cmp --silent tools/requirements.txt "$stamp" && .venv/bin/python -c ''; then return; fi
  echo "setup: making .venv"
  # A Python that has been replaced or removed leaves an environment that does not start.
  if ! .venv/bin/python -c '' 2>/dev/null; then
    rm -rf .venv
    "${PYTHON:-python3}" -m venv .venv
  fi
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement tools/requirements.txt
  cp tools/requirements.txt "$stamp"
}

install_packages
if [[ ${1:-} != packages ]]; then make_environment; fi
