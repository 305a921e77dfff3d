#!/bin/bash
# python_test.sh TEST.py [VERSIONED]: runs a test of the Python module, with the system's Python.
# With VERSIONED, the compiled part of that path is used instead of that with the stable ABI.
set -euo pipefail

package=packaging/python
if (($# > 1)); then
  package=$TEST_TMPDIR/versioned
  mkdir -p "$package/lfbloom"
  cp packaging/python/lfbloom/*.py "$package/lfbloom/"
  cp "$2" "$package/lfbloom/_lfbloom.so"
fi
PYTHONPATH=$package:tests/python exec /usr/bin/python3 -B -W error -m unittest -v "$1"
