#!/bin/bash
# page.sh PAGE TOOL README VERSION HEADER...: a manual page, with what it would otherwise
# repeat put in for each line @WORD@: COMMANDS, what the tool's --help says; HEADERS, what the
# public headers declare; STATUSES, what can fail; PROGRAM, the README's.
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
# The header that all begin with first.
headers() {
  local header first=() others=()
  for header in "$@"; do
    if [[ $header == */filter.h ]]; then first+=("$header"); else others+=("$header"); fi
  done
  awk -f "$here/headers.awk" "${first[@]}" "${others[@]}"
}
# X(NAME, number, "text"), whose text may go on in further lines.
statuses() {
  local header
  for header in "$@"; do [[ $header != */status.h ]] || break; done
  echo ".Bl -tag -width Ds"
  awk '/^  X\(/ { on = 1; row = "" }
       on { sub(/ *\\$/, ""); sub(/^ */, ""); row = row $0 }
       on && /"\)$/ { on = 0; print row }' "$header" |
    sed -E 's/" *"//g; s/^X\((LFB_[A-Z0-9_]+), *([0-9]+), *"(.*)"\)$/.It Dv \1 Pq \2\n\3/' |
    sed -E '/^\.It/! { s/-/\\-/g; s/^(.)/\U\1/; s/$/./ }'
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
