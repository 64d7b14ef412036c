#!/bin/sh
# Fetches Mem0's open-source package; nothing of it is committed.
set -eu
cd "$(dirname "$0")"
npm install --no-audit --no-fund --foreground-scripts
