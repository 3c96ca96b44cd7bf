#!/bin/bash
# Bitcode of drivers of the corpus with one fix undone each (docs/reverted-fixes.md): the patches in tests/data/reverted/ are applied to
# copies; the kernel tree stays as it is.
#
#   scripts/reverted-fixes.sh KERNEL BUILD OUT [NUMBER…]
#
# KERNEL: an unpacked linux-source-6.1 (6.1.192). BUILD: its configured build folder, with the recorded command lines of the .ll files.
# OUT/NN-driver.bc (passes disabled) and OUT/NN-driver.o2.bc (plain -O2) are written; FIXED=1: of the driver as it is.
set -e
kernel=$1 build=$2 out=$3
shift 3
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$out"
link=$(command -v llvm-link-22 || command -v llvm-link-19)
for patch in "$here"/tests/data/reverted/*.patch; do
    name=$(basename "$patch" .patch)
    if [ $# -gt 0 ] && [[ " $* " != *" ${name%%-*} "* ]]; then continue; fi
    work=$(mktemp -d)
    # The files that it changes, and what they stand beside.
    sed -n 's,^--- a/,,p' "$patch" | while read -r file; do
        mkdir -p "$work/$(dirname "$file")"
        cp "$kernel/$file" "$work/$file"
    done
    [ -n "$FIXED" ] || patch -s -p1 -d "$work" < "$patch"
    main=$(sed -n 's,^--- a/,,p' "$patch" | grep '\.c$' | head -1)
    folder=$(dirname "$main") stem=$(basename "$main" .c)
    objects=("$main")
    # A module of several files.
    case $main in sound/core/oss/*) objects+=(sound/core/oss/{pcm_plugin,io,copy,linear,mulaw,route,rate}.c) ;; esac
    for form in nopass o2; do
        parts=()
        for source in "${objects[@]}"; do
            object=$(basename "$source" .c)
            command=$(sed -n '1s/^[^=]*:= *//p' "$build/$(dirname "$source")/.$object.ll.cmd")
            command=$(sed -E 's/ -Wp,-MMD,[^ ]*//; s/ -emit-llvm -S / /; s/ -o [^ ]*\.ll / /' <<< "$command")
            if [ "$source" = "$main" ]; then
                command=${command% *}" $work/$main -iquote $kernel/$folder"
            fi
            flags=
            [ $form = o2 ] || flags='-Xclang -disable-llvm-passes'
            part=$work/$object.$form.bc
            (cd "$build" && eval "$command $flags -Wno-unused -emit-llvm -c -o $part")
            parts+=("$part")
        done
        suffix=
        [ $form = nopass ] || suffix=.o2
        "$link" -o "$out/$name$suffix.bc" "${parts[@]}"
    done
    rm -rf "$work"
    echo "$name: $stem"
done
