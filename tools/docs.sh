#!/usr/bin/env bash
# What `make docs` does after the build: the site in build/docs/html, from docs/, the docstrings and the headers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

.venv/bin/python tools/docs/build.py build/docs --programs build/bin
