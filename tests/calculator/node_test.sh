#!/bin/bash
# node_test.sh SCRIPT ARGUMENT...: runs a test in JavaScript by Node.js.
set -euo pipefail
command -v node >/dev/null || { echo "node is missing: install nodejs"; exit 1; }
# The scripts import one another from the folder of the links.
exec node --preserve-symlinks --preserve-symlinks-main "$@"
