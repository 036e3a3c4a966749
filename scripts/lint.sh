#!/bin/sh
# The compiler of the workspace with LINTED=1 (RUSTC_WORKSPACE_WRAPPER), called with the compiler and its arguments: clippy, which refuses what it warns of.
#
# Libraries are compiled twice, once with their tests, and linted only there: clippy takes a fifth of the time, and whatever else needs the library waits for it.
set -eu
is_library=
for argument; do
    case $argument in
        lib) is_library=1 ;;
        --test) exec clippy-driver "$@" ;;
    esac
done
if [ -n "$is_library" ]; then
    exec "$@" -D warnings
fi
exec clippy-driver "$@"
