#!/usr/bin/env bash
# Runs commands at the same time: `scripts/at-once.sh [--all] COMMAND…`, each a line for the shell.
#
# The output of each command is shown as one piece, in the order of the commands: of the first that has not ended as it comes, of the others when those before them have
# ended. The first command that fails ends the others, when its output has been shown. With `--all`, all commands run to their ends; the exit status is that of the first
# that failed. Below the output of each command but the last is how long it took, and how much of the processors.
set -euo pipefail

all=
if [ "${1-}" = --all ]; then
    all=1
    shift
fi
logs=$(mktemp -d)
groups=()
# Whatever ends this script ends the commands: each is a process group of its own.
end() {
    for group in "${groups[@]}"; do
        kill -- "-$group" 2>/dev/null || true
        wait "$group" 2>/dev/null || true
    done
    rm -rf "$logs"
}
trap end EXIT

TIMEFORMAT='%0lR, %0U s of the processors for programs and %0S s for the system'
set -m
for command in "$@"; do
    log=$logs/${#groups[@]}
    : >"$log"
    if [ "${#groups[@]}" = "$(($# - 1))" ]; then
        bash -euo pipefail -c "$command" >"$log" 2>&1 </dev/null &
    else
        (time bash -euo pipefail -c "$command") >"$log" 2>&1 </dev/null &
    fi
    groups+=($!)
done
set +m

failed=0
for index in "${!groups[@]}"; do
    group=${groups[$index]}
    tail -n +1 -f --pid="$group" "$logs/$index"
    status=0
    wait "$group" || status=$?
    if [ "$failed" = 0 ]; then
        failed=$status
    fi
    if [ "$failed" != 0 ] && [ -z "$all" ]; then
        break
    fi
done
exit "$failed"
