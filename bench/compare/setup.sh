#!/bin/sh
# Makes .venv-peers at the project's root: the libraries diffeo is compared with, away from its own environment.
# A second run finds the stamp of the same requirements and does nothing.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
venv=$here/../../.venv-peers
stamp=$venv/requirements.installed

if [ -f "$stamp" ] && cmp -s "$here/requirements.txt" "$stamp"; then
  echo "peers: up to date"
  exit 0
fi

[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
"$venv/bin/python" "$here/peers.py"    # compile the extensions now, not in the middle of a timing run
cp "$here/requirements.txt" "$stamp"
echo "peers: ready"
