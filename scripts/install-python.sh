#!/bin/sh
# Makes a Python environment with what scripts need: install-python.sh DIR [REQUIREMENTS]
set -eu
venv=$1
requirements=${2:-$(dirname "$0")/requirements.txt}
usable() { command -v python3 >/dev/null && python3 -c 'import ensurepip, venv' 2>/dev/null; }
if ! usable; then
    echo "installing Python from the system's packages"
    if [ "$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi
    $sudo apt-get update -qq
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3 python3-venv >/dev/null
fi
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements"
