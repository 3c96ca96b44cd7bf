#!/usr/bin/env bash
# What checking a driver costs beside compiling it: one Markdown table on standard output.
#   scripts/bench.sh                      the drivers of test-bitcode/, compiled with clang-22
#   K=kernel-work scripts/bench.sh        the drivers in K/bc/, with the clang commands of the kernel build in K/build/
#   RUNS=3        runs of each; the median counts (runs of irkiss and clang alternate, so that load hits both)
#   DRIVERS='nvram dtlk'                  only these
#   OPTIONS='--ts 1 --unwind 2 --jobs 1'  options of irkiss
#   SECONDS_MAX=600                       a run that takes longer is cut off
# Times are CPU time, user and system, of all processes of a run. They depend on the machine and its load: compare ratios.
# Clang compiles with the optimisation that the driver is normally compiled with, to bitcode: no machine code, no linking.
set -euo pipefail
cd "$(dirname "$0")/.."

die() { printf 'bench: error: %s\n' "$*" >&2; exit 1; }
irkiss=$(realpath "${IRKISS:-target/release/irkiss}")
[ -x "$irkiss" ] || die "no $irkiss; cargo build --release"
gnu_time=$(type -P time) || die "no time command; apt-get install time"
K=${K:-}
RUNS=${RUNS:-3}
OPTIONS=${OPTIONS:---ts 1 --unwind 2 --jobs 1}
SECONDS_MAX=${SECONDS_MAX:-600}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Runs a command: its CPU milliseconds and the kilobytes of its largest process, into $ms and $kb; its exit code into $code.
# The shell's clock for the time (the other counts in hundredths), the other's for the memory.
measure() {
  local user sys seconds
  code=0
  TIMEFORMAT='%3U %3S'
  { time "$gnu_time" -q -o "$tmp/kb" -f %M "$@" > "$tmp/out" 2> "$tmp/err" || code=$?; } 2> "$tmp/cpu"
  read -r user sys < <(tail -n 1 "$tmp/cpu")
  ms=$(awk -v u="$user" -v s="$sys" 'BEGIN { printf "%.0f", (u + s) * 1000 }')
  kb=$(tail -n 1 "$tmp/kb")
}

median() { printf '%s\n' "$@" | sort -n | sed -n "$(( ($# + 1) / 2 ))p"; }

# A count of the last JSON report; one that is not there was never counted up.
count() {
  local n
  n=$(sed -n "s/^ *\"$1\": \([0-9]*\),\{0,1\}$/\1/p" "$tmp/json" | tail -n 1)
  printf '%s' "${n:-0}"
}

# The C files that were compiled into the bitcode.
units() {
  llvm-dis-22 -o - "$1" | awk '
    /DICompileUnit\(/ { if (match($0, /file: ![0-9]+/)) unit[substr($0, RSTART + 6, RLENGTH - 6)] = 1 }
    / = !DIFile\(/    { if (match($0, /filename: "[^"]*"/)) name[$1] = substr($0, RSTART + 11, RLENGTH - 12) }
    END               { for (u in unit) print name[u] }' | sort
}

# The clang command of a C file, out of the kernel build, as a script. It writes nothing into the build: no output file,
# no list of headers. What irkiss alone asks for (the passes off, assembly text) is taken out again.
kernel_command() {
  local file=$1 base saved
  base=$(basename "$file" .c)
  saved=$(find "$K/build/" -path "*/$(basename "$(dirname "$file")")/.$base.ll.cmd" | head -n 1)
  [ -n "$saved" ] || die "no clang command for $file in $K/build"
  printf 'cd %q\n' "$(realpath "$K/build")"
  # shellcheck disable=SC2016
  sed -n '1s/^[^=]*:= //p' "$saved" | sed -e 's/\$(pound)/#/g' -e 's/\$\$/$/g' \
    -e 's/ -Wp,-MMD,[^ ]*//' -e 's/ -Xclang -disable-llvm-passes//' -e 's/ -emit-llvm / /' -e 's/ -S / -c -emit-llvm /' \
    -e 's# -o [^ ]*\.ll # -o /dev/null #'
}

# Writes the script that compiles driver $1 (bitcode $2).
compile_script() {
  if [ -n "$K" ]; then
    units "$2" > "$tmp/units"
    while read -r unit; do
      printf '(\n'; kernel_command "$unit"; printf ')\n'
    done < "$tmp/units"
  else
    printf 'clang-22 -O2 -g -emit-llvm -c -Iruntime-stubs/include -o /dev/null test-bitcode/drivers/%s.c\n' "$1"
  fi
}

if [ -n "$K" ]; then
  [ -d "$K/bc" ] && [ -d "$K/build" ] || die "no bc/ and build/ in $K; make kernel-drivers"
  all=$(cd "$K/bc" && ls -- *.bc 2>/dev/null) || die "no bitcode in $K/bc; make kernel-drivers"
else
  all=$(cd test-bitcode/drivers && ls -- *.c)
fi
DRIVERS=${DRIVERS:-$(printf '%s\n' "$all" | sed 's/\.[a-z]*$//')}

printf '`irkiss %s`, median of %s runs\n\n' "$OPTIONS" "$RUNS"
printf '| driver | verdict | irkiss CPU s | clang CPU s | ratio | peak MB | pairs | terms | queries |\n'
printf '|---|---|--:|--:|--:|--:|--:|--:|--:|\n'
failed=0
for driver in $DRIVERS; do
  if [ -n "$K" ]; then
    bc=$K/bc/$driver.bc
  else
    bc=$tmp/$driver.bc
    clang-22 -g -O2 -Xclang -disable-llvm-passes -fno-discard-value-names -Iruntime-stubs/include -emit-llvm \
      -c "test-bitcode/drivers/$driver.c" -o "$bc"
  fi
  compile_script "$driver" "$bc" > "$tmp/compile.sh"
  ours=() theirs=() sizes=() problem=
  for (( run = 0; run < RUNS; run++ )); do
    # shellcheck disable=SC2086
    measure timeout "$SECONDS_MAX" "$irkiss" $OPTIONS --format json --stats "$bc"
    case $code in
      0|1|3) ;;
      124) problem="over $SECONDS_MAX s"; break ;;
      *) problem="exit code $code: $(head -n 1 "$tmp/err")"; break ;;
    esac
    mv "$tmp/out" "$tmp/json"
    ours+=("$ms") sizes+=("$kb")
    measure sh -e "$tmp/compile.sh"
    [ "$code" = 0 ] || { problem="clang: $(head -n 1 "$tmp/err")"; break; }
    theirs+=("$ms")
  done
  if [ -n "$problem" ]; then
    printf '| %s | %s | | | | | | | |\n' "$driver" "$problem"; failed=1; continue
  fi
  verdict=$(sed -n 's/^  "verdict": "\(.*\)",$/\1/p' "$tmp/json" | head -n 1)
  a=$(median "${ours[@]}") b=$(median "${theirs[@]}") m=$(median "${sizes[@]}")
  awk -v d="$driver" -v v="$verdict" -v a="$a" -v b="$b" -v m="$m" \
      -v p="$(count pairs)" -v t="$(count terms)" -v q="$(count queries)" 'BEGIN {
    printf "| %s | %s | %.2f | %.2f | %.1f | %.0f | %s | %s | %s |\n", d, v, a / 1000, b / 1000, a / (b > 0 ? b : 1), m / 1024, p, t, q }'
done
exit $failed
