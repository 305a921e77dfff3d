#!/bin/bash
# Compares the Python module with the C library and with ctypes: ./bazelw run //bench/python
set -euo pipefail
PYTHONPATH=packaging/python exec /usr/bin/python3 -B "$1" "$2"
