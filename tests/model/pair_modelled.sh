#!/bin/sh
# pair_modelled.sh MODEL <pair.h >pair_modelled.h: atomic/words/pair.h with the exchanges of MODEL,
# tests/model/pair.h, in place of those of processors.  Fails if there are none.
set -eu
modelled=$(sed -e '/^static inline bool lfb_pair_runs_here/,/^}/d' \
  -e "/^#if !(defined/,/^\/\* Reads both words, relaxed/{ /^\/\* Reads/r $1" -e 'd }')
echo "$modelled"
test "$(echo "$modelled" | grep -c 'bool lfb_pair_\(cas\|runs\).*{')" = 3
