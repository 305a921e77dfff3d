#!/bin/bash
# node_test.sh SCRIPT ARGUMENT...: a test in JavaScript, run by Node.js.
set -euo pipefail
command -v node >/dev/null || { echo "node is missing: install nodejs"; exit 1; }
# The scripts import one another from where they are linked to.
exec node --preserve-symlinks --preserve-symlinks-main "$@"
