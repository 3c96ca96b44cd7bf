#!/usr/bin/env bash
# Makes `cargo build` work on Debian 12 with git, make and Rust: installs what is missing, and nothing else.
#   LLVM 22 and clang 22 from Debian's own packages (and the headers of LLVM 19 to 21 where their clang is); libz3 5.4 from its PyPI wheel, pinned by hash, into .z3/.
# Run it as often as you like: where all is there it touches neither the network nor the system.
set -euo pipefail
cd "$(dirname "$0")/.."

Z3_VERSION=5.4.0.0
Z3_SHA256=0549ffad554178a59480ba41b5279cfbb27053ed5a2da269ae1a48214d5db34b
Z3_LIB=libz3.so.5.4

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: error: %s\n' "$*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "not root and no sudo; as root, run: $*"; fi
}

apt_updated=
apt_install() {
  command -v apt-get >/dev/null || die "no apt-get here; install yourself: $*"
  if [ -z "$apt_updated" ]; then as_root apt-get update -q; apt_updated=1; fi
  say "installing $*"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" \
    || die "apt-get could not install: $* (Debian 12 with its updates and security archives has them)"
}

# --- Rust: not ours to install ---
command -v cargo >/dev/null || die "no cargo: install Rust first (https://rustup.rs)"

# --- LLVM, clang, a linker ---
missing=()
[ -e /usr/lib/llvm-22/include/llvm-c/Core.h ] && command -v llvm-config-22 >/dev/null || missing+=(llvm-22-dev)
command -v clang-22 >/dev/null || missing+=(clang-22)
command -v cc >/dev/null || missing+=(gcc libc6-dev)
# The SAT solver is C++.
command -v c++ >/dev/null || missing+=(g++)
# The plugin for other compilers that are here: their LLVM's headers.
for n in 19 20 21; do
  if command -v "clang-$n" >/dev/null && ! [ -e "/usr/lib/llvm-$n/include/llvm/Passes/PassBuilder.h" ]; then missing+=("llvm-$n-dev"); fi
done
[ ${#missing[@]} = 0 ] || apt_install "${missing[@]}"

# --- libz3 ---
# Downloads the wheel into $1 with the first pip that works.
fetch_wheel() {
  local args=(download -q --no-deps --only-binary=:all: --platform manylinux_2_27_x86_64 -d "$1" "z3-solver==$Z3_VERSION")
  if python3 -m pip --version >/dev/null 2>&1; then
    python3 -m pip "${args[@]}"
  else
    python3 -c 'import ensurepip' 2>/dev/null || apt_install python3-venv
    python3 -m venv "$1/venv"
    "$1/venv/bin/python" -m pip "${args[@]}"
  fi
}

if ! [ -s ".z3/lib/$Z3_LIB" ] || ! [ -e .z3/lib/libz3.so ]; then
  [ "$(uname -m)" = x86_64 ] || die "the pinned libz3 is for x86-64; on $(uname -m) put $Z3_LIB and a link libz3.so to it into .z3/lib/"
  command -v python3 >/dev/null || apt_install python3
  tmp=$(mktemp -d)
  trap 'rm -rf "$tmp"' EXIT
  say "fetching libz3 (wheel z3-solver $Z3_VERSION, 39 MB)"
  fetch_wheel "$tmp" || die "pip could not fetch z3-solver==$Z3_VERSION (network? proxy?)"
  wheel=$(ls "$tmp"/z3_solver-*.whl)
  sum=$(sha256sum "$wheel"); sum=${sum%% *}
  [ "$sum" = "$Z3_SHA256" ] || die "the wheel's sha256 is $sum, expected $Z3_SHA256; nothing was installed"
  mkdir -p .z3/lib
  # Copied under another name first: an interrupted run must not leave half a library behind.
  python3 - "$wheel" "$Z3_LIB" <<'PY' || die "the wheel does not hold z3/lib/$Z3_LIB"
import shutil, sys, zipfile
wheel, name = sys.argv[1:]
with zipfile.ZipFile(wheel) as z, z.open("z3/lib/" + name) as src, open(".z3/lib/" + name + ".part", "wb") as dst:
    shutil.copyfileobj(src, dst)
PY
  chmod 755 ".z3/lib/$Z3_LIB.part"
  mv ".z3/lib/$Z3_LIB.part" ".z3/lib/$Z3_LIB"
  ln -sf "$Z3_LIB" .z3/lib/libz3.so
fi

say "ready: $(llvm-config-22 --version | sed 's/^/LLVM /'), $Z3_LIB in .z3/lib; 'cargo build' works now"
