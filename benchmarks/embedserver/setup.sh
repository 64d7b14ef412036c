#!/bin/sh
# Fetches the encoder (32 MB, Apache-2.0) into node_modules, which is ignored.
set -eu
cd "$(dirname "$0")"
exec npm install --no-package-lock --no-audit --no-fund
