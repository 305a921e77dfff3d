#!/bin/bash
# peers.sh - measures this library and its peers next to the machine's limits, as a table on
# standard output.
#
#     ./bazelw run -c opt //bench:peers -- [--peers-dir=DIR] [--repetitions=N] [--sizes=SIZE,...]
#       [--busy] [--smoke]
#
# Measures a set with 64 locks and each DIR/NAME/peer.so, which is built as bench/peers/peer.h
# says, and names the peers that are not there.  All of them run in turns, N times (5), at
# 64KiB,1MiB,16MiB,256MiB, with one thread and two; 2 minutes per round.
# --busy: also on a busy machine, where it otherwise stops with 2.  --smoke: takes seconds, to test
# the script; the figures mean nothing.
set -euo pipefail

bench=$1 set_peer=$2
shift 2
rounds=5 sizes=64KiB,1MiB,16MiB,256MiB smoke_size=1MiB names=set-64
# shellcheck source=bench/reporting/with_peers.sh
source bench/reporting/with_peers.sh
# shellcheck source=bench/reporting/tables.sh
source bench/reporting/tables.sh

bench_flags+=("--peer=$PWD/$set_peer")
find_peers rocksdb fastbloom boost-bloom libfilter arrow duckdb

selection=(
  "^limit/(read|load|lock_cmpxchg|two_cmpxchg_a_line|cmpxchg16b)/$at/.*threads:[12]\$"
  "^(query_present|query_absent|put_new|put_present)/(fast|fast-pair|mutex)/$at/(single|many)/hash/1%/.*threads:[12]\$"
  "^(query_present|query_absent|put_new|put_present)/($names)/$at/(single|ahead)/hash/1%/.*threads:[12]\$"
)
measure_rounds "${selection[@]}"

cat <<END
<!-- made by: ./bazelw run -c opt //bench:peers${flags[*]:+ -- ${flags[*]}} -->
ns per operation, wall time, 1 %, hashes given; medians of $rounds rounds.  Every filter has the
stated size, and as many keys as it has room for.  single: one call per key; many: 1024 keys per
call; ahead: with a look-ahead of 128 keys in the caller.
$(describe_machine)

END
print_tables limits_rows
echo
print_tables rows
