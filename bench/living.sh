#!/bin/bash
# living.sh - measures claims, versions, counting and growing against the plain filter, as
# tables on standard output, for docs/performance.md.
#
#     ./bazelw run -c opt //bench:living -- [--repetitions=N] [--sizes=SIZE,...] [--busy] [--smoke]
#
# Measures all of them in turns, N times (5), at 64KiB,16MiB,256MiB, and takes medians;
# 2 to 3 minutes per round.  --smoke: takes seconds, to test the script; the figures mean nothing.
set -euo pipefail

bench=$1
shift
rounds=5 sizes=64KiB,16MiB,256MiB smoke_size=64KiB
# shellcheck source=bench/reporting/tables.sh
source bench/reporting/tables.sh

# The benchmarks: a line for each table.
one='.*threads:1$'
selection=(
  "^(query_present|put_present|put_new)/(fast|versions)/$at/(single|section|many)/u64/1%/$one"
  "^(put_new|put_present|put_race|claim_race)/(fast|fast-pair)/$at/(single|many|claim|claim_many)/hash/1%/.*threads:[12]\$"
  "^(query_present|query_absent|put_new)/(fast|guava-mitz64|counting|counting-mitz64)/$at/(single|many|put_remove|put_remove_many)/u64/1%/$one"
  "^(fill|ask_present|ask_absent)/(plain|growing)/$at/(single|many)/u64/1%/$one"
)
measure_rounds "${selection[@]}"

cat <<END
<!-- made by: ./bazelw run -c opt //bench:living${*:+ -- $*} -->
ns per operation, wall time, 1 %; medians of $rounds rounds.
$(describe_machine)
END
print_tables living
