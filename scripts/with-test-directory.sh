#!/usr/bin/env bash
# Runs a command with a directory of its own for temporary files, and removes the directory when the command ends.
#
#   scripts/with-test-directory.sh COMMAND [ARGUMENT…]
#
# The directory is in memory where there is room: each test has a database, which is a thousand files that are created and deleted again. Whoever sets
# TMPDIR decides where it is.
set -euo pipefail
ROOM_KIB=$((6 * 1024 * 1024))

has_room() {
    [ -w /dev/shm ] \
        && grep -q '^[^ ]* /dev/shm tmpfs rw' /proc/mounts \
        && ! grep -q '^[^ ]* /dev/shm tmpfs [^ ]*noexec' /proc/mounts \
        && [ "$(df --output=avail -k /dev/shm | tail -n 1)" -ge "$ROOM_KIB" ] \
        && [ "$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)" -ge "$((2 * ROOM_KIB))" ]
}

parent=${TMPDIR:-/tmp}
if [ -z "${TMPDIR:-}" ] && has_room; then
    parent=/dev/shm
fi
directory=$(mktemp -d "$parent/cardscape.XXXXXX")
# Postgres may run as another user, who must get through.
chmod 711 "$directory"
# The command's result is the one that counts.
trap 'rm -rf "$directory" || true' EXIT
TMPDIR=$directory "$@"
