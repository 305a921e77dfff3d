/*
 * benches.h - the tables of benchmarks.
 *
 * Above the library.  May include: the C standard library.
 */
#ifndef LFB_BENCH_BENCHES_H
#define LFB_BENCH_BENCHES_H

#include <stddef.h>
#include <stdint.h>

/* The sizes of the memory that is probed, from a first-level cache's to one that
 * no cache holds. */
enum { LFB_BENCH_SIZES = 5 };

typedef struct lfb_bench_size {
  const char *name;
  uint64_t bytes;
} lfb_bench_size;

extern const lfb_bench_size lfb_bench_sizes[LFB_BENCH_SIZES];

/* Threads that share one filter: each benchmark is there once for each row. */
enum { LFB_BENCH_THREADS = 2 };
extern const unsigned lfb_bench_thread_counts[LFB_BENCH_THREADS];

/* OPERATION/STRATEGY/SIZE/single|many/KEYS: put and query through the public calls. */
void lfb_bench_register_filters(void);

/* limit/ACCESS/SIZE and counter/stripes_add: what the machine can do at best. */
void lfb_bench_register_limits(void);

/* Frees what these benchmarks share. */
void lfb_bench_clear_limits(void);

#endif
