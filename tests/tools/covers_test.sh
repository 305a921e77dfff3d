#!/bin/bash
# covers_test.sh TABLE FILE...: each source and header of the library and the tool has a test of
# its name in the mirroring folder, or a row in tests/covers.txt; the rows name only existing
# files and tests. Then the check must find each error in made-up trees.
set -euo pipefail
source tests/support/complain.sh

# The errors of a table, one per line; last, the number of files checked, and of those that rows name.
# The files are those of the tree. A row is for a file without its ending: a header goes with its source.
findings() {
  local table=$1
  shift
  printf '%s\n' "$@" | awk -v table="$table" '
    function stem(path) { sub(/\.[a-z]+$/, "", path); return path }
    function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
    function last(path) { sub(/.*\//, "", path); return path }

    # The folder of tests/ for that of a file; "" if any will do.
    function mirror(of) {
      if (of ~ /^include\//) return ""
      if (of ~ /^bloom\/(any|counting|growing|versions|window)\//) return "tests/kinds"
      if (of ~ /^(atomic|bloom)\//) { sub(/^[a-z]+\//, "", of); return "tests/" folder(of) }
      sub(/\/.*/, "", of)
      return "tests/" of
    }
    /^tests\// {
      there[$0] = 1
      if ($0 ~ /_test\.(cc|sh)$/) {
        name = stem($0)
        sub(/_test$/, "", name)
        named[name] = 1
        named["/" last(name)] = 1
      }
      next
    }
    /\.[ch]$/ { library[$0] = 1 }

    END {
      while ((getline line < table) > 0) {
        count = split(line, word, / +/)
        if (count == 0 || word[1] == "#") continue
        if (word[1] !~ /^(test|asan|tsan|model|elsewhere)$/) print word[2] ": no such build: " word[1]
        if (!(word[2] in there)) print word[2] ": a row, and no such test"
        if (count < 3) print word[2] ": a row without a file"
        for (i = 3; i <= count; i++) {
          rows++
          row[stem(word[i])] = 1
          if (!(word[i] in library)) print word[i] ": in a row, and no such file"
        }
      }
      for (file in library) {
        files++
        where = mirror(file)
        if (!((where "/" last(stem(file))) in named) && !(stem(file) in row))
          print file ": no test of its name, and no row"
      }
      printf "%d files, %d in rows\n", files, rows
    }'
}

found=$(findings "$@")
echo "$found"
[[ $found != *$'\n'* ]] || complain "the table does not hold"
[[ $found =~ ^([0-9]+)\ files,\ ([0-9]+)\ in\ rows$ ]] || complain "nothing was counted"
((BASH_REMATCH[1] > 200 && BASH_REMATCH[2] > 100)) || complain "the files or the rows were not read"

# A skipped test must report it where .ci/stages.sh sees it.
said=$(grep -l GTEST_SKIP "${@:2}") && complain "these skip without tests/support/skip.h: $said"

# finds TEXT ROW FILE...: the expected message for these files with this row as the table.
table=$(mktemp "$TEST_TMPDIR/covers.XXXXXX")
finds() {
  local text=$1 said
  echo "$2" >"$table"
  said=$(findings "$table" "${@:3}")
  [[ $said == "$text"* ]] || complain "not said: $text .. but: $said"
}

finds '2 files, 0 in rows' '' bloom/files/a.c bloom/files/a.h tests/files/a_test.cc
finds '1 files, 0 in rows' '' include/lfbloom/a.h tests/kinds/a_test.cc
finds '1 files, 0 in rows' '' bloom/window/a.c tests/kinds/a_test.cc
finds '1 files, 0 in rows' '' redis/link/a.c tests/redis/a_test.cc
finds '2 files, 1 in rows' 'elsewhere tests/cli/b_test.sh cli/a.c' cli/a.c cli/a.h tests/cli/b_test.sh
finds '2 files, 2 in rows' 'test tests/cli/b_test.sh cli/a.c cli/c.c' cli/a.c cli/c.c tests/cli/b_test.sh
finds 'bloom/files/a.c: no test of its name, and no row' '' bloom/files/a.c tests/kinds/a_test.cc
finds 'bloom/files/a.h: no test of its name, and no row' '' bloom/files/a.h tests/files/a.cc
finds 'cli/a.c: in a row, and no such file' 'test tests/cli/b_test.sh cli/a.c' tests/cli/b_test.sh
finds 'tests/cli/c.cc: a row, and no such test' 'test tests/cli/c.cc cli/a.c' cli/a.c tests/cli/b_test.sh
finds 'tests/cli/b_test.sh: no such build: tests' 'tests tests/cli/b_test.sh cli/a.c' cli/a.c tests/cli/b_test.sh
finds 'tests/cli/b_test.sh: a row without a file' 'test tests/cli/b_test.sh' cli/a.c tests/cli/b_test.sh

((wrong == 0))
