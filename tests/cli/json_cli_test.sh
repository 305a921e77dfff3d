#!/bin/bash
# json_cli_test.sh LFBLOOM JSON_READER: programs read every number of --json as it is.  jq before
# 1.7 and JavaScript store numbers as doubles; jansson refuses integers above 2^63 - 1.
set -uo pipefail
tool=$(realpath "$1") reader=$(realpath "$2")
source "$(dirname "$0")/checks.sh"
command -v jq >/dev/null || { skip "jq is not installed"; exit 0; }
command -v python3 >/dev/null || { skip "python3 is not installed"; exit 0; }

# read_by READER MEMBER: prints the member of the object in ./out.
read_by() {
  case $1 in
  jq) jq -r ".$2" out ;;
  python) python3 -c 'import json, sys; print(json.load(open("out"))[sys.argv[1]])' "$2" ;;
  # As a reader with doubles only.
  doubles) python3 -c 'import json, sys
value = json.load(open("out"), parse_int=float)[sys.argv[1]]
print(value if isinstance(value, str) else int(value))' "$2" ;;
  jansson) "$reader" "$2" <out ;;
  esac
}
# same_to_all NAME MEMBER TYPE VALUE: passes if all readers read VALUE, of jq's TYPE.
same_to_all() {
  for by in jq python doubles jansson; do
    check "$1, read by $by" equal "$(read_by $by "$2" 2>&1)" "$4"
  done
  check "$1: type" equal "$(jq -r ".$2 | type" out)" "$3"
}

# A count is a number as long as a double is exact, then a string.  Seen to fail with numbers only:
# jq and doubles from 2^53 + 1 on, jansson from 2^63 on.
while read -r type count; do
  gives "plan -n $count" 0 "$tool" plan -n "$count" -p 0.5 --json
  same_to_all "n of $count" n "$type" "$count"
done <<'END'
number 0
number 10000000
number 9007199254740991
string 9007199254740992
string 9007199254740993
string 9223372036854775807
string 9223372036854775808
string 18446744073709551615
END

# A seed is always a string, so that its type does not depend on its value.
echo key >key
for seed in 1 9007199254740993 18446744073709551615; do
  "$tool" build -q -p 0.01 --seed $seed -o seed.lfb key
  gives "info: seed $seed" 0 "$tool" info --json seed.lfb
  same_to_all "info: seed $seed" seed string $seed
  check "info: bits are a number" equal "$(jq -r '.bits | type' out)" number
  gives "demo: seed $seed" 0 "$tool" demo -n 1000 --seed $seed --json
  same_to_all "demo: seed $seed" seed string $seed
done

finish
