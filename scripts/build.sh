#!/bin/sh
# Builds the program that `make run` starts and says how far it is: cargo takes minutes on a fresh machine.
#
#   scripts/build.sh [CARGO]
#
# On a terminal, cargo's own lines and progress bar are shown. Elsewhere (a log file) there is one line for about every tenth of the crates
# instead of one for each. Warnings and errors are shown as cargo prints them, and the exit status is cargo's.
set -eu

cargo=${1:-cargo}

say() { printf '%s\n' "build: $*"; }

# Downloads the sources of the crates as well, where they are missing.
crates=$($cargo tree --locked --prefix none --edges normal,build | cut -d ' ' -f 1,2 | sort -u | wc -l)
[ "$crates" -gt 0 ] || crates=1 # cargo has said why; the build will, too
crates=$((crates))
say "compiling the service and its libraries, $crates crates; several minutes the first time, seconds when little has changed"

if [ -t 2 ]; then
    exec $cargo build --profile quick --locked --bin cardscape
fi

# The status comes as a last line, because a pipe only has the status of its last command.
{
    status=0
    $cargo build --profile quick --locked --bin cardscape 2>&1 || status=$?
    echo "build: status $status"
} | awk -v crates="$crates" '
    /^ +(Compiling|Downloaded|Downloading|Locking|Updating) / {
        if ($1 == "Compiling" && ++compiled * 10 >= (tenths + 1) * crates) {
            tenths = int(compiled * 10 / crates)
            print "build: " compiled " of " crates " crates"
            fflush()
        }
        if ($2 == "cardscape") {
            print "build: the service itself, which takes as long as all the others"
            fflush()
        }
        next
    }
    /^build: status / { exit $3 }
    { print; fflush() }
'
