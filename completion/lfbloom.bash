# bash completion of lfbloom(1).  It reads commands, options and strategies from the tool's own
# output, so they always match the tool's version.
# shellcheck shell=bash

_lfbloom_commands() {
  "$1" --help 2>/dev/null | sed -nE 's/^  ([a-z]+) +[a-z].*/\1/p' | grep -vx lfbloom
}

# What `lfbloom help` takes beside commands.
_lfbloom_topics() {
  "$1" --help 2>/dev/null | sed -nE 's/^  lfbloom help ([a-z]+) .*/\1/p'
}

# Long options that take a value end in "=".
_lfbloom_options() {
  "$1" "$2" --help 2>/dev/null |
    sed -nE 's/^  (    )?(-[^-])?(, )?(--[a-z-]+=?)?.*/\2 \4/p' | tr -s ' ' '\n'
}

# The words that a command can begin with, as "delete" of `lfbloom remote`: lower case in its usage.
_lfbloom_words() {
  "$1" "$2" --help 2>/dev/null | sed -n 's/.*\[OPTIONS\]//p' | tr ' |' '\n\n' | grep -x '[a-z]\+'
}

# _lfbloom_values TOOL COMMAND OPTION: prints the possible values; fails if the value is a file name.
_lfbloom_values() {
  case $3 in
  --strategy) "$1" plan -n 1000 -p 0.01 2>/dev/null | awk 'NR > 3 { print $1 }' ;;
  --form | --to) printf '%s\n' native guava sbbf mapped milvus milvus-int64 milvus-utf8 ;;
  --progress) printf '%s\n' always never ;;
  --probes-formula) printf '%s\n' 31 current ;;
  --hash) printf '%s\n' aes siphash13 xxh3 default ;;
  # --help calls the value FILE or OUT.  Not grep -q: it would end the tool by SIGPIPE, which is a
  # failure under pipefail.
  *) [[ -z $("$1" "$2" --help 2>/dev/null |
    sed -nE "/^ +(-., )?$3[= ](FILE|OUT)|^ +$3, --[a-z-]+=(FILE|OUT)/p") ]] ;;
  esac
}

# _lfbloom_takes_value WORD TOOL COMMAND: whether the word after WORD is its value.
_lfbloom_takes_value() {
  [[ $1 == -[noptk] ]] ||
    { [[ $1 == --* ]] && [[ $'\n'$(_lfbloom_options "$2" "$3")$'\n' == *$'\n'"$1="$'\n'* ]]; }
}

_lfbloom_fill() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
  # No space after an option that takes a value.
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
}

_lfbloom() {
  # The tool as it was typed, without quotes and with ~ replaced.
  local tool=${COMP_WORDS[0]//[\\\"\']/}
  tool=${tool/#\~/${HOME-}}
  local word=${COMP_WORDS[COMP_CWORD]} option='' values
  local command=${COMP_WORDS[1]-}
  COMPREPLY=()

  if ((COMP_CWORD == 1)); then
    _lfbloom_fill "$(_lfbloom_commands "$tool") help --help --version -V" "$word"
    return
  fi
  if [[ $command == help ]]; then
    _lfbloom_fill "$(_lfbloom_commands "$tool") $(_lfbloom_topics "$tool")" "$word"
    return
  fi
  # bash splits --name=value into three words.
  if [[ $word == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 1]} word=''
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  elif _lfbloom_takes_value "${COMP_WORDS[COMP_CWORD - 1]}" "$tool" "$command"; then
    option=${COMP_WORDS[COMP_CWORD - 1]}
  fi
  if [[ -n $option ]] && values=$(_lfbloom_values "$tool" "$command" "$option"); then
    _lfbloom_fill "$values" "$word"
  elif ((COMP_CWORD == 2)) && [[ $word != -* ]] && values=$(_lfbloom_words "$tool" "$command"); then
    _lfbloom_fill "$values" "$word"
  elif [[ -z $option && $word == -* ]]; then
    _lfbloom_fill "$(_lfbloom_options "$tool" "$command")" "$word"
  else
    compopt -o bashdefault -o default # bash itself handles names with newlines
  fi
}

complete -F _lfbloom lfbloom
