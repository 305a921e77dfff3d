#!/bin/bash
# kernel.sh: prints lfbloom_core.c, the kernel, cut from the library's sources.  Run at the root of the tree.
set -euo pipefail

awk -v root=packaging/core/core.c -v own=lfbloom_core.h -f tools/amalgamate.awk | python3 tools/cut.py lfb_core_
