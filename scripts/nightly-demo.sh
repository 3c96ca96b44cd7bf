#!/usr/bin/env bash
# Two nights over a small tree of drivers (docs/examples/nightly/irkiss.mk): one has a race that is known, one gets a new one after the
# first night. Fails unless the second night tells exactly that one as new.
set -euo pipefail
cd "$(dirname "$0")/.."
irkiss=$(realpath "${IRKISS:-target/release/irkiss}")
work=${1:-target/demo/nightly}
rm -rf "$work"
mkdir -p "$work/tree"
work=$(cd "$work" && pwd)
cases=$PWD/test-bitcode/drivers

driver() { # NAME CASE: the driver is that case from now on
  cp "$cases/$2.c" "$work/tree/$1.c"
}
cp "$cases"/*.h "$work/tree/"
driver backlight backlight_level_safe
driver disk disk_safe
driver hid hid_stopped_racy

# As clang and CMake write it.
{
  separator='['
  for name in backlight disk hid; do
    printf '%s{"directory": "%s/tree", "file": "%s.c", "command": "clang-22 -g -O2 -I%s/runtime-stubs/include -w -c %s.c -o %s.o"}' \
      "$separator" "$work" "$name" "$PWD" "$name" "$name"
    separator=$',\n '
  done
  printf ']\n'
} > "$work/tree/compile_commands.json"

night() { # EXPECTED-EXIT-CODE
  local code=0
  make -s -f docs/examples/nightly/irkiss.mk irkiss-nightly "IRKISS=$irkiss" "IRKISS_INPUT=$work/tree" "IRKISS_NIGHTS=$work/store" || code=$?
  printf '(exit code of make: %s)\n\n' "$code"
  [ "$code" = "$1" ] || { printf 'nightly-demo: expected exit code %s\n' "$1" >&2; exit 1; }
}

printf 'The first night:\n'
night 0
driver backlight backlight_level_racy
printf 'The second night, after a lock was taken out of one driver:\n'
night 2
head -1 "$work/store/reports/night.mail"
head -1 "$work/store/reports/night.mail" | grep -qx 'Subject: \[irkiss\] night 2: 1 new, 0 fixed, . no longer decided (3 modules)'
[ "$(grep -c '"baselineState": "new"' "$work/store/reports/night.sarif")" = 1 ]
