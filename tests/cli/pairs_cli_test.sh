#!/bin/bash
# pairs_cli_test.sh LFBLOOM: every two options that --help of `dedupe` and `claim` names are given
# together.  At most a tenth of the pairs may be refused as a misuse; all others do their work.
source "$(dirname "$0")/checks.sh"

printf '{"a":1}\n{"a":2}\n{"a":1}\n' >keys
tr '\n' '\0' <keys >keys--null
given key
# A value for each option that takes one; "new" is a file of the pair's own.
declare -A values=([-p]=0.01 [-n]=100 [--field]=1 [--header]=1 [--separator]=, [--jsonl]=a
  [--keys]=utf16 [--bad-lines]=skip [--strategy]=fast [--hash]=aes [--key-file]=key [--mode]=600
  [--memory]=1G [--temp]=. [--threads]=2 [--progress]=never [--timeout]=5 [--window]=1h
  [--output]=new [--seen]=new [--shared]=new)

for command in dedupe claim; do
  needed=()
  [[ $command != claim ]] || needed=(-p=0.01 -n=100)
  # Each option by its long name, or else its letter; with "=" and a value if it takes one.
  mapfile -t options < <("$tool" $command --help |
    sed -nE 's/^  (-.) [A-Z]+ .*/\1=/p; s/^  (-., |    )(--[a-z-]+=?).*/\2/p' | grep -v -e --help)
  check "$command: its options" between ${#options[@]} 18 30
  pairs=0 refused=0
  for ((i = 1; i < ${#options[@]}; i++)); do
    for ((j = 0; j < i; j++)); do
      words=() input=keys
      for option in "${options[i]}" "${options[j]}" "${needed[@]}"; do
        name=${option%%=*}
        value=${values[$name]-}
        [[ " ${words[*]}" != *" $name"* ]] || continue
        [[ $option != *= || -n $value ]] || check "the test has a value for $name" false
        [[ $name != --null ]] || input=keys--null
        words+=("$name${value:+=${value/new/$name-$command-$i-$j}}")
      done
      words=("${words[@]/#-p=/-p}")
      "$tool" $command "${words[@]/#-n=/-n}" $input >out 2>err && rc=0 || rc=$?
      ((++pairs))
      if ((rc == 2)) && grep -q "(see 'lfbloom $command --help')" err; then
        echo "refused: ${options[i]} ${options[j]}"
        ((++refused))
      else
        check "$command ${words[*]}: done" between $rc 0 1
      fi
    done
  done
  check "$command refuses $refused of $pairs pairs" between $((10 * refused)) 1 $pairs
done

finish
