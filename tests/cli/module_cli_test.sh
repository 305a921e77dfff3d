#!/bin/bash
# module_cli_test.sh TOOL REDIS_SERVERS GROWING COUNTING WINDOW: `lfbloom convert` from and to keys
# of the module and plain strings; `build --shared`, `claim --shared` and `query` of such keys.
#
# Seen to fail with each of these planted bugs: keys of the module are loaded as plain strings, a
# generation lasts for the whole span, and ?layout=module is ignored.
set -u
root=$PWD # where redis_servers finds the module
tool=$(realpath "$1")
servers=$(realpath "$2")
growing=$(realpath "$3")  # the texts 0 to 4999
counting=$(realpath "$4")
window=$(realpath "$5") # 3 generations; 0 to 99, of which 20 to 99 are live
source "$(dirname "$0")/checks.sh"

coproc SERVERS { cd "$root" && exec "$servers" module server; }
read -r port <&"${SERVERS[0]}"
read -r without_port <&"${SERVERS[0]}" || { echo "no Redis servers"; exit 1; }
module=redis://127.0.0.1:$port
without=redis://127.0.0.1:$without_port
redis() { timeout 120 redis-cli -p "$port" "$@"; }
# Prints the answers of a command for each line of FILE, 1 or 0.
each() { xargs -n 5000 timeout 120 redis-cli -p "$port" "$1" "$2" <"$3"; }

# number FILE OFFSET: the little-endian number of 8 bytes there.
number() { od -An -v -t u1 -j "$2" -N 8 "$1" | awk \
  '{ for (i = 8; i > 0; i--) n = n * 256 + $i; printf "%.0f", n }'; }
zero() { head -c 8 /dev/zero | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
# timeless FILE: writes FILE.same, the file without its times of writing and the checksums over them
# (docs/formats.md).
timeless() {
  local copy=$1.same at=0 words
  cp "$1" "$copy"
  case $(head -c 7 "$copy") in
  LFBGROW)
    zero "$copy" 40
    zero "$copy" 248
    at=256
    ;;
  LFBWIND)
    zero "$copy" 336
    zero "$copy" 504
    return
    ;;
  LFBCNTS) at=256 ;;
  esac
  while ((at < $(stat -c %s "$copy"))); do
    words=$(number "$copy" $((at + 32)))
    zero "$copy" $((at + 80))
    zero "$copy" $((at + 248))
    at=$((at + 256 + 8 * words + 8 * ((8 * words + 1048575) / 1048576 + 1)))
  done
}
# same_file NAME A B: passes if the files differ in the times of writing only.
same_file() {
  timeless "$2"
  timeless "$3"
  check "$1" cmp "$2.same" "$3.same"
}

seq 1 20000 >keys
seq 15001 35000 >others
cat keys others | sort -un >all

# --- file, key, file ---------------------------------------------------------------------
"$tool" build -q -p 0.01 --strategy fast -o fast keys
for hash in siphash13 xxh3; do \
  "$tool" build -q -p 0.001 --strategy fast --hash $hash -o "fast-$hash" keys; done
"$tool" build -q -p 1e-4 --strategy fast-pair -o fast-pair keys
"$tool" build -q -p 0.001 --counting -o tags keys
cp "$growing" growing
cp "$window" window
for file in fast fast-pair fast-siphash13 fast-xxh3 tags growing window; do
  gives "save $file" 0 "$tool" convert "$file" "$module/$file?layout=module"
  gives "load $file" 0 "$tool" convert --to native "$module/$file" "back-$file"
  same_file "$file comes back" "$file" "back-$file"
  "$tool" query "$file" all >wanted
  check "$file: the same keys on the server" cmp <(each BF.MEXISTS "$file" all) <(
    awk 'FNR == NR { in_it[$0]; next } { print $0 in in_it ? 1 : 0 }' wanted all)
  check "$file: no end" equal "$(redis pttl "$file")" -1
  gives "save $file again" 0 "$tool" convert "back-$file" "$module/$file-2?layout=module"
  check "$file: the same value" equal "$(redis debug digest-value "$file")" \
    "$(redis debug digest-value "$file-2")"
done
reports "info of what came back" 0 form native "$tool" info --json back-fast
check "its strategy" equal "$(json strategy)" fast
reports "info of a growing one" 0 form growing "$tool" info --json back-growing
gives "load to standard output" 0 "$tool" convert --to native "$module/fast" -
cp out piped
same_file "standard output" fast piped

# --- key, file ---------------------------------------------------------------------------
redis bf.reserve plain 0.01 60000 >out
redis bf.reserve grown 0.01 1024 expansion 2 >out
redis bf.window.reserve forgets 0.01 30000 >out
for name in plain grown forgets; do
  each BF.MADD $name keys >out
  gives "load $name" 0 "$tool" convert --to native "$module/$name" "$name"
  gives "$name: all of its keys" 1 "$tool" query -v "$name" keys
  gives "$name: answers" 0 "$tool" query "$name" others
  check "$name: the server's" equal "$(wc -l <out)" "$(each BF.MEXISTS $name others | grep -c 1)"
done
reports "grown: info" 0 layers "$(redis bf.info grown filters)" "$tool" info --json grown
redis bf.like twin plain >out
each BF.MADD twin others >out
gives "load a twin" 0 "$tool" convert --to native "$module/twin" twin
gives "twins can be merged" 0 "$tool" merge -q -o both plain twin
gives "both: all keys" 1 "$tool" query -v both all

# --- key, key ----------------------------------------------------------------------------
for name in plain grown forgets; do
  gives "$name to another key" 0 "$tool" convert "$module/$name" "$module/$name-2?layout=module"
  each BF.MEXISTS "$name" all >wanted
  check "$name: the same answers" cmp <(each BF.MEXISTS "$name-2" all) wanted
done
redis unlink plain-2 grown-2 forgets-2 >out
gives "a key to strings" 0 "$tool" convert "$module/plain" "$without/plain"
gives "strings to a key" 0 "$tool" convert "$without/plain" "$module/plain-2?layout=module"
each BF.MEXISTS plain all >wanted
check "plain by strings: the same answers" cmp <(each BF.MEXISTS plain-2 all) wanted
redis unlink plain-2 >out
reports "--json of a growing one" 0 "form fpp" "growing 0.01" \
  "$tool" convert --json --to native "$module/grown" x
reports "--json of a window" 0 "form expected_insertions" "window 30000" \
  "$tool" convert --json --to native "$module/forgets" x
rm x

# --- puts and queries on the server ---------------------------------------------------------
for name in plain grown forgets; do
  each BF.MEXISTS $name all | paste - all | awk '$1 == 1 { print $2 }' >wanted
  same "query $name there" 0 wanted "$tool" query "$module/$name" all
done
table <<'END'
$ redis bf.reserve shared 0.000001 50000 >out
0 build -q --shared -o "$module/shared" keys
and equal "$(each BF.MEXISTS shared keys | grep -c 1) $(redis bf.card shared)" "20000 20000"
0 info --json "$module/shared" => {approximate_count=20000}
0 build -q --shared -n 1000 -p 1e-6 -o "$module/made?layout=module" keys
and equal "$(redis type made) $(each BF.MEXISTS made keys | grep -c 1)" "lfbloom-v 20000"
0 build -q -p 1e-6 -o "$module/built?layout=module" keys
and equal "$(redis type built) $(each BF.MEXISTS built keys | grep -c 1)" "lfbloom-v 20000"
2 build -p 1e-6 --strategy guava-mitz64 -o "$module/no?layout=module" keys =! strategy
2 build -p 1e-6 -o "$module/no?layout=fast" keys =! layout
$ redis unlink made built >out
2 build --shared -p 0.01 -o "$module/shared" keys =! made with -n 50000 -p 1e-06 --strategy fast
END
redis bf.window.reserve hourly 0.01 30000 span 3500 generations 7 >out
redis bf.reserve fixed 0.001 30000 nonscaling >out
each BF.MADD hourly keys >out
each BF.MADD fixed keys >out
for name in grown hourly fixed; do
  case $name in grown) form=growing ;; hourly) form=window ;; fixed) form=redis ;; esac
  reports "info of $name there" 0 "form bytes approximate_count" \
    "$form $(redis bf.info $name size) $(redis bf.card $name)" "$tool" info --json "$module/$name"
  check "$name: its error" equal "$(json expected_fpp | cut -c 1-6)" \
    "$(redis bf.info $name errornow | cut -c 1-6)"
done
reports "layers there" 0 layers "$(redis bf.info grown filters)" "$tool" info --json "$module/grown"
reports "generations there" 0 "generations span" "7 3500" "$tool" info --json "$module/hourly"
gives "info of a window there" 0 "$tool" info "$module/hourly"
check "its span" holds out "span                 3500 s"
check "its keys" holds out "(the server counts them)"
reports "the end of build" 0 "form bytes" "growing $(redis bf.info grown size)" \
  "$tool" build --json --shared -o "$module/grown" keys
redis del hourly fixed >out
awk '$1 > 20000' others >wanted
told "claim --shared" 0 "at most about" "$tool" claim --shared "$module/shared" others
check "claim --shared: output" cmp out wanted
same "claim --shared again" 0 /dev/null "$tool" claim -q --shared "$module/shared" others
gives "all of them are there" 1 "$tool" query -v "$module/shared" all
gives "remote delete" 0 "$tool" remote delete "$module/shared"
check "it is gone" equal "$(redis exists shared)" 0
redis bf.reserve full 0.01 100 nonscaling >out
refuses "a full key" "the key is full" "$tool" build --shared -o "$module/full" keys
redis del full >out

# --- a window's time -----------------------------------------------------------------------
"$tool" claim -q --window 1h -n 1000 -p 0.01 --shared hourly keys >out
gives "save a window of an hour" 0 "$tool" convert hourly "$module/hour?layout=module"
period() { timeout 120 redis-cli --raw -p "$port" bf.scandump "$1" 0 | tail -n +2 |
  head -c 128 >head; number head 48; }
check "a generation is a third of it, in milliseconds" equal "$(period hour)" 1200000
check "a window of keys" equal "$(period window)" 0

# --- plain strings ---------------------------------------------------------------------------
for strategy in fast fast-pair guava-mitz64; do
  "$tool" build -q -p 0.01 --strategy $strategy -o "of-$strategy" keys
  gives "save $strategy in strings" 0 "$tool" convert "of-$strategy" "$without/$strategy"
  gives "load $strategy from strings" 0 \
    "$tool" convert --to native "$without/$strategy" "back-$strategy"
  "$tool" query "of-$strategy" all >wanted
  same "$strategy: query" 0 wanted "$tool" query "back-$strategy" all
done
same_file "fast in strings" of-fast back-fast

# --- refusals ------------------------------------------------------------------------------
before=$(redis dbsize)
for strategy in guava-mitz64 sbbf; do
  "$tool" build -q -p 0.01 --strategy $strategy -o "of-$strategy" keys
  refuses "save $strategy" \
    "holds only a filter of strategy fast or tags, with n, p and the key of its hash in it: leave out \
?layout=module" \
    "$tool" convert "of-$strategy" "$module/x?layout=module"
done
table <<'END'
$ printf "%032x" 5 >key
$ build -q -p 0.01 --strategy fast --key-file key -o keyed keys
2 convert keyed "$module/x?layout=module" =! give --key-file
2 convert --key-file key keyed "$module/x?layout=module" =! the key of its hash in it
2 convert "$counting" "$module/x?layout=module" =! holds only a filter of strategy fast
2 convert keys "$module/x?layout=module" =! keys: 
2 convert missing "$module/x?layout=module" =! missing: 
2 convert fast "$module/plain?layout=module" =! this name is already in use
2 convert fast "$without/x?layout=module" =! has not loaded the module lfbloom_redis.so: load it \
  there
2 convert window "$module/x" =! window
2 convert growing "$module/x" =! growing
END
for form in guava mapped; do
  for name in grown forgets; do
    refuses "$name as $form" "only a file in the native form" \
      "$tool" convert --to $form "$module/$name" x
  done
done
table <<'END'
2 convert --to guava "$module/fast" x =! the guava form cannot hold strategy fast
$ redis config set lfbloom.max-bytes 10000 >out
2 convert fast "$module/x?layout=module" =! CONFIG SET lfbloom.max-bytes
$ redis config set lfbloom.max-bytes 0 >out
and equal "$(redis dbsize) $(redis exists x) $(redis --scan --pattern '*loading*')" "$before 0 "
END
each BF.MADD small keys >out
redis bf.reserve tripled 0.01 2000 expansion 3 >out
each BF.MADD tripled keys >out
for name in small tripled; do
  refuses "load $name" "are not those of a growing filter: no file can hold them" \
    "$tool" convert --to native "$module/$name" x
done
redis set text hello >out
redis rpush list a >out
refuses "load a text" "opens with ?helper=N,P" "$tool" convert --to native "$module/text" x
refuses "load a list" "the value under this name" "$tool" convert --to native "$module/list" x
refuses "load nothing" "nothing exists under this name" "$tool" convert --to native "$module/none" x
refuses "into no folder" "cannot be written" "$tool" convert --to native "$module/fast" nowhere/x
check "no file is left" equal "$(ls x x.* 2>/dev/null)" ""

# A signal ends a save to a server that accepts no writes, and leaves nothing there.
redis client pause 120000 write >out
"$tool" convert fast "$module/signalled?layout=module" 2>err &
saving=$!
saves() { redis client list | grep -q cmd=bf.loadchunk || has_ended "$saving"; }
await "the tool saves" saves
kill -TERM "$saving"
await_end "a signal ends a save" "$saving"
redis client unpause >out
check "a signal while saving: ends it" equal "$rc" 143
gone() { [[ -z $(redis --scan --pattern '*signalled*') ]]; }
await "nothing is there" gone

for doing in "saving convert fast $module/bar?layout=module" \
  "loading convert --to native $module/bar bar"; do
  read -r verb words <<<"$doing"
  # shellcheck disable=SC2086 # words
  run "$tool" $words --progress=always
  check "$verb: a bar" holds err "$verb"
  check "$verb: status" equal "$rc" 0
done
finish
