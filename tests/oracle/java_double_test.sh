#!/bin/bash
# java_double_test.sh COMPARE OURS JAVA_SOURCE...: strategy java-double is the
# textbook filter over java.util.BitSet.
source "$(dirname "$0")/oracle.sh"
compare=$1 ours=$2
compile_java "${@:3}"
run_java oracle.JavaDouble "$seed" "$work/facts.java"
run_ours "$work/facts.ours" "$ours" "$seed" "$work/facts.ours"
"$compare" "$work/facts.java" "$work/facts.ours" 4500
