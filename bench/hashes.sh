#!/bin/bash
# hashes.sh - measures the hash functions, bare and in a filter, against XXH3 compiled into the
# caller's loop, as tables on standard output, for docs/performance.md.
#
#     ./bazelw run -c opt //bench:hashes -- [--repetitions=N] [--sizes=SIZE,...] [--busy] [--smoke]
#
# Measures all of them in turns, N times (9), and takes medians; a minute per round, and 1 GiB in
# TMPDIR.  --smoke: takes seconds, to test the script; the figures mean nothing.
set -euo pipefail

bench=$1
shift
rounds=9 sizes=1MiB,256MiB smoke_size=64KiB
# shellcheck source=bench/reporting/tables.sh
source bench/reporting/tables.sh

# The benchmarks: a line for each table.
verb='query_(present|absent)/fast(|-siphash13|-aes)' keys='(u64|bytes36)/1%/.*threads:1$'
selection=(
  '^hash/.*threads:1$'
  "^$verb/$at/(single|many|hashed|hashed_many)/$keys"
)
measure_rounds "${selection[@]}"

cat <<END
<!-- made by: ./bazelw run -c opt //bench:hashes${*:+ -- $*} -->
ns per operation, wall time, one thread; medians of $rounds rounds.  In brackets the multiple of
XXH3 inlined.
$(describe_machine)
END
print_tables hashes
