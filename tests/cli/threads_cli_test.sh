#!/bin/bash
# threads_cli_test.sh LFBLOOM REDIS_SERVERS: each command of the tool that uses threads, with
# several of them, on input with repeats; its output is that of one thread, or awk's.
#
# It is the script that runs under ThreadSanitizer.  The others start hundreds of processes, most of
# them with one thread, and each takes 0.3 s there.
set -uo pipefail
tool=$(realpath "$1")
servers=$(realpath "$2")
source "$(dirname "$0")/checks.sh"
many=(--threads 5)

# 200,000 lines, more than a chunk for each thread, of 50,000 different ones.
awk 'BEGIN { srand(9); for (i = 0; i < 2e5; i++) { n = int(rand() * 5e4)
  printf "{\"id\":\"key%d\",\"n\":%d}\n", n, n % 7 } }' >lines
awk '!seen[$0]++' lines >first
sed -E 's/.*"(key[0-9]+)".*:(.*)}/\1;\2/' lines >fields
for name in lines fields; do
  for packer in gzip zstd xz; do $packer -q -c $name >$name.$packer; done
  mv $name.gzip $name.gz; mv $name.zstd $name.zst
done

# --- build ------------------------------------------------------------------------
"$tool" build -q --threads 1 -p 1e-6 --form guava -o alone lines
for options in -q --progress=always; do
  run "$tool" build $options "${many[@]}" -p 1e-6 --form guava -o together lines
  check "build $options: status" equal "$rc" 0
  check "build $options: as one thread" cmp alone together
done
for input in <(cat lines) lines.gz lines.zst lines.xz; do # not counted first
  gives "build of $input" 0 "$tool" build "${many[@]}" -q -p 1e-6 -o of_pipe "$input"
  prints "build of $input: every line" 0 200000 "$tool" query "${many[@]}" -c of_pipe lines
done
gives "build --jsonl" 0 "$tool" build "${many[@]}" -q -p 1e-9 -o ids --jsonl id lines
gives "build -k" 0 "$tool" build "${many[@]}" -q -p 1e-9 -o keys -t ';' -k 1 fields
for i in 1 2; do
  "$tool" build "${many[@]}" -q -n 60K -p 1e-6 --shared -o shared lines 2>err$i &
done
wait
check "build --shared by two processes: silent" equal "$(cat err1 err2)" ""
prints "build --shared by two processes: every line" 0 200000 \
  "$tool" query "${many[@]}" -c shared lines

gives "build --counting" 0 "$tool" build "${many[@]}" -q -p 1e-6 --counting -o counting first
gives "remove" 0 "$tool" remove "${many[@]}" -q counting <(head -n 40000 first)
tail -n +40001 first >left
same "remove: the others stay" 0 left "$tool" query counting left
reports "remove: only they" 0 copies "$(wc -l <left)" "$tool" info --json counting

# --- query ------------------------------------------------------------------------
head -n 100000 lines | "$tool" build -q -p 1e-9 -o half
for options in "" -v -c "-v -c"; do
  # shellcheck disable=SC2086 # words
  "$tool" query $options --threads 1 half lines >wanted
  # shellcheck disable=SC2086
  same "query $options" 0 wanted "$tool" query $options "${many[@]}" half lines
done
gives "query -q" 0 "$tool" query -q "${many[@]}" half lines
same "query --jsonl" 0 lines "$tool" query "${many[@]}" --jsonl id keys lines
same "query -k" 0 fields "$tool" query "${many[@]}" -t ';' -k 1 ids fields
{ head -n 90000 lines; echo '{'; cat lines; } >broken
run "$tool" query "${many[@]}" --jsonl id ids broken
check "query of a broken line" is_error "broken:90001"
check "query of a broken line: all before it" cmp out <(head -n 90000 lines)

# --- claim -----------------------------------------------------------------------
for input in lines lines.gz lines.zst lines.xz; do
  same "claim $input" 0 first "$tool" claim "${many[@]}" -q -n 60K -p 1e-9 $input
done
cat lines | "$tool" claim "${many[@]}" -q -n 60K -p 1e-9 >out 2>err && rc=0 || rc=$?
check "claim of a pipe: as awk" cmp out first
same "claim --jsonl" 0 first "$tool" claim "${many[@]}" -q -p 1e-9 --jsonl id lines
same "claim -k" 0 <(awk '!seen[$0]++' fields) \
  "$tool" claim "${many[@]}" -q -p 1e-9 -t ';' -k 1 fields
gives "claim --unordered" 0 "$tool" claim "${many[@]}" -q --unordered -p 1e-9 lines
check "claim --unordered: each line once" cmp <(sort out) <(sort first)
for span in 30K 1h; do
  gives "claim --window $span" 0 \
    "$tool" claim "${many[@]}" -q --window $span -n 200K -p 1e-9 lines
  mv out together
  same "claim --window $span, alone" 0 together \
    "$tool" claim -q --threads 1 --window $span -n 200K -p 1e-9 lines
done
for i in 1 2; do
  "$tool" claim "${many[@]}" -q --unordered -n 60K -p 1e-9 --shared claims lines >out$i 2>err$i &
done
wait
check "claim --shared by two processes: silent" equal "$(cat err1 err2)" ""
check "claim --shared by two processes: each line once" cmp <(sort out1 out2) <(sort first)

reports "demo" 0 threads 5 "$tool" demo "${many[@]}" -n 50k -p 0.01 --json

# --- Redis ------------------------------------------------------------------------
coproc SERVERS { exec "$servers" server; }
read -r port <&"${SERVERS[0]}" || { echo "no Redis server"; exit 1; }
there=redis://127.0.0.1:$port
head -n 20000 lines >some
awk '!seen[$0]++' some >first
run "$tool" build --threads 3 -p 1e-6 -o "$there/built" some
check "build on Redis: status" equal "$rc" 0
same "query on Redis" 0 some "$tool" query --threads 3 "$there/built" some
run "$tool" claim --threads 3 -q -n 20K -p 1e-9 --shared "$there/claims" some
check "claim on Redis: status" equal "$rc" 0
check "claim on Redis: each line once" cmp <(sort out) <(sort first)
finish
