#!/bin/bash
# window_cli_test.sh TOOL WINDOW: --window of `lfbloom claim` and `lfbloom plan`, and files of
# windows.
#
# Seen to fail with the rest of a generation counted by batches, with generations rounded down, with
# the current generation kept at its end, with a time read in minutes for hours, and with no clock.
set -uo pipefail
tool=$(realpath "$1")
golden=$(realpath "$2") # 3 generations; 0 to 99, of which 20 to 99 are live in generations 5 to 8
source "$(dirname "$0")/checks.sh"

# --- spans of keys ----------------------------------------------------------------
# 300,000 keys, of 50,000 different ones; some come again soon, some late.
awk 'BEGIN { srand(1); for (i = 0; i < 3e5; i++) { u = rand(); print int(u * u * u * 50000) } }' \
  >stream

# exact SPAN G: what claim must print of ./stream.  Generations of SPAN / G keys, rounded up; a key
# that was printed is left out until G more generations have begun and one has ended.  Checks the
# promises by the numbers of lines, too: a key is never printed again within SPAN, and never left
# out after SPAN * (1 + 1/G).
exact() {
  awk -v span="$1" -v g="$2" '
    BEGIN { each = int((span + g - 1) / g) }
    {
      now = int((NR - 1) / each)
      if (!($0 in at) || now - generation[$0] > g) {
        if ($0 in at && NR - at[$0] <= span) early++
        at[$0] = NR; generation[$0] = now
        print
      } else if (NR - at[$0] > each * (g + 1)) late++
    }
    END { if (early + late > 0) print "early " early ", late " late }' stream
}
for span in 1 2 100 20000 100001 1e6; do
  for g in 1 3 7; do
    exact "$(printf '%.0f' "$span")" "$g" >wanted
    same "among $span keys, $g generations" 0 wanted \
      "$tool" claim -q --window "$span/$g" -p 1e-9 stream
  done
done
exact 20000 3 >wanted
check "the test is of some keys that are left out, and some that are forgotten" \
  between "$(wc -l <wanted)" 60000 250000
table <<'END'
? cat stream | claim -q --threads 8 --window 20k -p 1e-9
and cmp out wanted
$ tr '\n' '\0' <stream | claim -0 -q --window 20k -p 1e-9 2>err | tr '\0' '\n' >out
and cmp out wanted
$ seq 3 >abc
0 claim -q --window 10 -p 1e-6 abc abc abc abc abc abc abc
and equal "$(tr '\n' ' ' <out)" "1 2 3 2 3 1 "
END

# Of keys that never come twice, only false positives are left out.
seq 1000000 >distinct
for g in 3 7; do
  table <<'END'
0 claim --json --window 100k/$g -p 0.01 distinct
$ left_out=$((1000000 - $(json out))) bound=$(json expected_false_positives)
and between "$left_out" 6000 10300
and equal "$bound" "$left_out"
and equal "$(json in) $(json generations) $(json expected_insertions) $(json fpp)" \
  "1000000 $g 100000 0.01"
END
done
table <<'END'
0 claim --json --window 100k -p 0.01 stream
and equal "$(json expected_false_positives | cut -c 1-6)" \
  "$(awk -v out="$(json out)" 'BEGIN { print out / 99 }' | cut -c 1-6)"
0 claim -q --window 10k -n 10k -p 0.001 distinct
? claim --window 10k -p 0.001 distinct =! /^lfbloom: 1,000,000 keys in, 999,[0-9]{3} out, at \
  most about [0-9.e+]+ distinct ones wrongly left out; in [0-9.]+ KiB; .*keys/s$/
and equal "$(wc -l <err)" 1
? claim -q --window 100k -n 1000 -p 0.01 distinct \
  =! warning: more than the 1,000 distinct keys that the window was made for
? claim --json --window 1M -n 1 -p 0.5 distinct => {expected_false_positives=null}
END

# --- spans of time ----------------------------------------------------------------
for span in 90s 15m 1.5h 7d; do
  for threads in 3; do
    # All come in one generation: -n is G times as many.
    gives "within $span" 0 \
      "$tool" claim -q --threads $threads --window $span -n 150k -p 1e-9 stream
    check "within $span: each once" cmp <(sort out) <(sort -u stream)
  done
done
# A key is left out at once, and printed again later.
mkfifo keys_in keys_out
"$tool" claim -q --window 0.5s -n 100 -p 1e-9 <keys_in >keys_out 2>err &
exec 7>keys_in 8<keys_out
printf 'first\n' >&7
read -r -t 60 answer <&8
check "a key comes at once" equal "$answer" first
again() { echo first >&7 && read -r -t 0.05 answer <&8; }
answer=''
await "a key is printed again after its span" again
check "a key is printed again after its span" equal "$answer" first
exec 7>&- 8<&-
wait $! && rc=0 || rc=$?
check "the end of the pipe ends it" equal "$rc$(cat err)" 0

# --- kept in a file -----------------------------------------------------------------
seq 3000 >first
seq 2001 5000 >second
table <<'END'
0 claim -q --window 24h --shared seen -n 10k -p 1e-9 first => <first
0 claim -q --window 24h --shared seen second
and cmp out <(seq 3001 5000)
0 claim -q --window 1d --shared seen first second =>
0 claim --json --window 24h --shared seen first => {in=3000 out=0 generations=3}
and equal "$(stat -c %a seen)" 600
0 claim -q --window 24h --shared seen640 --mode 640 --hash xxh3 -n 10 -p 0.1 abc
and equal "$(stat -c %a seen640)" 640
0 info --json seen => {form=window span=86400 expected_insertions=10000}
0 query seen first => <first
0 verify seen
# A span of time goes on between runs.
0 claim -q --window 0.6s --shared soon -n 10 -p 1e-9 abc
END
later() { "$tool" claim -q --window 0.6s --shared soon abc 2>>err | cmp -s - abc; }
await "a later run prints what is forgotten" later
check "a later run prints what is forgotten" test ! -s err
# Without /proc, too, keys are forgotten.  Seen to be remembered for ever, with status 0.
mkdir -p nowhere
if unshare -rm bash -c 'mount -t tmpfs none /proc && ! "$1" --version' - "$tool" >err 2>&1; then
  not_here "a window without /proc (sanitizer)"
elif unshare -rm mount -t tmpfs none nowhere 2>err; then
  # shellcheck disable=SC2016 # the inner shell's
  unshare -rm bash -c 'mount -t tmpfs none /proc
    : >forgot; until [[ $(wc -l <forgot) -gt 3 ]]; do echo 1; sleep 0.1; done |
      timeout 120 "$1" claim -q --window 0.3s --shared noproc -n 10 -p 1e-9 >forgot' \
    - "$tool" 2>err && rc=0 || rc=$?
  check "without /proc keys are forgotten" equal "$rc $(uniq forgot) $(cat err)" "0 1 "
else
  skip "a window without /proc (no mounting here)"
fi
# The clocks of two time namespaces are days apart: a key is found for its span in both.  Seen to be
# forgotten at once.
if unshare -rT --boottime 864000 true 2>err; then
  for days in 10 0 20 0; do
    unshare -rT --boottime $((days * 86400)) \
      "$tool" claim -q --window 1h --shared spaces -n 100 -p 1e-9 abc >>of_spaces 2>>err
  done
  "$tool" claim -q --window 1h --shared spaces abc >>of_spaces 2>>err
  check "in time namespaces keys stay" equal "$(cat of_spaces err)" "$(cat abc)"
else
  skip "a window in two time namespaces (none here)"
fi
# Several processes at once: each line once among all of them.
seq 100000 >many
for i in 1 2 3; do
  "$tool" claim -q --window 1h --shared both -n 400k -p 1e-9 many >out$i 2>>err &
done
wait
check "three processes: each line once" cmp <(sort out1 out2 out3) <(sort many)
# A run that is killed has printed nothing that another run prints.  Its last line may be cut short.
for i in 1 2 3 4 5; do
  rm -f torn
  "$tool" claim -q --window 1h --shared torn -n 400k -p 1e-9 many >out1 2>>err & first_run=$!
  "$tool" claim -q --window 1h --shared torn -n 400k -p 1e-9 many >out2 2>>err & second_run=$!
  sleep 0.0$i
  kill -9 $first_run 2>/dev/null
  wait $first_run $second_run 2>/dev/null
  check "killed after 0.0$i s: no line twice" equal \
    "$(head -n "$(wc -l <out1)" out1 | sort - out2 | uniq -d | wc -l)" 0
done
table <<'END'
2 claim --window 1h --shared new --mode 640 -n 5 -p 0.1 abc =! leave out --mode
2 claim --window 1h --shared seen abc =! seen: its window was made with --window 86400s/3 -n 10000
2 claim --window 24h/7 --shared seen abc =! with --window 86400s/3 -n 10000 -p 1e-09 --hash
END
"$tool" info --json seen >out
hash=$(json hash)
for differs in "-n 20k" "-p 1e-8" "--hash xxh3" "-n 10k -p 1e-9 --hash xxh3"; do
  # shellcheck disable=SC2086 # words
  refuses "--shared with another $differs" \
    "seen: its window was made with --window 86400s/3 -n 10000 -p 1e-09 --hash $hash: leave out" \
    "$tool" claim --window 24h --shared seen $differs abc
done
table <<'END'
0 claim -q --window 24h --shared seen -n 10k -p 1e-9 --hash "$hash" first
and equal "$(wc -c <out)" 0
0 claim -q --window 24h --shared open -n 10 -p 0.1 --hash xxh3 abc
$ echo 000102030405060708090a0b0c0d0e0f >key
2 claim --window 24h --shared open --key-file key abc \
  =! open: its window was made with --window 86400s/3 -n 10 -p 0.1 --hash xxh3
2 claim --window 1h -n 5 --shared new abc =! no -p given
2 claim --shared seen -p 0.1 abc =! seen: this is a window filter
2 claim --window 10 --shared seen abc =! give --shared with a time
2 claim --window 1h -n 5 -p 0.1 --shared ./abc abc =! ./abc: is both input and state
2 claim --window 1h -n 5 -p 0.1 --shared abc many =! abc: not a filter in any form
2 claim --window 1h -n 5 -p 0.1 --shared redis://localhost/x abc =! BF.WINDOW.RESERVE
and equal "$(tr '\n' ' ' <abc)" "1 2 3 "

# --- plan --------------------------------------------------------------------------
0 plan --window 24h -n 10M -p 0.01 \
  => /^3 .* 24\.6. MiB +20\.6. +8  32h$/ => /^7 .* 8  27\.43h$/ => /^1 .* 6  48h$/
0 plan --window 1.5h -n 10M -p 0.01 --json \
  => {n=10000000 span=5400 span_unit=seconds} => /"3": \{[^}]*"forgotten_after": 7200\}/
0 plan --window 10M -p 0.01 --json => {n=10000000 span_unit=keys}
END
for row in "10 20 16 16" "100 200 136 120" "1000000 2e+06 1333336 1142864"; do
  read -r span one three seven <<<"$row"
  gives "plan of $span keys" 0 "$tool" plan --window "$span" -p 0.01 --json
  check "plan of $span keys: forgotten" equal \
    "$(grep -oE '"forgotten_after": [0-9e+]+' out | cut -d' ' -f2 | tr '\n' ' ')" \
    "$one $three $seven "
done
table <<'END'
0 plan --window 10M -p 0.01 --json
$ planned=$(sed -E 's/.*"3": \{"bits": [0-9]+, "bytes": ([0-9]+).*/\1/' out)
0 claim --json --window 10M -p 0.01 abc => {bytes=$planned}

# --- files that programs saved ---------------------------------------------------------
$ cp "$golden" window.lfb
$ size=$(stat -c %s window.lfb)
0 verify window.lfb => window.lfb: whole: window, $size bytes checked
0 verify --json window.lfb => {verdict=whole form=window strategy=null}
$ { head -c 600 window.lfb && printf X && tail -c +602 window.lfb; } >torn.lfb
1 verify torn.lfb => ...torn.lfb: damaged: a checksum does not match: ...
$ head -c 700 window.lfb >short.lfb
1 verify short.lfb => ...short.lfb: damaged: the filter ends too early (after 700 bytes)...
$ cp window.lfb long.lfb
$ truncate -s 64M long.lfb
1 verify long.lfb => ...long.lfb: damaged: the filter is followed by bytes...
2 query long.lfb abc =! the filter is followed by bytes
2 query torn.lfb abc =! (see 'lfbloom verify')
$ seq 20 99 >live
0 query window.lfb live => <live
$ seq 1000 101000 >absent
0 query -c --keys=text window.lfb absent
and between "$(cat out)" 1 1000
0 info window.lfb
and grep -qx 'form                 window' out
and grep -qx 'current generation   8' out
and equal "$(grep -cE '^distinct keys        (19|20|21) \(estimated\) in generation [5-8], \
  2[0-9]\.[0-9]+ % full$' out)" 4
0 info --json window.lfb \
  => {form=window expected_insertions=120 fpp=0.01 generations=3 generation=8 keyed=false}
and equal "$(grep -oE '"bits_set"' out | wc -l)" 5 # and of all together
END
for command in "merge -o x window.lfb" "fold -o x window.lfb" "convert --to native window.lfb x" \
  "compare window.lfb window.lfb" "build -p 0.1 --like window.lfb -o x abc"; do
  # shellcheck disable=SC2086
  refuses "$command" "window.lfb: this is a window filter: it cannot be opened as a plain filter" \
    "$tool" $command
done
mkfifo pipe
for command in info verify; do
  cat window.lfb >pipe &
  refuses "$command, from a pipe" "this is a window filter" "$tool" $command pipe
done

# --- misuse --------------------------------------------------------------------------
for span in '' s 24x 0 -5 1.5 0s -3s nans 24hh '1 h'; do
  refuses "--window '$span'" "not a time such as 90s" \
    "$tool" claim -p 0.1 -n 10 --window "$span" abc
done
for span in 0.0001s 0.00099s 1e10d infs infd 1e999h 1e30d 1.001e9s; do
  for command in "claim -p 0.1 -n 10 --window $span abc" "plan -p 0.1 -n 10 --window $span"; do
    # shellcheck disable=SC2086
    refuses "$command" "--window '$span': a window's span must be from 0.001 to 1e9 seconds" \
      "$tool" $command
  done
done
for span in 0.001s 1e9s 11574d; do
  gives "plan --window $span" 0 "$tool" plan -p 0.1 -n 10 --window "$span"
done
for command in "claim -p 0.1 --window 24h abc" "plan -p 0.1 --window 24h"; do
  # shellcheck disable=SC2086
  refuses "$command without -n" "needs -n, the number of distinct keys in that time" \
    "$tool" $command
done
table <<'END'
2 claim --window 10 abc =! no -p given
2 claim -p 0.1 --window 10 --shared x abc =! give --shared with a time
2 claim -p 0.1 --window 10 --strategy fast abc =! leave out --strategy
2 claim -p 0.1 --window 10/4 abc =! with a G of 1, 3 or 7
2 claim -p 0.1 --window 10/ abc =! with a G of 1, 3 or 7
2 claim -p 0.1 --window 10/33 abc =! with a G of 1, 3 or 7
2 plan -p 0.1 --window 10/3 =! it prints all
2 claim -p 0.1 --window 1e19 abc =! larger than its strategy can address
2 plan -p 0.1 --window 1e19 =! larger than its strategy can address
and test ! -e x
END

finish
