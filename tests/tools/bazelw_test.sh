#!/bin/bash
# bazelw_test.sh BAZELW: what bazelw says while it installs and at its end, and how it ends if apt-get
# fails or is killed, with stand-ins of apt-get, dpkg-query, sudo and Bazel.
#
# Seen to fail without the messages, with a `sleep` between them that outlives bazelw, with an apt-get
# whose status or output is dropped, and with the parts left out printed before Bazel runs.
set -euo pipefail
source tests/support/steps.sh
bazelw=$1
export made=$TEST_TMPDIR TMPDIR=$TEST_TMPDIR/temporary LFBLOOM_SAY_EVERY=0.05
mkdir "$made/bin" "$TMPDIR"

stand_in() { { echo '#!/bin/bash'; cat; } >"$made/bin/$1" && chmod +x "$made/bin/$1"; }
stand_in dpkg-query <<<'[[ ! -e $made/lacking ]] || exit 1; echo install ok installed'
stand_in sudo <<<'exec "$@"'
stand_in apt-get <<'END'
[[ $1 == install ]] || exit 0
printf '%s\n' '0 upgraded, 9 newly installed, 0 to remove' 'Get:1 one' 'Unpacking one (1.0) ...' 'on its output'
echo 'E: on its error' >&2
case $how in
well) for ((i = 0; i < 600; i++)); do ! grep -q '1 fetched' "$made/said" || break; sleep 0.05; done ;;
fails) exit 100 ;;
interrupt) kill -INT 0 ;;
kill) kill -KILL $PPID ;;
esac
END
stand_in bazelisk <<'END'
touch "$made/built"
for word; do
  [[ $word != --build_event_json_file=* ]] || echo '{"testResult":{"label":"//a:b","testActionOutput":[{' \
    "\"name\":\"test.log\",\"uri\":\"file://$made/log\"}]}}" | sed 's/{ /{/' >"${word#*=}"
done
echo "Bazel's end"
exit 3
END

# runs HOW STATUS WORD...: runs bazelw in a session of its own, whose apt-get ends so.  `cat` ends when no process
# has the output open any more: nothing is left behind, or this test does not end.
runs() {
  local status=0
  rm -f "$made/built" "$TMPDIR"/* && touch "$made/lacking"
  how=$1 PATH=$made/bin:$PATH setsid -w "$bazelw" "${@:3}" 2>&1 | cat >"$made/said" || status=$?
  ((status == $2)) || fail "$1: status $status: $(<"$made/said")"
  [[ ! $(ls "$TMPDIR") || $1 == kill ]] || fail "$1: files are left"
}
says() { grep -qE "$1" "$made/said" || fail "it does not say $1: $(<"$made/said")"; }

runs well 3 info
says 'still installing: of 9 packages 1 fetched, 1 unpacked, 0 set up, after'
[[ $(tail -n 1 "$made/said") == "Bazel's end" ]] || fail "Bazel did not run"
pass "it says how far apt-get is"

for how in 'fails 100' 'interrupt 130' 'kill 137'; do
  read -r how status <<<"$how"
  runs "$how" "$status" info
  says '^E: on its error'
  [[ ! -e $made/built ]] || fail "$how: Bazel ran"
  [[ $how != fails ]] || says '^on its output'
done
pass "apt-get's failure or a signal ends it, and nothing is left behind"

for line in 'SKIPPED: no disk' 'all ran'; do
  echo "$line" >"$made/log"
  runs well 3 test //a:b
  sed "1,/^Bazel's end/d" "$made/said" >"$made/end"
  mv "$made/end" "$made/said"
  [[ $line == all* ]] && says 'no test that ran left out a part' || says '^bazelw: left out: //a:b SKIPPED: no disk$'
done
pass "it ends with what tests left out"
echo "$passed passed, 0 failed"
