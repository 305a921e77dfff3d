#!/bin/bash
# workflows_test.sh WORKFLOW...: checks the workflows by workflows_test.py.
set -euo pipefail
exec python3 tests/docs/workflows_test.py . "$@"
