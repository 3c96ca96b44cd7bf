#!/usr/bin/env bash
# Makes packages of irkiss in target/dist: scripts/package.sh archive|deb|all
#   irkiss-VERSION-x86_64-linux.tar.zst       unpack it anywhere; needs LLVM 22's library, as Debian's libllvm22 has it
#   irkiss-dbg-VERSION-x86_64-linux.tar.zst   the debug symbols, to be unpacked over it
#   irkiss_VERSION_amd64.deb                  the same for /usr
# They are built apart (target/package), so that no path of this machine is in them. SOURCE_DATE_EPOCH sets the time of their files.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PATH:$HOME/.cargo/bin

say() { printf 'package: %s\n' "$*"; }
die() { printf 'package: error: %s\n' "$*" >&2; exit 1; }

what=${1:-all}
case $what in archive|deb|all) ;; *) die "give archive, deb or all" ;; esac
for tool in strip objcopy readelf python3 gzip; do
  command -v $tool >/dev/null || die "no $tool (packages binutils, python3, gzip)"
done

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
dist=$PWD/target/dist
build=$PWD/target/package
tree=$dist/tree
symbols=$dist/symbols
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}

# --- build: nothing that is built may know where ---
registry=${CARGO_HOME:-$HOME/.cargo}/registry/src
maps="-ffile-prefix-map=$PWD=. -ffile-prefix-map=$registry=crates"
say "building irkiss $version in target/package"
CARGO_TARGET_DIR=$build IRKISS_PACKAGE=1 CFLAGS="$maps" CXXFLAGS="$maps" CARGO_PROFILE_RELEASE_INCREMENTAL=false \
  RUSTFLAGS="--remap-path-prefix=$PWD=. --remap-path-prefix=$registry=crates" cargo build --release --locked
scripts/plugin.sh "$build/plugin"

# --- the tree below a prefix ---
rm -rf "$tree" "$symbols"
lib=$tree/lib/irkiss
doc=$tree/share/doc/irkiss
mkdir -p "$tree/bin" "$lib" "$doc/examples" "$tree/share/irkiss/include" "$tree/share/man/man1" \
  "$tree/share/bash-completion/completions" "$tree/share/zsh/vendor-completions" "$tree/share/fish/vendor_completions.d"
cp "$build/release/irkiss" "$tree/bin/irkiss"
cp .z3/lib/libz3.so.[0-9]* "$lib/"
cp "$build"/plugin/irkiss-plugin*.so "$lib/"
chmod 644 "$lib"/*
# Symbols go beside the file, into .debug/, where debuggers look for them.
for file in bin/irkiss $(cd "$tree" && ls lib/irkiss/irkiss-plugin*.so); do
  to=$symbols/$(dirname "$file")/.debug/$(basename "$file").debug
  mkdir -p "$(dirname "$to")"
  objcopy --only-keep-debug --compress-debug-sections "$tree/$file" "$to"
  strip --strip-unneeded "$tree/$file"
  objcopy --add-gnu-debuglink="$to" "$tree/$file"
done
strip --strip-unneeded "$lib"/libz3.so.*

run() { LD_LIBRARY_PATH=$lib "$tree/bin/irkiss" "$@"; }
run man --to "$tree/share/man/man1"
gzip -9n "$tree"/share/man/man1/*
run completions bash > "$tree/share/bash-completion/completions/irkiss"
run completions zsh > "$tree/share/zsh/vendor-completions/_irkiss"
run completions fish > "$tree/share/fish/vendor_completions.d/irkiss.fish"
cp runtime-stubs/include/irkiss.h "$tree/share/irkiss/include/"
cp README.md LICENSE-MIT LICENSE-APACHE "$doc/"
cp -r docs "$doc/docs"
cp test-bitcode/kiss/bluetooth.c test-bitcode/kiss/bluetooth_fixed_atomic.c test-bitcode/drivers/level_reset_racy.c \
  test-bitcode/drivers/kernel.h test-bitcode/pthread/mutex_racy.c "$doc/examples/"
python3 scripts/third-party.py > "$doc/THIRD-PARTY.txt"
find "$tree" -type d -exec chmod 755 {} + -o -type f ! -path "$tree/bin/*" -exec chmod 644 {} +
chmod 755 "$tree/bin/irkiss"

# --- what must be true of it ---
runpath=$(readelf -dW "$tree/bin/irkiss" | sed -n 's/.*RUNPATH.*\[\(.*\)\]/\1/p')
[ "$runpath" = '$ORIGIN/../lib/irkiss' ] || die "RUNPATH is $runpath"
for path in "$PWD" "$HOME/"; do
  if found=$(grep -rlF -- "$path" "$tree"); then die "$path is in $found"; fi
done
# No room below here may be needed: a copy elsewhere has to check a program.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -a "$tree" "$copy/elsewhere"
(cd / && "$copy/elsewhere/bin/irkiss" doctor >"$copy/said") || die "the packaged irkiss does not work: $(tail -3 "$copy/said")"
grep -q "Z3 .*$copy/elsewhere/lib/irkiss/libz3" "$copy/said" || die "it takes another libz3: $(grep Z3 "$copy/said")"

# --- archives ---
# pack FOLDER NAME: as NAME.tar.zst, or .tar.gz without zstd, the same bytes each time.
pack() {
  local how=zst with=(zstd -q -12)
  command -v zstd >/dev/null || { how=gz; with=(gzip -9n); }
  tar -C "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --transform "s,^\.,$2," -cf - . \
    | "${with[@]}" > "$dist/$2.tar.$how"
  say "target/dist/$2.tar.$how ($(du -h "$dist/$2.tar.$how" | cut -f1))"
}
if [ "$what" != deb ]; then
  pack "$tree" "irkiss-$version-x86_64-linux"
  pack "$symbols" "irkiss-dbg-$version-x86_64-linux"
fi
[ "$what" != archive ] || exit 0

# --- .deb ---
command -v dpkg-deb >/dev/null || die "no dpkg-deb (package dpkg)"
root=$dist/deb
rm -rf "$root"
mkdir -p "$root/DEBIAN" "$root/debian"
cp -a "$tree" "$root/usr"
# As Debian wants it: texts of licences that are on every machine are not copied, changelogs are compressed.
rm "$root"/usr/share/doc/irkiss/LICENSE-*
cp packaging/copyright "$root/usr/share/doc/irkiss/copyright"
maintainer="${DEBFULLNAME:-$(git config user.name || echo irkiss)} <${DEBEMAIL:-$(git config user.email || echo root@localhost)}>"
date=$(date -u -R -d "@$SOURCE_DATE_EPOCH")
printf 'irkiss (%s) unstable; urgency=medium\n\n  * Version %s.\n\n -- %s  %s\n' "$version" "$version" "$maintainer" "$date" \
  | gzip -9n > "$root/usr/share/doc/irkiss/changelog.gz"
if command -v dpkg-shlibdeps >/dev/null; then
  printf 'Source: irkiss\n\nPackage: irkiss\nArchitecture: amd64\n' > "$root/debian/control"
  # The library that is in the package has no package of its own.
  depends=$(cd "$root" && dpkg-shlibdeps -O --ignore-missing-info -l"$root/usr/lib/irkiss" usr/bin/irkiss usr/lib/irkiss/*.so* 2>/dev/null \
    | sed -n 's/^shlibs:Depends=//p')
else
  say "no dpkg-shlibdeps (package dpkg-dev): dependencies without versions, but for Debian 12's own"
  depends='libc6 (>= 2.36), libgcc-s1 (>= 4.2), libllvm22 (>= 1:22.1.0), libstdc++6 (>= 12)'
fi
case $depends in *libllvm22*) ;; *) die "dpkg-shlibdeps finds no libllvm22: $depends" ;; esac
rm -r "$root/debian"
cat > "$root/DEBIAN/control" <<CONTROL
Package: irkiss
Version: $version
Section: devel
Priority: optional
Architecture: amd64
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f1)
Depends: $depends
Recommends: clang-22
Suggests: lld-22, llvm-22, make
Description: finds data races of Linux drivers and pthread programs
 irkiss reads LLVM bitcode of a driver or program, closes it with a model of the
 kernel or of pthreads, and tells data races, each with an interleaving that an
 independent interpreter has replayed, or what is proved, bounded, or unknown
 and why.
 .
 It is a step of a kernel build (CHECK="irkiss kbuild") and a plugin of clang.
CONTROL
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) > "$root/DEBIAN/md5sums"
dpkg-deb --root-owner-group -Zxz --build "$root" "$dist/irkiss_${version}_amd64.deb" >/dev/null
rm -rf "$root"
say "target/dist/irkiss_${version}_amd64.deb ($(du -h "$dist/irkiss_${version}_amd64.deb" | cut -f1)): depends on $depends"
