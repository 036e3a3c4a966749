#!/bin/sh
# Makes sure that PostgreSQL's server programs are there for the service's private Postgres.
#
#   scripts/install-postgres.sh [DATA_DIR]
#
# Does nothing when they are. Otherwise, as root or with sudo, installs the system's package, without
# the cluster on port 5432 that the package would create and start. Without either, downloads the
# package and the libraries that are missing, and unpacks them below DATA_DIR/pgsql, where the service
# looks too. Debian, Ubuntu and their relatives; elsewhere, and where the package is too old, it says
# what to install.
#
# DATA_DIR is the service's data directory; by default $CARDSCAPE_DATA_DIR, else what the service
# itself takes. CARDSCAPE_PG_INSTALL=unpack unpacks even if PostgreSQL is installed or could be.
set -eu

# The oldest major version that the service works with.
OLDEST=15
# The exit code for a system whose package is older.
TOO_OLD=3

say() { printf '%s\n' "postgres: $*"; }
fail() {
    printf '%s\n' "postgres: $*" >&2
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

default_data_dir() {
    if [ "$(id -u)" = 0 ]; then
        echo /var/lib/cardscape
    else
        echo "${XDG_DATA_HOME:-${HOME:?}/.local/share}/cardscape"
    fi
}

# ---- finding ----

# The library directories below the root of an unpacked package tree, as a search path.
library_path() {
    path=
    for dir in "$1"/usr/lib/*-linux-* "$1"/lib/*-linux-* "$1/usr/lib" "$1/lib"; do
        if [ -d "$dir" ]; then path="$path${path:+:}$dir"; fi
    done
    printf '%s' "$path"
}

# Whether a directory has the programs, and they run and are recent enough; $2 is a library path.
works() {
    [ -x "$1/postgres" ] && [ -x "$1/initdb" ] || return 1
    for program in postgres initdb; do
        # A wrapper script hides the process that the service must watch, which refuses it.
        [ "$(head -c 4 "$1/$program" | tail -c 3)" = ELF ] || return 1
        version=$(LD_LIBRARY_PATH=${2-} "$1/$program" --version 2>/dev/null) || return 1
        version=${version#*"(PostgreSQL) "}
        [ "${version%%[!0-9]*}" -ge "$OLDEST" ] 2>/dev/null || return 1
    done
}

# Prints the directory of working programs in the system.
installed() {
    for dir in "${CARDSCAPE_PG_BIN-}" \
        "$(dirname "$(command -v postgres 2>/dev/null || echo /none/postgres)")" \
        "$(pg_config --bindir 2>/dev/null || :)" \
        /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /usr/libexec/postgresql* /usr/local/pgsql/bin; do
        if [ -n "$dir" ] && works "$dir"; then
            printf '%s' "$dir"
            return 0
        fi
    done
    return 1
}

# Prints the directory of working programs below an unpacked tree.
unpacked() {
    for dir in "$1"/usr/lib/postgresql/*/bin; do
        if works "$dir" "$(library_path "$1")"; then
            printf '%s' "$dir"
            return 0
        fi
    done
    return 1
}

# ---- what the package sources offer ----

# Prints the server package that `postgresql` stands for, with its version in the name.
offered() {
    # shellcheck disable=SC2086 # the options are several words
    apt-cache ${apt-} depends postgresql 2>/dev/null |
        sed -n 's/^ *Depends: \(postgresql-[0-9][0-9]*\)$/\1/p' | head -n 1
}

# Ends with TOO_OLD if the package $1 is too old; an empty name is left to the caller.
require_recent() {
    if [ -z "$1" ] || [ "${1#postgresql-}" -ge "$OLDEST" ]; then return 0; fi
    say "the system's package sources offer $1, and Cardscape needs PostgreSQL $OLDEST or newer. Nothing \
was installed. Add the package source of the PostgreSQL project (https://www.postgresql.org/download/, \
apt.postgresql.org) and run this again, or set DATABASE_URL to a server of your own" >&2
    exit "$TOO_OLD"
}

# ---- installing with root's rights ----

# Runs as root: installs the package, and leaves its settings as they were.
install_system_package() {
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q </dev/null || say "the package lists could not be updated; trying with the old ones"
    require_recent "$(offered)"
    # This comes first because its settings tell the server package whether to create a cluster.
    apt-get install -qy --no-install-recommends postgresql-common </dev/null
    settings=/etc/postgresql-common/createcluster.conf
    saved=
    if [ -f "$settings" ] && ! grep -Eq '^[[:space:]]*create_main_cluster' "$settings"; then
        saved=$(mktemp "$settings.XXXXXX")
        cp -p "$settings" "$saved"
        # Also when it is interrupted.
        trap 'mv -f "$saved" "$settings"' EXIT
        trap 'exit 130' INT TERM HUP
        printf '%s\n' 'create_main_cluster = false' >>"$settings"
    fi
    apt-get install -qy --no-install-recommends postgresql </dev/null
}

# Prints the words to put before a command that needs root; fails when there is no way.
root_command() {
    if [ "$(id -u)" = 0 ]; then
        echo env
    elif ! have sudo; then
        return 1
    elif sudo -n true 2>/dev/null; then
        echo sudo -n
    elif [ -t 0 ] && [ -t 2 ]; then
        say "sudo is needed to install PostgreSQL (without it, it is unpacked for you alone)" >&2
        sudo -v >&2 && echo sudo
    else
        return 1
    fi
}

# ---- unpacking without any rights ----

# The packages' own directory for lists and downloads, for a system whose lists are empty.
apt_options() {
    printf '%s\n' "-o Dir::State=$1/state -o Dir::Cache=$1/cache -o Debug::NoLocking=1"
}

# The packages that a package needs and that are named lib…, one a line. LLVM is left out: it only
# serves just-in-time compilation, which the service turns off.
libraries_of() {
    # shellcheck disable=SC2086 # the options are several words
    apt-cache $apt show --no-all-versions "$1" 2>/dev/null |
        sed -n 's/^\(Pre-\)\{0,1\}Depends: //p' | tr ',' '\n' |
        sed 's/|.*//; s/[[:space:]]*(.*//; s/:any//; s/[[:space:]]//g' |
        grep '^lib' | grep -Ev '^libllvm|-perl$' || :
}

is_installed() {
    case $(dpkg-query -W -f '${db:Status-Abbrev}\n' "$1" 2>/dev/null) in *ii*) return 0 ;; esac
    return 1
}

# Downloads a package and adds it to the tree.
fetch() {
    say "downloading $1"
    # shellcheck disable=SC2086
    (cd "$work/packages" && apt-get $apt download -q "$1" >"$work/log" 2>&1) || {
        cat "$work/log" >&2
        fail "the package $1 could not be downloaded. Is the network there? You can also ask an \
administrator for: apt-get install postgresql; or set DATABASE_URL to a server of your own"
    }
    for package in "$work"/packages/*.deb; do
        dpkg-deb -x "$package" "$tree" || fail "the package $1 could not be unpacked into $tree"
        rm -f "$package"
    done
}

unpack() {
    for tool in apt-get apt-cache dpkg-deb dpkg-query; do
        have "$tool" || fail "PostgreSQL is not installed, and this is no Debian or Ubuntu ($tool is \
missing). Install the PostgreSQL server (version $OLDEST or newer) with your system's packages, or \
set DATABASE_URL to a server of your own"
    done
    # As the service does: if root runs it, Postgres runs as another user, who must pass through the parents.
    if [ "$(id -u)" = 0 ]; then parents=066; else parents=077; fi
    { (umask "$parents" && mkdir -p "$(dirname "$data_dir")") && (umask 077 && mkdir -p "$data_dir"); } ||
        fail "cannot create the data directory $data_dir"
    work=$(mktemp -d)
    # A name of its own until it is complete, so that an interrupted run leaves nothing half.
    tree=$data_dir/pgsql.unfinished
    trap 'rm -rf "$work" "$tree"' EXIT
    trap 'exit 130' INT TERM HUP
    rm -rf "$tree"
    mkdir -p "$tree" "$work/packages" "$work/state/lists/partial" "$work/cache/archives/partial"

    apt=
    if ! apt-cache show postgresql 2>/dev/null | grep -q '^Filename:'; then
        say "the system's package lists are empty: fetching them for this once"
        apt=$(apt_options "$work")
        # shellcheck disable=SC2086
        apt-get $apt update -q >"$work/log" 2>&1 || cat "$work/log" >&2
    fi
    server=$(offered)
    [ -n "$server" ] || fail "the system's package sources offer no PostgreSQL. Check \
/etc/apt/sources.list and the network, or set DATABASE_URL to a server of your own"
    require_recent "$server"

    fetch "$server"
    seen=" "
    waiting=$(libraries_of "$server")
    while [ -n "$waiting" ]; do
        next=
        for library in $waiting; do
            case $seen in *" $library "*) continue ;; esac
            seen="$seen$library "
            if is_installed "$library"; then continue; fi
            fetch "$library"
            next="$next $(libraries_of "$library")"
        done
        waiting=$(printf '%s' "$next" | tr -s '[:space:]' ' ' | sed 's/^ //; s/ $//')
    done

    if ! unpacked "$tree" >/dev/null; then
        for program in "$tree"/usr/lib/postgresql/*/bin/postgres "$tree"/usr/lib/postgresql/*/bin/initdb; do
            LD_LIBRARY_PATH=$(library_path "$tree") ldd "$program" 2>&1 | grep 'not found' >&2 || :
        done
        fail "the unpacked PostgreSQL does not run on this system. Ask an administrator for: \
apt-get install postgresql; or set DATABASE_URL to a server of your own"
    fi
    rm -rf "$data_dir/pgsql"
    mv "$tree" "$data_dir/pgsql"
    say "unpacked into $data_dir/pgsql"
}

# ---- what to do ----

if [ "${1-}" = --as-root ]; then
    install_system_package
    exit
fi

data_dir=${1:-${CARDSCAPE_DATA_DIR:-$(default_data_dir)}}
case $data_dir in /*) ;; *) data_dir=$PWD/$data_dir ;; esac

if [ -n "${DATABASE_URL-}" ]; then
    say "DATABASE_URL is set, so no PostgreSQL of our own is needed"
elif [ "${CARDSCAPE_PG_INSTALL-}" != unpack ] && dir=$(installed); then
    say "found in $dir"
elif dir=$(unpacked "$data_dir/pgsql"); then
    say "found in $dir"
elif [ "${CARDSCAPE_PG_INSTALL-}" != unpack ] && have apt-get && root=$(root_command); then
    say "installing the system's package (no cluster of its own is created)"
    # shellcheck disable=SC2086 # a command and its option
    $root sh "$0" --as-root || case $? in
    "$TOO_OLD") exit "$TOO_OLD" ;;
    *) fail "the package could not be installed; see the lines above. You \
can unpack it for yourself: CARDSCAPE_PG_INSTALL=unpack $0" ;;
    esac
    dir=$(installed) || fail "the package was installed, but its programs do not run"
    say "installed in $dir"
else
    say "unpacking the system's package below $data_dir (nothing outside is changed)"
    unpack
fi
