/*
 * main.c - runs the benchmarks.
 *
 *     ./bazelw run -c opt //bench -- --benchmark_filter='query_present/.*u64/1%'
 *
 * It takes the flags of Google Benchmark, and
 *   --scenes=DIRECTORY  keep the filters that benchmarks start from in DIRECTORY, for
 *                       the next run (and for Guava)
 *   --files=DIRECTORY   the directory of the save and load files called disk (.)
 *   --puts=COUNT        time at least COUNT puts in one benchmark of new keys
 */
#include <stdlib.h>
#include <string.h>

#include "bench/benches.h"
#include "bench/names.h"
#include "bench/scene.h"
#include "bench/shim.h"

const lfb_bench_size lfb_bench_sizes[LFB_BENCH_SIZES] = {
    {"64KiB", UINT64_C(64) << 10},   {"1MiB", UINT64_C(1) << 20}, {"16MiB", UINT64_C(16) << 20},
    {"256MiB", UINT64_C(256) << 20}, {"1GiB", UINT64_C(1) << 30},
};

const unsigned lfb_bench_thread_counts[LFB_BENCH_THREADS] = {1, 2, 4, 16, 64};

/* Removes this program's own flags from the arguments; returns how many are left. */
static int take_flags(int argc, char **argv)
{
  static const char scenes[] = "--scenes=", puts[] = "--puts=", files[] = "--files=";
  int kept = 0;

  for (int i = 0; i < argc; i++) {
    if (strncmp(argv[i], scenes, sizeof scenes - 1) == 0)
      lfb_scene_keep_in(argv[i] + sizeof scenes - 1);
    else if (strncmp(argv[i], files, sizeof files - 1) == 0)
      lfb_bench_files_in(argv[i] + sizeof files - 1);
    else if (strncmp(argv[i], puts, sizeof puts - 1) == 0)
      lfb_bench_least_puts = strtoull(argv[i] + sizeof puts - 1, NULL, 10);
    else
      argv[kept++] = argv[i];
  }
  argv[kept] = NULL;
  return kept;
}

int main(int argc, char **argv)
{
  argc = take_flags(argc, argv);
  /* Size by size, so that compared figures are measured at nearly the same time. */
  for (unsigned i = 0; i < LFB_BENCH_SIZES; i++) {
    lfb_bench_register_limits(&lfb_bench_sizes[i]);
    lfb_bench_register_filters(&lfb_bench_sizes[i]);
    lfb_bench_register_bulk(&lfb_bench_sizes[i]);
    lfb_bench_register_files(&lfb_bench_sizes[i]);
    lfb_bench_register_growing(&lfb_bench_sizes[i]);
  }
  lfb_bench_register_counter();
  lfb_bench_register_hashes();
  const int status = lfb_bench_run(argc, argv);
  lfb_scene_clear();
  lfb_bench_clear_limits();
  lfb_bench_clear_growing();
  lfb_bench_clear_files();
  lfb_names_free();
  return status;
}
