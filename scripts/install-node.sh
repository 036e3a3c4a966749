#!/bin/sh
# Installs Node.js and npm when they are missing.
set -eu
if command -v node >/dev/null && command -v npm >/dev/null; then exit 0; fi
echo "installing Node.js from the system's packages"
if [ "$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi
$sudo apt-get update -qq
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nodejs npm >/dev/null
