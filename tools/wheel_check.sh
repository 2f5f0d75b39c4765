#!/usr/bin/env bash
# Tries a wheel on a machine that has nothing but Python: wheel_check.sh WHEEL. The machine is the smallest Debian that there is,
# in a folder (debootstrap, as root), of the same release, so that its Python is that of the wheel. What the wheel depends on is
# fetched out here and installed in there without a network. Beside NumPy alone, the examples that need no network run, and the
# command; with the extra `torch` and matplotlib, the tutorial, from top to bottom.
#
# DIFFEO_MIRROR says where Debian comes from, DIFFEO_BARE_MACHINE where the folder is, which then stays for another time.
set -euo pipefail
wheel=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

stop() {
  echo "wheel-check: $1" >&2
  exit 1
}

if [[ $(id -u) != 0 ]]; then stop "needs root, to make another root folder and to change into it"; fi
if ! command -v debootstrap >/dev/null; then stop "needs debootstrap: apt-get install debootstrap"; fi

machine=${DIFFEO_BARE_MACHINE:-}
if [[ -z $machine ]]; then
  machine=$(mktemp -d)
  trap 'rm -rf --one-file-system "$machine"' EXIT
fi
if [[ ! -f $machine/made ]]; then
  echo "wheel-check: making the machine"
  release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  # shellcheck disable=SC2086  # no mirror is no argument
  debootstrap --variant=minbase --include=python3,python3-venv "${release:-stable}" "$machine" ${DIFFEO_MIRROR:-} >"$machine.log" \
    || stop "debootstrap failed; see $machine.log"
  rm "$machine.log"
  touch "$machine/made"
fi

echo "wheel-check: fetching what the wheel depends on"
tried=$machine/tried
rm -rf "$tried"
mkdir -p "$tried/wheels"
.venv/bin/python -m pip download --quiet --disable-pip-version-check --dest "$tried/wheels" "${wheel}[torch]" matplotlib
cp -r docs/tutorial.md examples tools/run_page.py "$tried"

# Mounts are this process's own, and end with it.
echo "wheel-check: installing it and trying it out"
unshare --mount --pid --fork --mount-proc="$machine/proc" chroot "$machine" \
  /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 bash -euo pipefail -s -- "${wheel##*/}" <<'THERE'
cd /tried
if command -v c++ cmake git >/dev/null; then echo "wheel-check: this machine is not bare" >&2; exit 1; fi
environment() {  # name, what is installed in it
  python3 -m venv "$1"
  "$1/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links wheels "${@:2}"
}

environment bare "wheels/$1"
bare/bin/diffeo --version
for example in gradient_descent warp_series; do bare/bin/python "examples/$example.py"; done

environment complete "wheels/${1}[torch]" matplotlib
complete/bin/diffeo --version
complete/bin/python examples/align_series.py
complete/bin/python run_page.py tutorial.md
THERE
echo "wheel-check: ${wheel##*/} needs nothing that a bare machine lacks"
