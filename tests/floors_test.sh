#!/bin/bash
# floors_test.sh FILE...: each source of the library says on which floor it
# stands, and includes nothing but lower floors and its own header.  Seen to fail with a
# floor left out, a header of the same floor in another folder, and one that is named by its
# bare name.
set -euo pipefail
source tests/complain.sh

declare -A floor_of
checked=0

for file in "$@"; do
  floor=$(grep -oE 'Floor [0-9]+\.' "$file" | head -1 | tr -dc '0-9' || true)
  [[ -n $floor ]] || complain "$file does not say its floor"
  floor_of[$file]=${floor:-0}
done

# The file that an #include names, as a path of the tree; empty for a system header.
resolve() {
  local name=$1
  case $name in
  atomic/* | bloom/* | redis/*) echo "$name" ;;
  lfbloom/*)
    for folder in atomic bloom redis; do
      if [[ -e $folder/include/$name ]]; then echo "$folder/include/$name"; fi
    done
    ;;
  *) ;;
  esac
}

for file in "$@"; do
  while read -r name; do
    included=$(resolve "${name:1}")
    if [[ -z $included ]]; then
      [[ $name != \"* ]] || complain "$file includes $name: name it by its path in the tree"
      continue
    fi
    checked=$((checked + 1))
    [[ -n ${floor_of[$included]+known} ]] || {
      complain "$file includes ${name:1}, which is not among the sources"
      continue
    }
    # Its own header: x.c may include x.h of its own folder or the public x.h.
    base=$(basename "$file" .c)
    [[ $included == "${file%.c}.h" || $included == "${file%%/*}/include/lfbloom/$base.h" ]] && continue
    ((floor_of[$included] < floor_of[$file])) ||
      complain "$file (floor ${floor_of[$file]}) includes ${name:1} (floor ${floor_of[$included]})"
  done < <(sed -nE 's/^ *# *include *([<"][^>"]+)[>"].*/\1/p' "$file")
  if [[ $file == atomic/* ]] && grep -qE '# *include *[<"]bloom/' "$file"; then
    complain "$file is on the ground floor and knows of bloom/"
  fi
  if [[ $file != redis/* ]] && grep -qE '# *include *[<"](redis/|hiredis|lfbloom/redis)' "$file"; then
    complain "$file is not in redis/ and knows of Redis"
  fi
done

((checked > 20)) || complain "only $checked includes were found: this test looks at nothing"
echo "$checked includes checked, $wrong wrong"
((wrong == 0))
