/*
 * shim.h - benchmarks in C, run by Google Benchmark.
 *
 * A benchmark is a row: a name, a body, its argument, a number of threads.  Each
 * thread calls the body, which sets up, loops, and tears down:
 *
 *     while (lfb_bench_keep_running(state, count))
 *       ... `count` operations, the same number each time ...
 *
 * Only the loop is timed, from the first thread's start to the last one's end, and divided by the
 * operations of all threads.  One call per batch keeps the cost of lfb_bench_keep_running() out
 * of it.  Google Benchmark calls the body several times, with more operations each time, until they
 * take long enough.  A fifth as many operations come first, untimed, to warm up, unless the row's
 * iterations are given: then the body runs once.
 *
 * Counters, of each row, are
 *   ns_per_key    the time of an operation; of limits and files, of one access or file
 *   ratio         to the row's limit, measured in the same run with as many threads
 *   bits_per_key  if the row knows it
 *
 * Threads   No thread enters its loop before every thread has called lfb_bench_keep_running()
 *           once, and none leaves it before all have done their last operation.  What was done
 *           before that is then visible to all of them.
 */
#ifndef LFB_BENCH_SHIM_H
#define LFB_BENCH_SHIM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LFB_BENCH_MOST_THREADS = 64, LFB_BENCH_LIMITS = 2 };

typedef struct lfb_bench_state lfb_bench_state;

typedef void (*lfb_bench_body)(lfb_bench_state *state, const void *argument);

/* A part of the best time that the machine allows: `share` times that of limit/ACCESS/SIZE. */
typedef struct lfb_bench_limit {
  const char *access; /* copied; NULL: no such part */
  double share;
} lfb_bench_limit;

typedef struct lfb_bench_row {
  const char *name;     /* VERB/FILTER/SIZE/CALL/KEYS/FPP, or its first parts; copied  */
  lfb_bench_body body;
  const void *argument; /* must stay valid until lfb_bench_run() has returned          */
  unsigned threads;     /* from 1 to LFB_BENCH_MOST_THREADS                            */
  uint64_t iterations;  /* of each thread; 0: as many as fit into the requested time   */
  double bits_per_key;  /* 0: not known                                                */
  lfb_bench_limit limits[LFB_BENCH_LIMITS]; /* at the row's own SIZE; their sum counts  */
} lfb_bench_row;

/* Registers a benchmark. */
void lfb_bench_register(const lfb_bench_row *row);

/* Whether to do `batch` more operations.  Call it until it returns false. */
bool lfb_bench_keep_running(lfb_bench_state *state, uint64_t batch);

/*
 * Stops and starts the clock of all threads, for set-up between two passes.  One thread calls
 * both while no thread does operations.
 */
void lfb_bench_pause(void);
void lfb_bench_resume(void);

/* The calling thread's number, from 0 on, and how many threads there are. */
unsigned lfb_bench_thread(const lfb_bench_state *state);
unsigned lfb_bench_threads(const lfb_bench_state *state);

/* Fails the benchmark: `why` is reported instead of its time.  The body may leave its loop. */
void lfb_bench_fail(lfb_bench_state *state, const char *why);

/*
 * Runs the registered benchmarks as the command line says, by the flags of Google Benchmark
 * (--help lists them) and
 *   --busy  also on a busy machine; else rows that others disturb (busy.h) are measured again, and
 *           it stops if the machine stays busy (--busy=begin: it begins on one)
 * --benchmark_min_time is 0.1 if it is not given.  There is no --benchmark_out.  Limits that the
 * rows need and the filter does not select are measured first, and not printed.
 *
 * Returns the exit status: 0; 1 if a benchmark fails or none matches; 2 on a busy machine.  Exits
 * with 2 for wrong arguments.
 */
int lfb_bench_run(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif
