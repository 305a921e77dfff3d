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
mapfile -t commands < <(awk '!NF { part++ } part == 1 && NF { print $1 }' all_help)
check "the commands" test ${#commands[@]} -ge 14
for command in "${commands[@]}"; do
  shows "$command --help" 0 "Usage: lfbloom $command" "$tool" "$command" --help
  # -h: a page, of what --help has.
  cp out help
  same "help $command" 0 help "$tool" help "$command"
  gives "$command -h" 0 "$tool" "$command" -h
  check "$command -h: 30 lines" test "$(wc -l <out)" -le 30
  check "$command -h: two examples" equal "$(grep -c '^  lfbloom' out)" 2
  check "$command -h: options" test "$(grep -cE '^  (    )?-' out)" -ge 2
  check "$command -h: lines of --help, but the last" equal "$(grep -vxFf help out)" \
    "More: lfbloom $command --help, lfbloom help keys, redis or status."
  refuses "$command bad option" "unknown option --nonsense" "$tool" "$command" --nonsense
  refuses "$command bad letter" "unknown option -Z" "$tool" "$command" -Z
done

# No line of help is longer than 80 columns.
for command in "" "${commands[@]}" keys redis status; do
  run "$tool" help $command
  check "$command --help: 80 columns" equal "$(awk 'length > 80' out)" ""
  check "$command --help: not much less" test "$(awk 'length > 70' out)" != ""
  check "$command --help: no space at a line's end" equal "$(grep ' $' out)" ""
done
same "help" 0 all_help "$tool" help
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
