#!/usr/bin/env bash
# Tries the packages of target/dist in a root that has never seen this checkout: Debian 12, what the package depends on, and nothing else.
#   scripts/try-package.sh            make dist deb comes first; needs root, debootstrap, and the package archives of this machine
#   KERNEL=/path/to/linux-build       also a kernel build's CHECK= over DRIVERS (drivers/usb/misc/), on a copy of that tree: one that has
#                                     been configured and prepared, with its source in the same folder
#   TRY=/some/folder                  where the root is made (target/try); TRY/base is kept for the next time
set -euo pipefail
cd "$(dirname "$0")/.."
dist=$PWD/target/dist
try=${TRY:-$PWD/target/try}
root=$try/root

say() { printf '\ntry-package: %s\n' "$*"; }
die() { printf 'try-package: error: %s\n' "$*" >&2; exit 1; }

[ "$(id -u)" = 0 ] || die "a root of its own needs root: sudo scripts/try-package.sh"
for tool in debootstrap unshare chroot; do command -v $tool >/dev/null || die "no $tool (packages debootstrap, util-linux)"; done
deb=$(ls -t "$dist"/irkiss_*_amd64.deb 2>/dev/null | head -1)
archive=$(ls -t "$dist"/irkiss-[0-9]*-x86_64-linux.tar.* 2>/dev/null | head -1)
[ -n "$deb" ] && [ -n "$archive" ] || die "no packages in target/dist: run make dist deb"

# --- a bare Debian, from the archive that this machine uses ---
if ! [ -e "$try/base/etc/debian_version" ]; then
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 'Created-By: Packages' | head -1)
  say "Debian 12 into $try/base"
  rm -rf "$try/base.part"
  mkdir -p "$try"
  debootstrap --variant=minbase bookworm "$try/base.part" "${mirror:?apt knows no archive of Debian 12}" >"$try/debootstrap.log" \
    || die "debootstrap failed: $try/debootstrap.log"
  rm -rf "$try/base.part/etc/apt/sources.list" "$try/base.part/etc/apt/sources.list.d"
  mkdir -p "$try/base.part/etc/apt/sources.list.d"
  cp /etc/apt/sources.list.d/debian.sources "$try/base.part/etc/apt/sources.list.d/" 2>/dev/null \
    || cp /etc/apt/sources.list "$try/base.part/etc/apt/"
  mv "$try/base.part" "$try/base"
fi
rm -rf "$root"
cp -a "$try/base" "$root"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp "$deb" "$archive" "$root/tmp/"

# A namespace of its own, so that nothing stays mounted.
inside() { # COMMAND: as a shell of the new root says it, echoed
  printf '# %s\n' "$1"
  unshare --mount --pid --fork sh -c 'mount -t proc proc "$1/proc" && mount --bind /dev "$1/dev" &&
    exec chroot "$1" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/nonexistent LANG=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive sh -ec "cd /tmp; $2"' sh "$root" "$1"
}
expect() { # CODE COMMAND: that it ends with this code
  local code=0
  inside "$2" || code=$?
  [ "$code" = "$1" ] || die "exit code $code, expected $1"
}

say "the .deb: installed by apt, which gets what it depends on and recommends"
expect 0 "apt-get update -q >/dev/null && apt-get install -y -q --no-install-recommends ./$(basename "$deb") >install.log 2>&1 || { tail -5 install.log; exit 1; }"
expect 0 "test ! -e '$PWD' && irkiss --version --verbose && irkiss doctor"
say "without clang: doctor says so, and a kernel needs it"
expect 1 'mkdir -p none && irkiss doctor --no-self-test none'
expect 0 'apt-get install -y -q --no-install-recommends clang-22 libc6-dev man-db >>install.log 2>&1 || { tail -5 install.log; exit 1; }'

say "the examples that it ships, as its documents have them"
clang='clang-22 -g -O2 -Xclang -disable-llvm-passes -fno-discard-value-names -emit-llvm -I/usr/share/irkiss/include -c'
expect 0 "for name in bluetooth bluetooth_fixed_atomic level_reset_racy; do $clang /usr/share/doc/irkiss/examples/\$name.c -o \$name.bc; done"
expect 1 'irkiss --ts 0 bluetooth.bc'
expect 1 'irkiss --emit schedule -o s.json bluetooth.bc'
expect 1 'irkiss replay s.json bluetooth.bc >/dev/null'
expect 0 'irkiss bluetooth_fixed_atomic.bc >/dev/null'
expect 1 'irkiss suggest level_reset_racy.bc'
say "as a plugin of the compiler"
expect 0 'clang-22 -g -O2 -fpass-plugin=/usr/lib/irkiss/irkiss-plugin.so -c /usr/share/doc/irkiss/examples/mutex_racy.c -o x.o 2>said; cat said; grep -q "warning: data race on counter" said'
say "manual and completions"
expect 0 'man irkiss-check | grep -q -e --switch-points'
expect 0 'bash -ec ". /usr/share/bash-completion/completions/irkiss; COMP_WORDS=(irkiss che); COMP_CWORD=1; _irkiss irkiss che irkiss; echo \${COMPREPLY[@]}" | grep -qw check'

if [ -n "${KERNEL:-}" ]; then
  drivers=${DRIVERS:-drivers/usb/misc/}
  say "a step of a kernel build, over $drivers of a copy of $KERNEL"
  mkdir "$root/tmp/linux"
  tar -C "$KERNEL" --exclude=.git -cf - . | tar -C "$root/tmp/linux" -xf -
  expect 0 'apt-get install -y -q --no-install-recommends gcc make flex bison bc libelf-dev libssl-dev lld-22 llvm-22 >>install.log 2>&1 || { tail -5 install.log; exit 1; }'
  expect 0 'irkiss doctor --no-self-test linux'
  expect 0 "cd linux && make -s ${LLVM:+LLVM=$LLVM} olddefconfig modules_prepare && make ${LLVM:+LLVM=$LLVM} C=2 CHECK=\"irkiss kbuild --timeout 20\" $drivers >../log 2>&1 || { tail ../log; exit 1; }; grep -c irkiss-data-race ../log; grep warning: ../log | head -5"
fi

say "the archive, in the same root without the .deb"
expect 0 'cp /usr/share/doc/irkiss/examples/mutex_racy.c . && apt-get install -y -q zstd >>install.log 2>&1 && apt-get remove -y -q irkiss >>install.log 2>&1; ! command -v irkiss'
expect 0 "mkdir -p '/opt/a place' && tar -C '/opt/a place' --strip-components=1 -xf $(basename "$archive")"
expect 0 "'/opt/a place/bin/irkiss' doctor"
expect 1 "'/opt/a place/bin/irkiss' -q bluetooth.bc"
expect 0 "clang-22 -g -O2 '-fpass-plugin=/opt/a place/lib/irkiss/irkiss-plugin.so' -c mutex_racy.c -o x.o 2>said; grep 'warning: data race on counter' said"
say "all as it should be"
