#!/usr/bin/env bash
# Bitcode of a few drivers from a kernel source tree, one .bc per driver, with the information that irkiss reads best.
#   KERNEL=/path/to/linux scripts/kernel-drivers.sh [DRIVER…]        a DRIVER is a path below the tree, without suffix
# The tree itself is not written to: everything is built in kernel-work/ (about 30 MB).
#   LLVM=-19   suffix of the clang and lld to use (default: the newest pair installed)
set -euo pipefail
cd "$(dirname "$0")/.."

die() { printf 'kernel-drivers: error: %s\n' "$*" >&2; exit 1; }

if [ -z "${KERNEL:-}" ]; then
  cat >&2 <<'TXT'
kernel-drivers: error: KERNEL is not set. Give it a kernel source tree, for example Debian's:
  apt-get install linux-source-6.1 lld-19 clang-19 flex bison bc libelf-dev libssl-dev kmod cpio rsync
  tar xf /usr/src/linux-source-6.1.tar.xz
  make kernel-drivers KERNEL=$PWD/linux-source-6.1
TXT
  exit 1
fi
[ -e "$KERNEL/Kbuild" ] || die "$KERNEL is no kernel source tree"
KERNEL=$(cd "$KERNEL" && pwd)
[ $# -gt 0 ] || set -- drivers/char/nvram drivers/char/pc8736x_gpio+drivers/char/nsc_gpio drivers/watchdog/machzwd drivers/char/dtlk

if [ -z "${LLVM:-}" ]; then
  for v in 22 21 20 19 18 17 16 15; do
    if command -v "clang-$v" >/dev/null && command -v "ld.lld-$v" >/dev/null; then LLVM=-$v; break; fi
  done
fi
[ -n "${LLVM:-}" ] || die "no clang-N with ld.lld-N; apt-get install clang-19 lld-19"

out=$PWD/kernel-work/bc
build=$PWD/kernel-work/build
mkdir -p "$out" "$build"
kmake() { nice -n 5 make -s -C "$KERNEL" "O=$build" "LLVM=$LLVM" ARCH=x86_64 "-j$(nproc)" "$@"; }

# Everything as a module, with our few settings on top; then the generated headers.
if ! [ -e "$build/.prepared" ]; then
  kmake "KCONFIG_ALLCONFIG=$PWD/scripts/kernel.config" allmodconfig || die "configuration failed (a host tool missing? flex bison bc libelf-dev libssl-dev)"
  kmake modules_prepare
  touch "$build/.prepared"
fi

failed=0
for driver in "$@"; do
  # A driver may be several modules (A+B), a module several objects: kbuild's .mod file lists them.
  objects=()
  for module in ${driver//+/ }; do
    kmake "$module.mod" || { objects=(); break; }
    mapfile -t -O ${#objects[@]} objects < <(tr -s ' \n' '\n' < "$build/$module.mod" | grep .)
  done
  name=${driver%%+*}; name=${name##*/}
  texts=("${objects[@]/%.o/.ll}")
  if [ ${#objects[@]} -gt 0 ] && kmake "KCFLAGS=-Xclang -disable-llvm-passes -fno-discard-value-names" "${texts[@]}" \
      && (cd "$build" && llvm-link-22 -o "$out/$name.bc" "${texts[@]}"); then
    printf '%s\n' "kernel-work/bc/$name.bc"
  else
    printf 'kernel-drivers: %s failed\n' "$driver" >&2; failed=1
  fi
done
exit $failed
