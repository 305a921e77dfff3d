/*
 * shim.h - Google Benchmark for benchmarks written in C.
 *
 * A benchmark is a row: a name, a body, its argument, a number of threads.  Each
 * thread calls the body, which sets up, loops, and tears down:
 *
 *     while (lfb_bench_keep_running(state, count))
 *       ... `count` operations ...
 *
 * Only the loop is timed, from the first thread's start to the last one's end.  One
 * iteration is one operation, so the Time column is the time of one operation (with several
 * threads: that wall time divided by all of their operations).  One call per batch keeps the
 * cost of lfb_bench_keep_running() out of it.
 *
 * Threads   No thread enters its loop before every thread has called
 *           lfb_bench_keep_running() once.  What was done before that call is then
 *           visible to all of them.
 */
#ifndef LFB_BENCH_SHIM_H
#define LFB_BENCH_SHIM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LFB_BENCH_MOST_THREADS = 64 };

typedef struct lfb_bench_state lfb_bench_state;

typedef void (*lfb_bench_body)(lfb_bench_state *state, const void *argument);

typedef struct lfb_bench_row {
  const char *name;    /* copied                                                 */
  lfb_bench_body body;
  const void *argument; /* must stay valid until lfb_bench_run() has returned    */
  unsigned threads;
  uint64_t iterations; /* of each thread; 0: as many as fit into the requested time */
} lfb_bench_row;

/* Registers a benchmark. */
void lfb_bench_register(const lfb_bench_row *row);

/* Whether to do `batch` more operations.  Call it until it returns false. */
bool lfb_bench_keep_running(lfb_bench_state *state, uint64_t batch);

/*
 * Stops and starts the clock of all threads, for set-up between two passes.  One thread calls
 * both while no thread does operations.  Calling them in each thread would be wrong: with more
 * threads than processors, some work again before others notice that they may.
 */
void lfb_bench_pause(void);
void lfb_bench_resume(void);

/* The calling thread's number, from 0 on, and how many threads there are. */
unsigned lfb_bench_thread(const lfb_bench_state *state);
unsigned lfb_bench_threads(const lfb_bench_state *state);

/* Reports, next to the time, the share of answers that were true: the mean over the threads. */
void lfb_bench_report_yes(lfb_bench_state *state, double share);

/* Fails the benchmark: `why` is reported instead of its time. */
void lfb_bench_fail(lfb_bench_state *state, const char *why);

/* Runs the registered benchmarks with Google Benchmark's command line; returns an exit status. */
int lfb_bench_run(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif
