#!/bin/sh
# Makes sure that PgBouncer is there for the tests that run the service through it.
#
# Does nothing when it is. Otherwise installs the system's package, as root or with sudo, and turns off the
# service that the package brings: the tests start their own. Debian, Ubuntu and their relatives.
set -eu

# Without it the tests of the pooler fail, and say so; all others run.
give_up() {
    printf '%s\n' "pgbouncer: $*. The tests that need it will fail" >&2
    exit 0
}
say() { printf '%s\n' "pgbouncer: $*"; }
fail() {
    printf '%s\n' "pgbouncer: $*" >&2
    exit 1
}

PATH=$PATH:/usr/sbin:/sbin
if command -v pgbouncer >/dev/null 2>&1; then
    say "found: $(pgbouncer --version | head -n 1)"
    exit 0
fi
command -v apt-get >/dev/null 2>&1 ||
    give_up "it is not installed, and this is no Debian or Ubuntu. Install PgBouncer with your system's packages"
if [ "$(id -u)" = 0 ]; then
    root=env
elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; }; then
    root=sudo
else
    give_up "it is not installed, and root's rights are needed for: apt-get install pgbouncer"
fi
say "installing the system's package"
$root apt-get update -q </dev/null || say "the package lists could not be updated; trying with the old ones"
$root env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends pgbouncer </dev/null
if [ -d /run/systemd/system ]; then
    $root systemctl disable --now pgbouncer
fi
pgbouncer --version >/dev/null || fail "the package was installed, but its program does not run"
