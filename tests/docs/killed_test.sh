#!/bin/bash
# killed_test.sh INSTALL KILLED.C GUIDE RECIPES: each line once, by the commands of the pages, while
# SIGKILL ends their processes at seeded places, before, in and after a write.  LFB_KILLS=705 kills
# as often.
#
# Seen to fail with a torn line that stays, with the put before the work, without the last pass or
# with the old TAKEN in it, and with a part that is printed again.
set -euo pipefail

install=$1 killed=$PWD/$2 guide=$PWD/$3 recipes=$PWD/$4 kills=${LFB_KILLS:-40}
export LC_ALL=C PATH=$TEST_TMPDIR/prefix/bin:$PATH LD_LIBRARY_PATH=$TEST_TMPDIR/prefix/lib
"$install" "$TEST_TMPDIR/prefix" >/dev/null
cd "$TEST_TMPDIR"
cc -std=c11 -O2 -shared -fPIC "$killed" -ldl -o killed.so
sed -n '/^\/\* once\.c - /,/^```$/p' "$guide" | sed '$d' >once.c
export PKG_CONFIG_PATH=prefix/lib/pkgconfig
# shellcheck disable=SC2046 # words
cc -std=c11 -O2 once.c $(pkg-config --cflags --libs lfbloom) -o work

# once DONE TAKEN OUT: runs it, with the next number of at.OUT; the first run makes DONE and TAKEN.
cat >once <<'END'
#!/bin/bash
KILL_AT=$(head -n 1 "at.$3") && sed -i 1d "at.$3"
KILL_AT=$KILL_AT LD_PRELOAD=$PWD/killed.so exec ./work "$@"
END
chmod +x once
lines=$((200 * kills))
(seq "$lines"; seq $((lines / 2))) >some.txt
split -n r/4 some.txt in.
RANDOM=53
for part in aa ab ac ad; do
  for ((i = 0; i < kills / 5; i++)); do echo $((RANDOM % 600 + 1)); done >at.out.$part
done
for ((i = 0; i < kills / 5; i++)); do echo $((RANDOM % 30 + 1)); done >at.out.last
eval "$(sed -n 's/^\$ \(worker() .*\)/\1/p' "$guide")" 2>killed
differ=$(comm -3 <(sort -u some.txt) <(sort -u out.*))
[[ -z $differ ]] || { echo "lost or torn: $differ"; exit 1; }
was=$(grep -c Killed killed) twice=$(sort out.* | uniq -d | wc -l)
echo "once: $was killed, $twice of $lines lines done twice"
((was > kills / 2 && twice <= was))

# What one thread of claim has claimed and not printed: the lines of 256 KiB, as its help says.
seq 100001 200000 >keys
lfbloom claim -q --shared seen -n 200k -p 1e-9 /dev/null
KILL_AT=2 LD_PRELOAD=$PWD/killed.so lfbloom claim -q --threads 1 --shared seen keys >printed || true
lost=$((700000 - $(lfbloom claim -q --shared seen keys | cat printed - | wc -c)))
echo "claim: $lost bytes of lines were lost"
((lost > 250 * 1024 && lost <= 256 * 1024 + 7))
rm printed

# The parts of dedupe: killed at each step of the second one, and again at any.
lfbloom() {
  KILL_AT=$(head -n 1 at) && sed -i 1d at
  KILL_AT=$KILL_AT LD_PRELOAD=$PWD/killed.so command lfbloom "$@" --threads 1
}
seq 3000 >in.1 && seq 2000 6000 >in.2
was=1
for ((at = 1; was > 0; at++)); do
  rm -f part.* printed
  printf '%s\n' 0 $at 0 $((RANDOM % 30 + 1)) 0 0 0 0 >at
  eval "$(sed -n 's/^\$ \(job() .*\)/\1/p' "$recipes")" 2>killed
  was=$(grep -c Killed killed || true)
  cmp <(cat part.*) <(awk '!seen[$0]++' in.1 in.2) || { echo "killed at $at"; exit 1; }
done
echo "dedupe: killed at each of $((at - 2)) steps"
((at > 20))
