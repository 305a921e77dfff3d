#!/bin/bash
# bounded_cli_test.sh LFBLOOM: `dedupe` of 16 times --memory stays within that and 64 MiB: by its
# own peak, and in a memory cgroup (version 2) of that size, where one can be made.
#
# Seen to fail with a table that takes what it likes.
set -uo pipefail
source "$(dirname "$0")/checks.sh"

memory=$((16 << 20)) most=$((80 << 20))
# A cgroup next to this process's, or below it.  Sets $group; false if there can be none.
make_group() {
  local own above
  own=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
  for above in "$own" "$(dirname "$own")"; do
    group=$above/lfbloom.$$
    grep -qw memory "$above/cgroup.subtree_control" 2>/dev/null &&
      mkdir "$group" 2>/dev/null || continue
    trap 'rmdir "$group"; rm -rf "$work"' EXIT
    echo $most >"$group/memory.max" &&
      { [[ ! -e $group/memory.swap.max ]] || echo 0 >"$group/memory.swap.max"; }
    return
  done 2>/dev/null
  return 1
}
# within COMMAND...: runs it in the cgroup, if there is one.
within() (
  [[ -z $group ]] || echo "$BASHPID" >"$group/cgroup.procs" || exit 99
  exec "$@"
)
make_group ||
  { group='' && not_here "a memory cgroup of version 2: the peak is the process's own"; }

# Each twice is the worst: half of the hashes are repeated, and the table has room for few of them.
seq -f 'https://example.org/%012.0f' 4100000 >once
cat once once >twice
check "the input is 16 times the memory" test "$(stat -c %s twice)" -ge $((16 * memory))
dedupe=("$tool" dedupe --threads 2 --memory $memory --temp .)
gives "a file" 0 within "${dedupe[@]}" -q twice
check "a file: each once" cmp out once
(cat twice | within "${dedupe[@]}" -q) >out 2>err
check "a pipe: each once" cmp out once
for name in twice -; do
  gives "peak, $name" 0 within "${dedupe[@]}" --json $name <twice
  check "peak, $name" between "$(json peak_bytes)" 1 $most
  check "peak, $name: temporary files decide" test "$(json doubtful)" -gt 1000000
done

finish
