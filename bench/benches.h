/*
 * benches.h - the tables of benchmarks.
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
enum { LFB_BENCH_THREADS = 5 };
extern const unsigned lfb_bench_thread_counts[LFB_BENCH_THREADS];

/* Operations that one benchmark of new keys times, at least; set before registering. */
extern uint64_t lfb_bench_least_puts;

/* VERB/CONTENDER/SIZE/CALL/KEYS/FPP: put and query, of the library's own and of peers. */
void lfb_bench_register_filters(const lfb_bench_size *size);

/* put_new/fast/SIZE/batch15|batch49|build/hash/1%: new keys in bulk. */
void lfb_bench_register_bulk(const lfb_bench_size *size);

/* fill|ask_present|ask_absent/plain|growing|row/SIZE/CALL/hash/1%: a filter that grew to n keys,
 * and plain ones of the sizes of its layers (ask_absent alone). */
void lfb_bench_register_growing(const lfb_bench_size *size);

/* Frees what these benchmarks share. */
void lfb_bench_clear_growing(void);

/* limit/ACCESS/SIZE: what the machine can do at best. */
void lfb_bench_register_limits(const lfb_bench_size *size);

/* save|load|load_cold/native|plain/SIZE/disk|shm, checksum/xxh3|plain/SIZE: files. */
void lfb_bench_register_files(const lfb_bench_size *size);

/* Where the files called disk are: a directory, which is kept; "." until it is said. */
void lfb_bench_files_in(const char *directory);

/* Frees what these benchmarks share. */
void lfb_bench_clear_files(void);

/* counter/stripes_add: one addition to the counter of bits. */
void lfb_bench_register_counter(void);

/* Frees what these benchmarks share. */
void lfb_bench_clear_limits(void);

#endif
