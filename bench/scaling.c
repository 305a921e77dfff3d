/*
 * scaling.c - how operations scale with threads, next to the machine's limits: to be carried to a
 * machine with many cores, as one file with its libraries (carry.sh).
 *
 *     scaling.run --benchmark_format=json >scaling.json
 *
 * It measures queries, puts, claims and mixtures by call and many at a time, with 1 to 16 threads,
 * at 1 MiB to 4 GiB, three times each; the flags of shim.h change that.  Sizes of which the machine's
 * free memory does not hold LARGEST_COPIES filters are left out.
 * docs/performance.md, More than two cores, explains the output.
 */
#include <stdio.h>

#include "bench/benches.h"
#include "bench/scene.h"
#include "bench/shim.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The filter in use, and those filled to three points. */
enum { LARGEST_COPIES = 5, MOST_ARGUMENTS = 64 };

const unsigned lfb_bench_thread_counts[] = {1, 2, 4, 8, 16, 0};

static const lfb_bench_size sizes[] = {
    {"1MiB", UINT64_C(1) << 20},     {"16MiB", UINT64_C(16) << 20}, {"256MiB", UINT64_C(256) << 20},
    {"1GiB", UINT64_C(1) << 30},     {"4GiB", UINT64_C(4) << 30},
};

/* The limits; puts and claims (of fast-pair a put is a claim); queries and mixtures. */
static char filter[] =
    "--benchmark_filter=^(limit/(read|lock_cmpxchg|two_cmpxchg_a_line|cmpxchg16b)/[^/]*"
    "|put_new/fast(-pair)?/[^/]*/(single|many|claim|claim_many)/hash/1%"
    "|(query_present|mixed90|mixed50)/fast(-pair)?/[^/]*/(single|many)/hash/1%)/";
static char repetitions[] = "--benchmark_repetitions=3";

/* Bytes of free memory that the system would give. */
static uint64_t memory_free(void)
{
  unsigned long long kib = 0;
  char line[128];
  FILE *file = fopen("/proc/meminfo", "r");

  while (file != NULL && kib == 0 && fgets(line, sizeof line, file) != NULL)
    (void)sscanf(line, "MemAvailable: %llu", &kib);
  if (file != NULL)
    (void)fclose(file);
  return kib == 0 ? UINT64_MAX : 1024 * kib;
}

static void register_size(const lfb_bench_size *size)
{
  lfb_bench_register_limits(size);
  lfb_bench_register_filters(size, &lfb_own_fast);
  lfb_bench_register_filters(size, &lfb_own_fast_pair);
}

int main(int argc, char **argv)
{
  char *arguments[MOST_ARGUMENTS] = {argv[0], filter, repetitions};

  if (argc > MOST_ARGUMENTS - 3)
    return 2;
  for (int i = 1; i < argc; i++) /* the last of a kind counts */
    arguments[2 + i] = argv[i];
  for (size_t i = 0; i < COUNT(sizes); i++)
    if (sizes[i].bytes * LARGEST_COPIES <= memory_free())
      register_size(&sizes[i]);
    else
      (void)fprintf(stderr, "scaling: there is no memory for filters of %s\n", sizes[i].name);
  const int status = lfb_bench_run(argc + 2, arguments);
  lfb_scene_clear();
  lfb_bench_clear_limits();
  return status;
}
