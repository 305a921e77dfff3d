# oracle.sh - sourced by the test scripts: where they work, with which seed, and
# how the two fact files are compared.
set -euo pipefail

# The seed decides every case.  Another one:
#   bazel test --test_env=LFB_ORACLE_SEED=$RANDOM //tests/oracle/...
seed=${LFB_ORACLE_SEED:-20220915}
work=${TEST_TMPDIR:?run by bazel test}
guava=/usr/share/java/guava.jar
echo "seed $seed (LFB_ORACLE_SEED chooses another)"

# Takes Java sources; their classes are in $work/classes.
compile_java() {
  [[ -r $guava ]] || { echo "$guava is missing: install libguava-java"; exit 1; }
  javac -proc:none -nowarn -cp "$guava" -d "$work/classes" "$@" 2>"$work/javac" ||
    { cat "$work/javac"; exit 1; }
}

# One process, no threads to speak of: the machine is shared with other tests.
run_java() {
  java -XX:+UseSerialGC -Xmx2g -cp "$work/classes:$guava" "$@"
}
