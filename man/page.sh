#!/bin/bash
# page.sh PAGE TOOL README VERSION HEADER...: prints the manual page of this name.  The page of a
# command or a help topic, as lfbloom-build.1 or lfbloom-keys.7, is made from the tool's help.  The
# others have a file PAGE.in.  In it each line @WORD@ is replaced: COMMANDS by the list of the
# commands; STATUS by the tool's text of exit statuses; HEADERS by the declarations of the public
# headers; STATUSES by the statuses and their texts; PROGRAM by the program in the README.
set -euo pipefail

page=$1 tool=$2 readme=$3 version=$4
shift 4
here=$(dirname "${BASH_SOURCE[0]}")

# The section that a command's page has beside its help, and its neighbours.
command_page() {
  local word=${page%.*} section=${page##*.}
  word=${word#lfbloom-}
  "$tool" help "$word" >"$work/help"
  grep '^\.Dd' "$here/lfbloom.1.in"
  echo ".Dt LFBLOOM-${word^^} $section"
  echo ".Os lfbloom $version"
  echo ".Sh NAME"
  echo ".Nm lfbloom-$word"
  # The summary, which is a sentence, after the usage line.
  awk '!/^Usage:/ {
    print ".Nd " tolower(substr($0, 1, 1)) substr($0, 2, length($0) - 2)
    exit
  }' "$work/help"
  awk -f "$here/commands.awk" "$work/help"
  if ((section == 1)); then
    echo ".Sh EXIT STATUS"
    echo "0: done; 1: done, but not as asked; 2: not done."
    echo ".Xr lfbloom 1"
    echo "has the cases."
    awk -v command="$word" -f "$here/json.awk" "$here/json.txt"
  fi
  echo ".Sh SEE ALSO"
  printf '.Xr lfbloom %s' "1 ,"$'\n' "keys 7 ,"$'\n' "redis 7"$'\n' |
    sed 's/lfbloom \([a-z]\)/lfbloom-\1/' | grep -v "lfbloom-$word " | sed '$s/ ,$//'
}
commands() {
  local command summary
  echo ".Bl -tag -width Ds"
  "$tool" --help | sed -nE 's/^  ([a-z]+) +([a-z].*)/\1 \2/p' | grep -v '^lfbloom ' |
    while read -r command summary; do
      echo ".It Xr lfbloom-$command 1"
      echo "${summary^}."
    done
  echo ".El"
}
# filter.h first, then the others.
headers() {
  local header first=() others=()
  for header in "$@"; do
    if [[ $header == */filter.h ]]; then first+=("$header"); else others+=("$header"); fi
  done
  awk -f "$here/headers.awk" "${first[@]}" "${others[@]}"
}
statuses() {
  local header
  for header in "$@"; do [[ $header != */status.h ]] || break; done
  echo ".Bl -tag -width Ds"
  awk -f "$here/statuses.awk" "$header" | awk '{
    print ".It Dv " $1 " Pq " $2
    text = substr($0, length($1 $2) + 3)
    gsub(/-/, "\\-", text)
    print toupper(substr(text, 1, 1)) substr(text, 2) "."
  }'
  echo ".El"
}
program() {
  echo ".Bd -literal -offset indent"
  awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$readme" | sed 's/\\/\\e/g; s/-/\\-/g'
  echo ".Ed"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [[ ! -e $here/$page.in ]]; then
  command_page
  exit
fi
while IFS= read -r line; do
  case $line in
  @COMMANDS@) commands ;;
  @STATUS@) "$tool" help status | awk -v only=details -f "$here/commands.awk" ;;
  @HEADERS@) headers "$@" ;;
  @STATUSES@) statuses "$@" ;;
  @PROGRAM@) program ;;
  .Os) echo ".Os lfbloom $version" ;;
  *) printf '%s\n' "$line" ;;
  esac
done <"$here/$page.in"
