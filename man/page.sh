#!/bin/bash
# page.sh PAGE TOOL README VERSION HEADER...: prints a manual page.  Replaces each line @WORD@:
# COMMANDS by the output of the tool's --help; HEADERS by the declarations of the public headers;
# STATUSES by the statuses and their texts; PROGRAM by the program in the README.
set -euo pipefail

page=$1 tool=$2 readme=$3 version=$4
shift 4
here=$(dirname "${BASH_SOURCE[0]}")

commands() {
  local command
  for command in $("$tool" --help | sed -nE 's/^  ([a-z]+) +[a-z].*/\1/p' | grep -vx lfbloom); do
    "$tool" "$command" --help
  done | awk -f "$here/commands.awk"
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

while IFS= read -r line; do
  case $line in
  @COMMANDS@) commands ;;
  @HEADERS@) headers "$@" ;;
  @STATUSES@) statuses "$@" ;;
  @PROGRAM@) program ;;
  .Os) echo ".Os lfbloom $version" ;;
  *) printf '%s\n' "$line" ;;
  esac
done <"$page"
