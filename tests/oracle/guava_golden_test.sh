#!/bin/bash
# guava_golden_test.sh JAVA_SOURCE: Guava creates the same bytes as the golden files of its form.
source "$(dirname "$0")/oracle.sh"
compile_java "$1"
golden() { run_java com.google.common.hash.GuavaOracle golden "tests/golden/$@"; }

golden guava-mitz32.guava mitz32 200 100 made
golden guava-mitz64.guava mitz64 200 100 made
golden guava-mitz64-formula-31.guava mitz64 3 1 made
golden guava-mitz64-formula-current.guava mitz64 3 1 read
# The comparison must find a difference: one key more than the file was made of.
if golden guava-mitz64.guava mitz64 200 101 read 2>"$work/refused"; then exit 1; fi
grep -q "guava-mitz64.guava differs" "$work/refused"
