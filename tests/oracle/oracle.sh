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
  javac -J-XX:-UsePerfData -proc:none -nowarn -cp "$guava" -d "$work/classes" "$@" \
    2>"$work/javac" || { cat "$work/javac"; exit 1; }
}

# Few threads, and no files that Java processes share: other tests run meanwhile.
run_java() {
  java -XX:-UsePerfData -XX:+UseSerialGC -Xmx2g -cp "$work/classes:$guava" "$@"
}

# Takes a fact file, then the program and arguments that write it: where it dies,
# says in which case.
run_ours() {
  local facts=$1
  "${@:2}" && return
  echo "our side failed with status $? in: $(grep '^case' "$facts" | tail -n 1)"
  exit 1
}
