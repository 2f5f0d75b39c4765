#!/usr/bin/env bash
# Every symbol that the linker may merge with another object's (weak, unique) must lie in the kernels' own namespace.
#
# An inline function compiled for AVX-512 and left as a weak symbol can replace the same function of a translation unit
# compiled for the baseline; the program then dies of an illegal instruction on an older machine.
#
#   check_kernel_symbols.sh TARGET OBJECT...
set -euo pipefail

target=$1
shift
# DW.ref.* are pointers that exception tables refer to: data, the same for every instruction set.
allowed="^(diffeo::kernels::${target}::|(vtable|typeinfo|typeinfo name|guard variable) for diffeo::kernels::${target}::|DW\.ref\.)"

symbols=$(nm --demangle --defined-only "$@")
if ! grep --quiet --extended-regexp "diffeo::kernels::${target}::[a-z]+_kernels" <<<"$symbols"; then
  echo "no kernels for ${target} in $*: this check looks at the wrong files" >&2
  exit 1
fi
shared=$(sed -nE 's/^[0-9a-f]+ [WwVvu] (.*)$/\1/p' <<<"$symbols")
foreign=$(grep --invert-match --extended-regexp "$allowed" <<<"$shared" | sed '/^$/d' || true)
if [[ -n $foreign ]]; then
  echo "symbols of ${target} that could be linked into code for other instruction sets:" >&2
  echo "$foreign" >&2
  exit 1
fi
