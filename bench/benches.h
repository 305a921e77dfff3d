/*
 * benches.h - the functions that register the benchmarks.
 */
#ifndef LFB_BENCH_BENCHES_H
#define LFB_BENCH_BENCHES_H

#include <stddef.h>
#include <stdint.h>

/* The sizes of the probed memory, from a first-level cache's size to one that no cache holds. */
enum { LFB_BENCH_SIZES = 5 };

typedef struct lfb_bench_size {
  const char *name;
  uint64_t bytes;
} lfb_bench_size;

extern const lfb_bench_size lfb_bench_sizes[LFB_BENCH_SIZES];

/* How many threads share one filter: each benchmark is registered once per row. */
enum { LFB_BENCH_THREADS = 5 };
extern const unsigned lfb_bench_thread_counts[LFB_BENCH_THREADS];

/* At least so many operations are timed in one benchmark of new keys; set before registering. */
extern uint64_t lfb_bench_least_puts;

/* VERB/CONTENDER/SIZE/CALL/KEYS/FPP: put and query, of the library's filters and of peers. */
void lfb_bench_register_filters(const lfb_bench_size *size);

/* put_new/fast/SIZE/batch15|batch49|build/hash/1%: new keys in bulk. */
void lfb_bench_register_bulk(const lfb_bench_size *size);

/* fill|ask_present|ask_absent/plain|growing|row/SIZE/CALL/hash/1%: a filter that grew to n keys,
 * and plain ones of the sizes of its layers (ask_absent alone). */
void lfb_bench_register_growing(const lfb_bench_size *size);

/* Frees what the growing benchmarks share. */
void lfb_bench_clear_growing(void);

/* limit/ACCESS/SIZE: the best that the machine can do. */
void lfb_bench_register_limits(const lfb_bench_size *size);

/* save|load|load_cold/native|plain/SIZE/disk|shm, checksum/xxh3|plain/SIZE: files. */
void lfb_bench_register_files(const lfb_bench_size *size);

/* Sets the directory of the files called disk ("." at first); keeps the pointer. */
void lfb_bench_files_in(const char *directory);

/* Frees what the file benchmarks share. */
void lfb_bench_clear_files(void);

/* hash/HASH/KEYS/CALL: bare hash functions. */
void lfb_bench_register_hashes(void);

/* counter/stripes_add: one addition to the counter of bits. */
void lfb_bench_register_counter(void);

/* Frees what the limit benchmarks share. */
void lfb_bench_clear_limits(void);

#endif
