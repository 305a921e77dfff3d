#!/bin/bash
# guava_golden_test.sh JAVA_SOURCE: the golden files of Guava's form are Guava's.
source "$(dirname "$0")/oracle.sh"
compile_java "$1"
golden() { run_java com.google.common.hash.GuavaGolden "tests/golden/$@"; }

golden guava-mitz32.guava mitz32 200 0.01 100 made
golden guava-mitz64.guava mitz64 200 0.01 100 made
golden guava-mitz64-formula-31.guava mitz64 3 0.01 1 made
golden guava-mitz64-formula-current.guava mitz64 3 0.01 1 read
# What compares must see a difference: another file than is made of these keys.
if golden guava-mitz64.guava mitz64 200 0.01 101 made 2>"$work/refused"; then exit 1; fi
grep -q "with its keys put again differs" "$work/refused"
