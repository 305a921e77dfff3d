#!/bin/bash
# completion_test.sh TOOL BASH_COMPLETION ZSH_COMPLETION FISH_COMPLETION: checks that Tab, in bash, zsh
# and fish, offers what --help says: commands, options, values.
#
# Seen to fail with a command's row left out, with options cut to those with a letter, with "="
# missing after an option that takes a value, and with the first line of an option's text only.
set -euo pipefail

tool=$PWD/$1 bash_completion=$PWD/$2 zsh_completion=$PWD/$3 fish_completion=$PWD/$4
export LC_ALL=C
PATH=$(dirname "$tool"):$PATH
cd "$TEST_TMPDIR"
passed=0
failed=0
# same NAME GOT WANTED: compares lists of words, in any order.
same() {
  if diff <(tr -s ' \n' '\n\n' <<<"$2" | sort) <(tr -s ' \n' '\n\n' <<<"$3" | sort) >difference; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $1: got (<), wanted (>)"
    cat difference
  fi
}

mapfile -t commands < <("$tool" --help | awk '!NF { part++ } part == 1 && NF { print $1 }')
# Every spelling of every option in a command's --help; long ones that take a value end in "=".
options_of() {
  "$tool" "$1" --help | awk '
    /^  (    )?-/ {
      sub(/^ +/, "")
      for (i = 1; i <= 2 && $i ~ /^-/; i++) {
        option = $i
        if (!sub(/=.*/, "=", option)) sub(/,$/, "", option)
        print option
      }
    }'
}
((${#commands[@]} >= 9)) || same "the tool's commands" "${commands[*]}" "at least nine"

# ---- bash ----
# shellcheck source=/dev/null
source "$bash_completion"
# compopt works only inside a completion.  This one does what bash does to complete file names.
compopt() {
  if [[ " $* " == *" default "* ]]; then mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"); fi
}
# tab WORD...: prints what bash offers for the last word.
tab() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _lfbloom
  printf '%s\n' "${COMPREPLY[@]}"
}
same "bash: commands" "$(tab lfbloom '')" "${commands[*]} help --help --version -V"
strategies=$("$tool" plan -n 1000 -p 0.01 --json | sed 's/.*"strategies"//' |
  grep -oE '"[a-z0-9-]+": \{' | tr -dc 'a-z0-9\n-')
touch keys.txt
for command in "${commands[@]}"; do
  same "bash: options of $command" "$(tab lfbloom "$command" -)" "$(options_of "$command")"
done

# As typed at a terminal: names that need quotes, after a variable; a tool with a path that needs
# quotes.  Seen to fail with names from compgen -f: bash takes each of its lines for a name.
mkdir typed "a place"
ln -s "$tool" "a place/lfbloom"
touch $'typed/line\nend' "typed/a b" "typed/\$(touch executed)"
cat >typed.bash <<EOS
PS1='' TERM=dumb HOME=$PWD
bind 'set enable-bracketed-paste off'
source "$bash_completion"
args() { printf '%s\n' "\$@" >got; }
EOS
# typed LINE: prints the words of the completed line.
typed() {
  rm -f got
  # Tab; then "args " goes to the beginning of the line, and writes the words to a file.
  printf '%s\t\001args \n exit\n' "$1" |
    script -qec "bash --noprofile --rcfile typed.bash -i" /dev/null >terminal 2>&1
  cat got
}
same "bash, typed: a name with a space" "$(typed 'lfbloom query typed/a')" "lfbloom query typed/a b"
same "bash, typed: a name of two lines" "$(typed 'lfbloom query typed/li')" $'lfbloom query typed/line\nend'
# shellcheck disable=SC2016 # what is typed
same "bash, typed: after a variable" "$(typed 'lfbloom query $HOME/typed/a')" "lfbloom query $PWD/typed/a b"
# shellcheck disable=SC2016
same "bash, typed: a name that is a command" "$(typed 'lfbloom query typed/\$')" \
  'lfbloom query typed/$(touch executed)'
same "bash, typed: a tool whose path has a space" "$(typed './a\ place/lfbloom conv')" "./a place/lfbloom convert"
same "bash, typed: nothing was executed" "$(compgen -G '*executed' || true)" ""

# ---- zsh ----
# zsh sends SIGCONT to a process that it waits for.  This undoes the SIGSTOP of the leak check, and
# a tool with the address sanitizer waited forever.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
zsh -n "$zsh_completion"
# Replaces zsh's functions by ones that print their arguments.
cat >said.zsh <<'EOS'
_describe() { print -rl -- ${(P)2%%:*} }
_arguments() { print -rl -- "$@" }
words=("$@") CURRENT=$#
shift words
((CURRENT--))
source $1
EOS
zsh_tab() { zsh -f said.zsh "$zsh_completion" "$@"; }
same "zsh: commands" "$(zsh_tab lfbloom '')" "${commands[*]}"
same "zsh: a tool whose path has a space" "$(zsh_tab './a\ place/lfbloom' '')" "${commands[*]}"
same "zsh: help" "$(zsh_tab lfbloom help '')" "${commands[*]} keys redis status"
for command in "${commands[@]}"; do
  same "zsh: options of $command" \
    "$(zsh_tab lfbloom "$command" - | sed -nE 's/^(-[^[]*)\[.*/\1/p')" "$(options_of "$command")"
done
same "zsh: what remote does" "$(zsh_tab lfbloom remote '' | grep '^1:')" "1:word:(delete)"
zsh_tab lfbloom build - >specs
same "zsh: strategies" "$(sed -nE 's/^--strategy=.*:NAME:\((.*)\)$/\1/p' specs)" "$strategies"
same "zsh: a text of several lines" "$(sed -nE 's/^--timeout=\[(.*)\].*/\1/p' specs)" \
  "$("$tool" build --help | sed -nE '/--timeout=/,/--help/{/--help/!s/^.{25}//p}' | tr ':\n' '; ')"
same "zsh: files and numbers" "$(grep -cE '^--output=.*:OUT:_files$|^-n\[.*:N: $' specs)" 2

# ---- fish ----
# fish_tab LINE: prints what fish offers at the end of the line, without the texts.
fish_tab() { HOME=$PWD fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$fish_completion" "$1" | cut -f1; }
same "fish: commands" "$(fish_tab 'lfbloom ')" "${commands[*]} help --help --version -V"
same "fish: options of the tool" "$(fish_tab 'lfbloom --')" "--help --version"
same "fish: a tool whose path has a space" "$(fish_tab './a\ place/lfbloom conv')" convert
same "fish: a tool below ~" "$(fish_tab '~/a\ place/lfbloom conv')" convert
for command in "${commands[@]}"; do
  same "fish: options of $command" "$(fish_tab "lfbloom $command -")" "$(options_of "$command")"
done
# Lines that bash and fish complete alike.  bash passes --name=value as three words.
while IFS='|' read -r line wanted; do
  read -ra words <<<"${line//=/ = }"
  [[ $line != *[\ =] ]] || words+=('')
  same "bash: $line" "$(tab "${words[@]}")" "$wanted"
  same "fish: $line" "$(fish_tab "$line" | sed 's/^--[a-z]*=//')" "$wanted"
done <<END
lfbloom de|demo dedupe
lfbloom help |${commands[*]} keys redis status
lfbloom build --strategy=|${strategies//$'\n'/ }
lfbloom build --strategy=sb|sbbf
lfbloom demo --progress |always never
lfbloom convert --to=|native guava sbbf mapped milvus milvus-int64 milvus-utf8
lfbloom remote |delete
lfbloom remote --timeout=|
lfbloom build -n |
lfbloom build --output=key|keys.txt
lfbloom build -o key|keys.txt
lfbloom query key|keys.txt
END
same "fish: a text of several lines" \
  "$(HOME=$PWD fish --no-config -c 'source $argv[1]; complete -C "lfbloom build --timeout"' "$fish_completion" | cut -f2)" \
  "$("$tool" build --help | sed -nE '/--timeout=/,/--help/{/--help/!s/^.{25}//p}')"

echo "$passed passed, $failed failed"
((failed == 0 && passed > 55))
