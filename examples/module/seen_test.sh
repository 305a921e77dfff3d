#!/bin/bash
# seen_test.sh SERVERS SEEN_PY SEEN_MJS PACKAGE LOCK CLIENTS_PY CLIENTS_MJS: the examples, and
# the calls of redis-py and node-redis for BF.*, on a server with the module.
set -euo pipefail
source tests/support/steps.sh
source tests/support/skip.sh
source tests/oracle/npm.sh

servers=$PWD/$1 seen_py=$PWD/$2 seen_mjs=$PWD/$3 package=$PWD/$4 lock=$PWD/$5
clients_py=$PWD/$6 clients_mjs=$PWD/$7
mkfifo "$TEST_TMPDIR/end"
"$servers" module <"$TEST_TMPDIR/end" >"$TEST_TMPDIR/port" &
exec 3>"$TEST_TMPDIR/end"
until [[ -s $TEST_TMPDIR/port ]]; do
  kill -0 $! || fail "no server"
  sleep 0.05
done
url=redis://127.0.0.1:$(<"$TEST_TMPDIR/port")
export PYTHONDONTWRITEBYTECODE=1
cd "$TEST_TMPDIR"

seq 1 3000 >numbers.txt
cat numbers.txt numbers.txt | /usr/bin/python3 "$seen_py" "$url" seen >first.txt
# One in a thousand may be dropped wrongly.
(($(wc -l <first.txt) >= 2980)) || fail "seen.py printed $(wc -l <first.txt) of 3000 lines"
[[ -z $(sort first.txt | uniq -d) ]] || fail "seen.py printed a line twice"
/usr/bin/python3 "$seen_py" "$url" seen <numbers.txt >again.txt
[[ ! -s again.txt ]] || fail "seen.py printed lines that were seen"
/usr/bin/python3 "$seen_py" "$url" window --span 1000 <numbers.txt >window.txt
(($(wc -l <window.txt) >= 2980)) || fail "seen.py --span printed $(wc -l <window.txt) of 3000 lines"
/usr/bin/python3 "$seen_py" redis://127.0.0.1:1 seen <numbers.txt 2>error.txt &&
  fail "no server, no error"
grep -q "^seen.py: " error.txt || fail "seen.py says: $(<error.txt)"
pass "seen.py prints each line once"

/usr/bin/python3 "$clients_py" "$url" || fail "redis-py"
pass "redis-py"

npm_packages "$TEST_TMPDIR/node" "$seen_mjs" "$package" "$lock" "$clients_mjs"
cd node
seq 2001 5000 | node seen.mjs "$url" seen >node.txt
(($(wc -l <node.txt) >= 1990 && $(wc -l <node.txt) <= 2000)) ||
  fail "seen.mjs printed $(wc -l <node.txt) of 2000 new lines"
[[ $(sort -n node.txt | head -n 1) -gt 3000 ]] ||
  fail "seen.mjs printed a line that seen.py had printed"
pass "seen.mjs shares the filter with seen.py"

node clients.mjs "$url" || fail "node-redis"
pass "node-redis"
echo "$passed steps"
