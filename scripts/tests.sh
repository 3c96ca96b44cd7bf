#!/usr/bin/env bash
# All tests. That of the cases uses all processors by itself; the others, which end with one long test each, run as many at once as there are
# processors. What one says is shown when it has ended.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly FEATURES=(--features faults)

# As cargo finds them: each file of tests/, and each folder with a main.rs.
targets() {
    local file
    for file in tests/*.rs tests/*/main.rs; do
        file=${file%/main.rs}
        printf -- '--test %s\n' "$(basename "$file" .rs)"
    done
}

one() {
    local said status=0
    said=$(cargo test --quiet "${FEATURES[@]}" "$@" -- --test-threads=1 2>&1) || status=$?
    printf '\n==> %s\n%s\n' "$*" "$said"
    return $status
}

if [ "${1-}" = --one ]; then
    shift
    one "$@"
    exit
fi

cargo test "${FEATURES[@]}" --no-run
status=0
cargo test "${FEATURES[@]}" --test cases || status=1
# The longest ones first.
{
    printf '%s\n' '--test oracle' --lib '--test limits' '--test models' --bins
    targets | grep -v -x -E -e '--test (cases|oracle|limits|models)'
    echo --doc
} | xargs -P "$(nproc)" -I{} bash -c 'scripts/tests.sh --one $1' _ {} || status=1
exit $status
