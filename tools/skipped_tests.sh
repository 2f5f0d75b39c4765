#!/usr/bin/env bash
# Which tests were skipped, and why: skipped_tests.sh LOG, of GoogleTest or of ctest.
awk '/: Skipped$/ { getline reason } /^\[  SKIPPED \]/ && reason { print "skipped " $4 ": " reason; reason = "" }' "$1"
