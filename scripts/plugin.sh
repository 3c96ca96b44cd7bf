#!/usr/bin/env bash
# Builds the plugin for clang, opt and lld into a folder, for every LLVM from 19 on whose headers are installed:
#   scripts/plugin.sh [FOLDER]      default: target/release; irkiss-plugin-N.so for LLVM N, irkiss-plugin.so for any of them
# What is newer than its source is left as it is. CXX names another clang.
set -euo pipefail
cd "$(dirname "$0")/.."

out=${1:-${CARGO_TARGET_DIR:-target}/release}
mkdir -p "$out"
source=src/plugin
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
CXX=${CXX:-clang++-22}

die() { printf 'plugin: error: %s\n' "$*" >&2; exit 1; }
command -v "$CXX" >/dev/null || die "no $CXX (scripts/setup.sh installs it)"

# build NAME SOURCE FLAG…: under another name first, so that nobody loads half of it.
build() {
  local to=$out/$1 from=$source/$2; shift 2
  [ -e "$to" ] && [ -z "$(find "$source" scripts/plugin.sh Cargo.toml -newer "$to")" ] && return
  "$CXX" -std=c++17 -O2 -fPIC -shared -fvisibility=hidden -fno-exceptions -fno-rtti -DNDEBUG -Wall -Wextra -Werror \
    "-DIRKISS_VERSION=\"$version\"" "$@" "$from" -o "$to.$$" || die "$from does not compile for $(basename "$to")"
  mv "$to.$$" "$to"
}

built=()
for folder in /usr/lib/llvm-*/; do
  n=${folder#/usr/lib/llvm-}; n=${n%/}
  [[ $n =~ ^[0-9]+$ ]] && [ "$n" -ge 19 ] && [ -e "$folder/include/llvm/Passes/PassBuilder.h" ] || continue
  # LLVM itself is the compiler's: another copy in the same process would be one that nobody uses.
  build "irkiss-plugin-$n.so" irkiss-plugin.cpp -isystem "$folder/include"
  built+=("$n")
done
[ ${#built[@]} -gt 0 ] || die "no headers of LLVM 19 or newer (scripts/setup.sh installs llvm-22-dev)"
build irkiss-plugin.so any-version.cpp
