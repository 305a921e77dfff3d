#!/bin/bash
# help_cli_test.sh LFBLOOM: `--help`, `--version`, and the errors of names and options that are
# mistyped.
source "$(dirname "$0")/checks.sh"

for option in --version -V; do
  gives "$option" 0 "$tool" $option
  check "version by $option" grep -qxE 'lfbloom [0-9]+\.[0-9]+\.[0-9]+' out
done
gives "--help" 0 "$tool" --help
cp out all_help
for command in demo plan build query dedupe claim info verify merge fold compare convert; do
  check "help names $command" holds all_help "  $command "
  shows "$command --help" 0 "Usage: lfbloom $command" "$tool" "$command" --help
  refuses "$command bad option" "unknown option --nonsense" "$tool" "$command" --nonsense
  refuses "$command bad letter" "unknown option -Z" "$tool" "$command" -Z
done

has_terminal && terminal=1 || terminal=0
# No line of help is longer than 80 columns.  A narrower terminal gets shorter lines with the same
# words; only usage lines and examples keep their length.
for command in "" demo plan build query dedupe claim info verify merge fold compare convert remote; do
  run "$tool" $command --help
  check "$command --help: 80 columns" equal "$(awk 'length > 80' out)" ""
  check "$command --help: not much less" test "$(awk 'length > 70' out)" != ""
  check "$command --help: no space at a line's end" equal "$(grep ' $' out)" ""
  [[ -n $command ]] && ((terminal)) || continue
  for columns in 60 80 200; do
    on_terminal $columns "'$tool' $command --help" | tr -d '\r' >filled
    check "$command --help: fits $columns columns" \
      equal "$(grep -vE '^(Usage|  [a-z]|       lfbloom)' filled |
        awk -v most=$columns 'length > most')" ""
    check "$command --help: the same words in $columns columns" \
      equal "$(tr -s ' ' '\n' <filled)" "$(tr -s ' ' '\n' <out)"
    check "$command --help: examples in $columns columns" \
      equal "$(grep '^  [a-z]' filled)" "$(grep '^  [a-z]' out)"
  done
  check "$command --help: as for programs" cmp filled out
done
same "help" 0 all_help "$tool" help
"$tool" merge --help >merge_help
same "help merge" 0 merge_help "$tool" help merge
refuses "help unknown" "unknown command 'grow'" "$tool" help grow
refuses "no command" "no command" "$tool"
refuses "unknown command" "unknown command 'grow'" "$tool" grow
refuses "unknown option" "unknown option --nope" "$tool" --nope

refuses "an option and a value that are unknown" "unknown option --strategie" \
  "$tool" build --strategie=fast
refuses "value missing" "-n needs a value" "$tool" plan -n
refuses "value missing, long" "--threads needs a value" "$tool" demo --threads
refuses "value not wanted" "--json=3 takes no value" "$tool" demo --json=3
refuses "a newline in a name stays in one line" "No such file" "$tool" info $'a\nb'

finish
