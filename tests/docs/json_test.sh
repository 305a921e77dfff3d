#!/bin/bash
# json_test.sh TOOL LIST COUNTING GROWING OVERCOUNTED WINDOW PAGE...: --json prints exactly the fields that
# man/json.txt, LIST, has for the command and explains; the command's page has them, too.
#
# Seen to fail with a brace left out, with a field left out of the page, with a field that no
# command prints, with one that is listed and not explained, and with a field renamed in the tool.
set -euo pipefail
source tests/support/complain.sh

tool=$(realpath "$1") list=$(realpath "$2") pages=$(realpath "$(dirname "$7")")
counting=$(realpath "$3") growing=$(realpath "$4") overcounted=$(realpath "$5") window=$(realpath "$6")
cd "$TEST_TMPDIR"
checked=0

# The two lists, their rows on one line each: "COMMAND: FIELD...", and "FIELD[, FIELD]: MEANING".
sed -e ':a' -e '$!N; s/\n  / /; ta' -e 'P; D' "$list" | grep -v '^#' >rows
awk -F': ' '!NF { part++; next } part == 1 { n = split($2, fields, " ")
      for (i = 1; i <= n; i++) print $1 "\t" fields[i] }
    part == 2 { n = split($1, fields, ", "); for (i = 1; i <= n; i++) print fields[i] >"explained" }' rows >listed
sort -o explained explained

# prints COMMAND ARGUMENT...: its fields, compared with those listed for it. A strategy's name
# is not a field.
prints() {
  local command=$1
  shift
  "$tool" "$@" --json >out 2>err || [[ $1 == verify ]] || complain "$*: $(cat err)"
  python3 -m json.tool out >/dev/null || complain "$*: no JSON"
  sed -E 's/"[a-z0-9-]+": \{("bits")/{\1/g' out | grep -oE '"[a-z_]+": ' | tr -d '": ' | sort -u >printed
  awk -F'\t' -v wanted="$command" '$1 == wanted { print $2 }' listed | sort >wanted
  checked=$((checked + $(wc -l <printed)))
  diff wanted printed >differ || complain "$command: listed (<) and printed (>) differ: $(cat differ)"
  meant=$(sed -n 's/^\.It Va //p' "$pages/lfbloom-${command%% *}.1" | tr -d ' ' | tr ',' '\n')
  grep -vxF "$meant" printed >differ && complain "lfbloom-${command%% *}(1) does not explain $(cat differ)"
  return 0
}

seq 1000 >keys
"$tool" build -q -p 0.01 -o keys.lfb keys
prints build build -p 0.01 -o other.lfb keys
prints compare compare keys.lfb keys.lfb
prints convert convert --to mapped keys.lfb keys.shared
prints dedupe dedupe keys
prints claim claim -p 0.01 keys
prints 'claim with --window' claim --window 1h -n 1000 -p 0.01 keys
prints demo demo -n 1000
prints info info keys.lfb
prints fold fold -o folded.lfb keys.lfb
prints "info of a counting filter" info "$counting"
"$tool" build -q --counting -p 0.01 -o tags.lfb keys
prints "info of a filter of tags" info tags.lfb
prints "info of a growing filter" info "$growing"
prints "info of a window" info "$window"
prints merge merge -o merged.lfb keys.lfb keys.lfb
prints plan plan -n 1e12 -p 0.01 # some strategies cannot
prints 'plan with --window' plan --window 1h -n 1000 -p 0.01
{ head -c 1200 keys.lfb && printf XXXX && tail -c +1205 keys.lfb; } >torn.lfb
prints verify verify keys.lfb torn.lfb "$overcounted"

cut -f2 listed | sort -u >fields
diff fields explained >differ || complain "listed (<) and explained (>) differ: $(cat differ)"

echo "$checked fields, $wrong wrong"
((checked > 100)) || complain "no objects were read"
((wrong == 0))
