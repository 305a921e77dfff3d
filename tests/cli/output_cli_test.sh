#!/bin/bash
# output_cli_test.sh LFBLOOM: an output that is full, closed, limited or forbidden, in every
# command.
source "$(dirname "$0")/checks.sh"

given abc abc.bloom all third third.bloom
for arguments in --version --help "plan -n 10 -p 0.1" "plan -n 10 -p 0.1 --json" "demo --help" \
  "demo -n 1000" "info abc.bloom" "info --json abc.bloom" "merge -o x --json abc.bloom" \
  "merge -q -o - abc.bloom" "compare abc.bloom abc.bloom" "compare --json abc.bloom abc.bloom" \
  "convert --to native abc.bloom -" "verify abc.bloom" "verify --json abc.bloom" \
  "query abc.bloom abc" \
  "query -c abc.bloom abc" "query --threads 4 third.bloom all" "claim -q -p 0.1 abc" \
  "claim -q --threads 4 -p 0.1 all" "claim --json -p 0.1 abc" \
  "build --form guava -p 0.1 -o x --json abc" \
  "build -q -p 0.1 -o - abc"; do
  # shellcheck disable=SC2086
  "$tool" $arguments >/dev/full 2>err && rc=0 || rc=$?
  check "$arguments >/dev/full" is_error "No space left on device"
  # shellcheck disable=SC2086
  "$tool" $arguments >&- 2>err && rc=0 || rc=$?
  check "$arguments >&-" is_error "Bad file descriptor"
done
rm -f x
mkdir safe
echo old >safe/out.bloom
over_limit "output over a limit" 100 "File too large" "$tool" query third.bloom all
over_limit "filter over a limit" 100 "File too large" \
  "$tool" build --form guava -q -p 1e-6 -o safe/out.bloom third
check "the old file is untouched" equal "$(cat safe/out.bloom)" old
check "no temporary file is left" equal "$(ls -A safe)" out.bloom
gives "the same with room" 0 "$tool" build --form guava -q -p 1e-6 -o safe/out.bloom third
check "replaces it" cmp safe/out.bloom third.bloom
check "others may read it" equal "$(stat -c %a third.bloom)" "$(printf %o $((0666 & ~$(umask))))"

cat >on_small_disk.sh <<'END'
mount -t tmpfs -o size=128k none disk && echo old >disk/out.bloom || exit 99
"$1" build -q -p 1e-6 -o disk/out.bloom third
rc=$?
ls -A disk >listing
cat disk/out.bloom >>listing
exit $rc
END
mkdir disk
unshare -rm bash on_small_disk.sh "$tool" >out 2>err && rc=0 || rc=$?
if [[ -e listing ]]; then
  check "full disk" is_error "No space left on device"
  check "full disk: old file untouched, no other" equal "$(tr '\n' , <listing)" out.bloom,old,
else
  skip "a full disk (no mounting here)"
fi

# Without permission to read or write.  Root has every permission, unless it drops a capability.
unprivileged=()
((EUID == 0)) && unprivileged=(setpriv --bounding-set=-dac_override,-dac_read_search)
mkdir closed
cp abc secret
chmod 000 secret closed
if "${unprivileged[@]}" \
  "$tool" --version >out 2>err && ! "${unprivileged[@]}" cat secret 2>out; then
  refuses "unreadable keys" "secret: Permission denied" \
    "${unprivileged[@]}" "$tool" query abc.bloom secret
  refuses "unreadable keys, build" "secret: Permission denied" \
    "${unprivileged[@]}" "$tool" build --form guava -p 0.1 -o x secret
  refuses "unreadable filter" "Permission denied" "${unprivileged[@]}" "$tool" info secret
  refuses "unwritable directory" "closed/x: cannot be written: Permission denied" \
    "${unprivileged[@]}" "$tool" build --form guava -p 0.1 -o closed/x abc
  check "no file from any of them" test ! -e x
else
  skip "files without permission (root cannot give up its right here)"
fi
chmod 700 closed

# A reader that stops early.
bash -c 'kill -PIPE $$' 2>/dev/null
quiet_status=$?
[[ $quiet_status == 141 ]] || quiet_status=2 # SIGPIPE is ignored in this test's environment
{ "$tool" query --threads 4 third.bloom all 2>err; echo $? >status; } | head -1 >out
check "| head -1: one line" equal "$(cat out)" 3
check "| head -1: quiet" equal "$(cat err)" ""
check "| head -1: status" equal "$(cat status)" "$quiet_status"
(trap '' PIPE && "$tool" query third.bloom all 2>err; echo $? >status) | head -1 >out
check "| head -1, SIGPIPE ignored: quiet" equal "$(cat err)" ""
check "| head -1, SIGPIPE ignored: status" equal "$(cat status)" 2
mkfifo endless
timeout 60 "$tool" query --threads 4 abc.bloom <endless >/dev/full 2>err &
exec 7>endless
echo a >&7
wait $! && rc=0 || rc=$?
exec 7>&-
check "a failed write ends it, though more input may come" is_error "No space left on device"

finish
