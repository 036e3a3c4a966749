#!/bin/sh
# Makes sure that Chromium is there for the tests of the pages, with a font for emoji.
#
# Does nothing when they are. Otherwise installs the system's packages, as root or with sudo. Debian and its
# relatives. Where Chromium comes in another way (a snap, another path), CARDSCAPE_CHROMIUM names its program.
set -eu

say() { printf '%s\n' "browser: $*"; }
fail() {
    printf '%s\n' "browser: $*" >&2
    exit 1
}
browser=${CARDSCAPE_CHROMIUM:-/usr/bin/chromium}
works() { "$browser" --version >/dev/null 2>&1; }
has_emoji() { fc-list ':charset=1f642' 2>/dev/null | grep -q .; }

if works && has_emoji; then
    say "found: $("$browser" --version 2>/dev/null)"
    exit 0
fi
[ -z "${CARDSCAPE_CHROMIUM-}" ] || works || fail "$browser (CARDSCAPE_CHROMIUM) does not run"
command -v apt-get >/dev/null 2>&1 ||
    fail "Chromium or a font for emoji is missing, and this is no Debian. Install them with your system's packages; CARDSCAPE_CHROMIUM names the program"
if [ "$(id -u)" = 0 ]; then
    root=env
elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; }; then
    root=sudo
else
    fail "root's rights are needed for: apt-get install chromium fontconfig fonts-noto-color-emoji"
fi
# Without fontconfig, this script does not find the font.
packages="fontconfig fonts-noto-color-emoji"
works || packages="chromium $packages"
say "installing the system's packages: $packages"
$root apt-get update -q </dev/null || say "the package lists could not be updated; trying with the old ones"
# shellcheck disable=SC2086 # several packages
$root env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $packages </dev/null
works || fail "the package was installed, but $browser does not run"
say "installed: $("$browser" --version 2>/dev/null)"
