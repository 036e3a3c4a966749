#!/usr/bin/env bash
# How long each test takes. cargo starts the test programs with it (`make test`).
#
#   scripts/timed-tests.sh TIMES PROGRAM [ARGUMENT…]   runs a test program and adds the seconds of each test to the file TIMES
#   scripts/timed-tests.sh TIMES                       prints the ten slowest
#
# Rust's test programs print times only with an option that is not stable yet, which RUSTC_BOOTSTRAP allows. One that refuses it runs without.
set -euo pipefail
times=$1
shift

if [ $# = 0 ]; then
    echo
    echo "the ten slowest tests, in seconds:"
    # Not `head`, which would end `sort` early, and with it this script.
    sort -rn "$times" | sed -n '1,10p'
    exit
fi

program=$(basename "$1")
if RUSTC_BOOTSTRAP=1 "$1" --list -Zunstable-options --report-time >/dev/null 2>&1; then
    # Programs are named after their source and a hash.
    # Several programs may run at the same time: each writes complete lines (`-u`), so that no line is split by another.
    RUSTC_BOOTSTRAP=1 "$@" -Zunstable-options --report-time |
        tee >(sed -un "s/^test \(.*\) \.\.\. ok <\([0-9.]*\)s>$/\2 ${program%-*} \1/p" >>"$times")
else
    "$@"
fi
