#!/bin/bash
# dedupe_cli_test.sh LFBLOOM: `lfbloom dedupe`.  exact_test has its ways and failures.
source "$(dirname "$0")/checks.sh"

given abc third again edges nul hash.key all
cat all third all third >repeats
awk 'BEGIN {
  srand(1)
  for (i = 0; i < 600000; i++) print int(i / 8 + rand() * 50000), int(rand() * 5)
}' >near
awk '!seen[$0]++' near >near.kept
printf 'b\n\na\nb\n\nc' >blank
table <<'END'
0 dedupe -q --threads 3 near third blank near repeats
and cmp out <(awk '!seen[$0]++' near third blank near repeats)
0 cat near blank | dedupe -q --threads 3 --memory 26M - abc
and cmp out <(awk '!seen[$0]++' near blank abc)
0 dedupe -q - </dev/null =>
0 dedupe --json --memory 20M near
and equal "$(json in) $(json out)" "600000 $(wc -l <near.kept)"
? dedupe abc abc =! /^lfbloom: 6 keys in, 3 out, 3 came again; in [0-9.]+ MiB; .*keys/s$/
? dedupe --progress=always near =! deduplicating
$ printf '{"a":1}\n{"a":2}\n' >good.json
2 (cat good.json && echo bad) | dedupe -q -c --jsonl a good.json - => * \
  =! standard input:3: no JSON object
and cmp out <(sed 's/^/      2 /' good.json)
2 dedupe --threads 2 --memory 1M abc =! 2 threads: give at least --memory 8,388,608, or fewer --threads
and dedupe -q --threads 2 $(grep -oE -e '--memory [0-9,]*[0-9]' err) abc
2 dedupe --threads 1 --memory 6M abc =! 1 thread: give at least --memory 6,291,456
and dedupe -q --threads 1 $(grep -oE -e '--memory [0-9,]*[0-9]' err) abc
2 dedupe --temp missing abc =! missing: temporary file: No such file

# -i, and what cannot go together.
$ printf '@[`{aZéÉ\n@[`{AzéÉ\nAbcdefgHIJK,AbcdefgHIJK\nabcDEFGHijk,ABCDEFGHIJK\n' >edge_letters
0 dedupe -qi edge_letters | wc -l => 2
2 dedupe -d -u abc =! give --repeated or --unique

# --header.
$ printf 'id,v\n1,a\n2,b\n' >a.csv
$ printf 'id,v\n1,a\n3,b\n' >b.csv
$ printf 'ID,v\n1,a\n' >c.csv
$ printf 'id,v' >short.csv
$ : >none.csv
0 dedupe -q --header 1 none.csv short.csv a.csv b.csv none.csv | tr "\n" , => id,v,1,a,2,b,3,b,
2 dedupe --header 1 a.csv c.csv => * =! c.csv: begins with another header than the first file
? (echo HEAD && seq 400000) | dedupe -q --header 1 --memory 9M --threads 2
and equal "$(wc -l <out) $(head -1 out)" "400001 HEAD"
END
# -o.
table <<'END'
$ cp near replaced
$ chmod 640 replaced
$ ln -s replaced link
0 dedupe -q -o link link =>
and cmp replaced near.kept
and equal "$(stat -c %a replaced)" 640
and test -L link
2 dedupe -o replaced --jsonl a near =! near:1:
2 dedupe -o no/such near =! no/such: cannot be written: No such file
2 dedupe -o /dev/full near =! /dev/full: No space left on device
0 dedupe -q -o - again => again
2 dedupe -o new --json near =! leave out -o
END
(ulimit -f 8 && "$tool" dedupe -o new near) 2>err && rc=0 || rc=$?
check "-o: a full disk" equal "$rc" 2
check "-o: a full disk is named" holds err "new: File too large"
cp near grows
mkfifo pipe
"$tool" dedupe -q -o grows grows pipe 2>err &
exec 7>pipe
echo more >>grows
exec 7>&-
await_end "-o: a FILE that grows" $!
check "-o: a FILE that grows: status" equal "$rc" 2
check "-o: a FILE that grows: said" holds err "has changed while it was read"
check "-o: a FILE that grows: kept" equal "$(tail -1 grows)" more
ln -s missing/file dangling
table <<'END'
2 dedupe -o dangling near =! dangling: a symbolic link to nothing
$ long=$(printf 'n%.0s' {1..250})
0 dedupe -q -o "$long" near =>
and cmp "$long" near.kept
$ printf 'h\na\na\n' >own
$ dedupe -c --header 1 own >>own 2>err && rc=0 || rc=$?
and equal "$rc" 2
and equal "$(wc -l <own)" 3
and equal "$(ls -A | grep -c '^new')" 0

# --seen.
0 dedupe -q --seen printed near => <near.kept
and equal "$(stat -c %a printed)" 600
0 dedupe -q --seen printed near blank
and cmp out <(awk '!seen[$0]++' near blank | tail -n +$(($(wc -l <near.kept) + 1)))
0 dedupe -q --seen printed -o more third
and cmp more <(grep -vxFf <(cat near blank) third | awk '!seen[$0]++')
# A state is no input and no output.  Seen to be overwritten, with status 0.
$ cp printed printed.was
$ ln printed printed.too
2 dedupe --seen printed -o ./printed abc =! ./printed: is both output and state
2 dedupe --seen printed -o printed.too abc =! printed.too: is both output and state
2 dedupe --seen printed abc >>printed =! printed: is both output and state
2 dedupe --seen printed <printed =! printed: is both input and state
2 dedupe --seen printed abc printed.too =! printed.too: is a state of 'dedupe --seen'
2 dedupe --seen new -o ./new abc =! ./new: is both output and state
and cmp printed printed.was
$ rm new
2 dedupe --seen dangling abc =! dangling: a symbolic link to nothing
2 dedupe --seen . abc =! .: cannot be written: Is a directory
2 dedupe --seen pipe abc =! pipe: is no regular file
$ chmod 644 printed
0 dedupe -q --seen printed near =! note: printed has the key of its hash
and equal "$(stat -c %a printed)" 600
2 dedupe printed =! is a state of 'dedupe --seen'
2 dedupe --threads 1 --memory 6.3M --seen printed abc =! 1 thread and the filters of --seen: give
and dedupe -q --threads 1 $(grep -oE -e '--memory [0-9,]*[0-9]' err) --seen printed abc
2 dedupe --seen printed -c abc =! --seen does not count
# Bad lines that pass are printed each time, and are not in the state.
$ printf '{"a":1}\nbad\nworse\nbad\n' >some.json
0 dedupe -q --jsonl a --bad-lines pass --seen of_json some.json => <some.json =! *
0 dedupe -q --jsonl a --bad-lines pass --seen of_json some.json => bad\nworse\nbad =! *
0 dedupe --json --seen fresh abc
0 dedupe -q --seen fresh abc
and equal "$(wc -l <out)" 3
$ dedupe -q --seen fresh near >/dev/full 2>err && rc=0 || rc=$?
and equal "$rc" 2
0 dedupe -q --seen fresh near
and cmp out <(grep -vxFf abc near.kept)
# The state is written after OUT.  A line that is printed again is better than one that is lost.
$ (ulimit -f 8 && dedupe -q --seen small -o new abc) 2>err && rc=0 || rc=$?
and equal "$rc $(tail -n 1 err)" "2 lfbloom: new was replaced, but small lacks its lines"
and cmp new abc
0 dedupe -q --seen small new => <abc
$ rm new
$ cp abc self
$ dedupe -q self >>self 2>err && rc=0 || rc=$?
and is_error "self: is also the output"
END

# In a folder like /tmp nothing of another user is written to.  Seen to follow the link, and to keep
# the owner and the mode of the file.
mkdir sticky
chmod 1777 sticky
echo precious | tee keep >sticky/own
ln -s ../keep sticky/link
mkfifo -m 666 sticky/pipe
ln -s sticky/pipe to-pipe
chmod 666 sticky/own
cp printed sticky/seen
"$tool" build -q --shared -n 10 -p 0.1 -o sticky/shared abc
if chown -h 65534 sticky/* 2>err; then
  table <<'END'
2 dedupe -o sticky/link near =! sticky/link: belongs to another user
2 dedupe -o sticky/own near =! sticky/own: belongs to another user
2 dedupe -o sticky/pipe near =! sticky/pipe: belongs to another user
2 dedupe -o to-pipe near =! to-pipe: belongs to another user
2 build -p 0.1 -o sticky/own abc =! sticky/own: belongs to another user
2 build --shared -o sticky/shared abc =! sticky/shared: belongs to another user
2 claim --shared sticky/shared abc =! sticky/shared: belongs to another user
2 claim --window 1h --shared sticky/link -n 10 -p 0.1 abc =! sticky/link: belongs to another user
2 dedupe --seen sticky/seen abc =! sticky/seen: belongs to another user
2 dedupe --seen sticky/link abc =! sticky/link: belongs to another user
and equal "$(sort -u keep sticky/own)" precious
$ chown 0 sticky/own
0 dedupe -q -o sticky/own abc =>
and cmp sticky/own abc
$ chown 65534 sticky
0 dedupe -q --seen sticky/seen near
END
else
  skip "files of another user (only root can give them)"
fi

finish
