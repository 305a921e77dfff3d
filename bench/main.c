/*
 * main.c - runs the benchmarks.
 *
 *     ./bazelw run -c opt //bench -- --benchmark_filter='query_present/.*u64/1%'
 *
 * It takes the flags of shim.h, and
 *   --scenes=DIRECTORY  save the filters that benchmarks of guava-mitz64 start from, for Guava
 *   --files=DIRECTORY   the directory of the save and load files called disk (.)
 *   --puts=COUNT        time at least COUNT puts in one benchmark of new keys
 *   --peer=FILE         measure this peer, too (peers/peer.h); at most LFB_PEERS times
 *
 * bench:scaling is the same program as one file with its libraries (carry.sh).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benches.h"
#include "bench/peers/plugin.h"
#include "bench/scene.h"
#include "bench/shim.h"

static const lfb_bench_size sizes[] = {
    {"64KiB", UINT64_C(64) << 10},   {"1MiB", UINT64_C(1) << 20}, {"16MiB", UINT64_C(16) << 20},
    {"256MiB", UINT64_C(256) << 20}, {"1GiB", UINT64_C(1) << 30}, {"4GiB", UINT64_C(4) << 30},
};

static const lfb_contender *const contenders[] = {
    &lfb_own_fast,      &lfb_own_fast_speed,      &lfb_own_sbbf,         &lfb_own_default,
    &lfb_own_counting,  &lfb_own_counting_mitz64, &lfb_own_guava_mitz64, &lfb_own_versions,
    &lfb_own_window,    &lfb_own_fast_aes,        &lfb_peer_mutex,       &lfb_own_fast_siphash13,
};

const unsigned lfb_bench_thread_counts[] = {1, 2, 4, 8, 16, 64, 0};

/* Whether `argument` begins with `flag`; then *value is the rest. */
static bool flag_is(const char *argument, const char *flag, const char **value)
{
  const size_t size = strlen(flag);
  *value = argument + size;
  return strncmp(argument, flag, size) == 0;
}

/* Removes this program's own flags from the arguments; returns how many are left, 0 if a peer
 * cannot be had. */
static int take_flags(int argc, char **argv)
{
  const char *value;
  int kept = 0;

  for (int i = 0; i < argc; i++) {
    if (flag_is(argv[i], "--scenes=", &value))
      lfb_scene_save_in(value);
    else if (flag_is(argv[i], "--files=", &value))
      lfb_bench_files_in(value);
    else if (flag_is(argv[i], "--puts=", &value))
      lfb_bench_least_puts = strtoull(value, NULL, 10);
    else if (!flag_is(argv[i], "--peer=", &value))
      argv[kept++] = argv[i];
    else if (!lfb_peers_load(value))
      return 0;
  }
  argv[kept] = NULL;
  return kept;
}

static void register_size(const lfb_bench_size *size)
{
  lfb_bench_register_limits(size);
  for (size_t c = 0; c < sizeof contenders / sizeof *contenders; c++)
    lfb_bench_register_filters(size, contenders[c]);
  for (size_t p = 0; p < lfb_peers_count(); p++)
    lfb_bench_register_filters(size, lfb_peers_contender(p));
  lfb_bench_register_files(size);
  lfb_bench_register_fills(size);
}

int main(int argc, char **argv)
{
  argc = take_flags(argc, argv);
  if (argc == 0)
    return 2;
  /* Size by size, so that compared figures are measured at nearly the same time. */
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    register_size(&sizes[i]);
  lfb_bench_register_joins();
  lfb_bench_register_counter();
  lfb_bench_register_hashes();
  const int status = lfb_bench_run(argc, argv);
  lfb_scene_clear();
  lfb_bench_clear_limits();
  lfb_bench_clear_fills();
  lfb_bench_clear_files();
  return status;
}
