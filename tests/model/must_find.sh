#!/bin/bash
# must_find.sh BINARY SCENARIO: succeeds if the model finds the bug in that scenario.
set -u
output=$("$1" --runs=1000000 --bound=2 "$2") && {
  echo "$2: nothing was found where there is something"
  exit 1
}
# Or by a read of a value without any earlier write: an order that is too weak.
grep -qE "^$2, .* (ASSERT FAILED|DATA RACE|ACCESS TO UNINITIALIZED VARIABLE)" <<<"$output" || {
  echo "$2: it ended, but by no assertion of the scenario"
  exit 1
}
grep "^$2, " <<<"$output"
