#!/bin/bash
# hashes.sh - measures the hash functions, bare and in a filter, against XXH3 compiled into the
# caller's loop, as tables on standard output, for docs/performance.md.
#
#     ./bazelw run -c opt //bench:hashes -- [--rounds=N] [--smoke]
#
# Measures all of them in turns, N times (9), and takes medians; a minute per round, and 1 GiB in
# TMPDIR.  --smoke: takes seconds, to test the script; the figures mean nothing.
set -euo pipefail

bench=$1
shift
rounds=9 cached=1MiB large=256MiB least=0.1 bench_flags=()
for flag in "$@"; do
  case $flag in
  --rounds=*) rounds=${flag#*=} ;;
  --smoke) rounds=1 cached=64KiB large=64KiB least=0.0001 ;;
  *)
    echo "hashes.sh: unknown flag $flag" >&2
    exit 2
    ;;
  esac
done
# shellcheck source=bench/reporting/tables.sh
source bench/reporting/tables.sh

# The benchmarks: a line for each table.
verb='query_(present|absent)/fast(|-siphash13|-aes)' keys='(u64|bytes36)/1%/.*threads:1$'
selection=(
  '^hash/.*threads:1$'
  "^$verb/$cached/(single|many|hashed|hashed_many)/$keys"
  "^$verb/$large/(many|hashed_many)/$keys"
)
measure_rounds "${selection[@]}"

cat <<END
<!-- made by: ./bazelw run -c opt //bench:hashes${*:+ -- $*} -->
ns per operation, wall time, one thread; medians of $rounds rounds.  In brackets the multiple of
XXH3 inlined.
$(describe_machine)
END
print_tables hashes
