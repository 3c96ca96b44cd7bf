#!/usr/bin/env bash
# Shows irkiss at work on the example of the KISS paper: the Bluetooth driver with its race, and the repaired one without.
# Fails if the race is not found or the repaired driver is not clean.
set -euo pipefail
cd "$(dirname "$0")/.."
irkiss=${IRKISS:-target/release/irkiss}
work=target/demo
mkdir -p "$work"

run() { # EXPECTED-EXIT-CODE arguments of irkiss
  local expected=$1 code=0
  shift
  printf '\n$ irkiss %s\n' "$*"
  "$irkiss" "$@" || code=$?
  printf '(exit code %s)\n' "$code"
  [ "$code" = "$expected" ] || { printf 'demo: expected exit code %s\n' "$expected" >&2; exit 1; }
}

for name in bluetooth bluetooth_fixed_atomic; do
  clang-22 -g -O2 -Xclang -disable-llvm-passes -fno-discard-value-names -Iruntime-stubs/include \
    -emit-llvm -c "test-bitcode/kiss/$name.c" -o "$work/$name.bc"
done
run 1 "$work/bluetooth.bc"
run 1 --emit schedule -o "$work/schedule.json" "$work/bluetooth.bc"
run 1 replay "$work/schedule.json" "$work/bluetooth.bc"
run 0 "$work/bluetooth_fixed_atomic.bc"
