#!/usr/bin/env bash
# Runs commands at the same time: `scripts/at-once.sh COMMAND…`, each a line for the shell.
#
# The output of each command is shown as one piece, in the order of the commands: of the first that has not ended as it comes, of the others when those before them have
# ended. The first command that fails ends the others, when its output has been shown.
set -euo pipefail

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

set -m
for command in "$@"; do
    : >"$logs/${#groups[@]}"
    bash -euo pipefail -c "$command" >"$logs/${#groups[@]}" 2>&1 </dev/null &
    groups+=($!)
done
set +m

for index in "${!groups[@]}"; do
    group=${groups[$index]}
    tail -n +1 -f --pid="$group" "$logs/$index"
    wait "$group"
done
