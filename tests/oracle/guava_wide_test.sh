#!/bin/bash
# guava_wide_test.sh COMPARE OURS JAVA_SOURCE...: Guava 31.1 and this library with filters of
# 5,145,939,072 bits, which would show 32-bit arithmetic.
source "$(dirname "$0")/oracle.sh"
compare=$1 ours=$2
compile_java "${@:3}"
run_java com.google.common.hash.GuavaOracle wide "$work/wide.java"
run_ours "$work/wide.ours" "$ours" wide "$work/wide.ours"
"$compare" "$work/wide.java" "$work/wide.ours" 2
