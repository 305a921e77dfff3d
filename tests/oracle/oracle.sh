# oracle.sh - sourced by the test scripts: the folder to work in, the seed, and how to run Java.
set -euo pipefail

# The seed decides every case. To choose another one:
#
#   bazel test --test_env=LFB_ORACLE_SEED=$RANDOM //tests/oracle/...
seed=${LFB_ORACLE_SEED:-20220915}
work=${TEST_TMPDIR:?run by bazel test}
guava=/usr/share/java/guava.jar
echo "seed $seed (LFB_ORACLE_SEED chooses another)"

# Takes Java sources, and compiles them to $work/classes.
compile_java() {
  [[ -r $guava ]] || { echo "$guava is missing: install libguava-java"; exit 1; }
  javac -J-XX:-UsePerfData -proc:none -nowarn -cp "$guava" -d "$work/classes" "$@" \
    2>"$work/javac" || { cat "$work/javac"; exit 1; }
}

# With few threads, and without files shared by Java processes: other tests run at the same
# time.
run_java() {
  java -XX:-UsePerfData -XX:+UseSerialGC -Xmx2g -cp "$work/classes:$guava" "$@"
}
