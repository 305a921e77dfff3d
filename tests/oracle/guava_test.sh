#!/bin/bash
# guava_test.sh COMPARE OURS JAVA_SOURCE...: Guava 31.1 and this library create the same
# filters, give the same answers, and read each other's files.
source "$(dirname "$0")/oracle.sh"
compare=$1 ours=$2
compile_java "${@:3}"
guava_side() { run_java com.google.common.hash.GuavaOracle "$@"; }

guava_side fill "$seed" "$work/fill.java" "$work/forms.java"
run_ours "$work/fill.ours" "$ours" fill "$seed" "$work/fill.ours" "$work/forms.ours"
"$compare" "$work/fill.java" "$work/fill.ours" 10000
cmp "$work/forms.java" "$work/forms.ours"
echo "$(stat -c %s "$work/forms.ours") serialised bytes are equal"

guava_side read "$seed" "$work/read.java" "$work/forms.ours"
run_ours "$work/read.ours" "$ours" read "$seed" "$work/read.ours" "$work/forms.java"
"$compare" "$work/read.java" "$work/read.ours" 2000
