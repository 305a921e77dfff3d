/*
 * benches.h - the functions that register the benchmarks.
 */
#ifndef LFB_BENCH_BENCHES_H
#define LFB_BENCH_BENCHES_H

#include <stddef.h>
#include <stdint.h>

#include "bench/contender.h"

/* A size of the probed memory, a power of two. */
typedef struct lfb_bench_size {
  const char *name;
  uint64_t bytes;
} lfb_bench_size;

/* The most sizes of the program. */
enum { LFB_BENCH_SIZES = 8 };

/* How many threads share one filter, ending with 0: each benchmark is registered once per row. */
extern const unsigned lfb_bench_thread_counts[];

/* At least so many operations are timed in one benchmark of new keys; set before registering. */
extern uint64_t lfb_bench_least_puts;

/* VERB/CONTENDER/SIZE/CALL/KEYS/FPP: put and query, of the library's filters and of peers. */
void lfb_bench_register_filters(const lfb_bench_size *size, const lfb_contender *contender);

/* fill|claim|ask_present|ask_absent/plain|growing/SIZE/CALL/u64/1%: from empty to n keys. */
void lfb_bench_register_fills(const lfb_bench_size *size);

/* Frees what these benchmarks share. */
void lfb_bench_clear_fills(void);

/* limit/ACCESS/SIZE: the best that the machine can do. */
void lfb_bench_register_limits(const lfb_bench_size *size);

/* save|load|load_cold|open/native|plain/SIZE/disk|shm: files. */
void lfb_bench_register_files(const lfb_bench_size *size);

/* Sets the directory of the files called disk ("." at first); keeps the pointer. */
void lfb_bench_files_in(const char *directory);

/* Frees what the file benchmarks share. */
void lfb_bench_clear_files(void);

/* hash/HASH//CALL/KEYS: bare hash functions. */
void lfb_bench_register_hashes(void);

/* MurmurHash64A of `size` bytes, with the seed 0xc70f6907: the hash of RedisBloom. */
uint64_t lfb_peer_murmur64a(const void *bytes, size_t size);

/* counter/stripes_add: one addition to the counter of bits. */
void lfb_bench_register_counter(void);

/* build|probe/WAY/SIZE/many/hash/KEYS: the runtime filter of a hash join. */
void lfb_bench_register_joins(void);

/* Frees what the limit benchmarks share. */
void lfb_bench_clear_limits(void);

#endif
