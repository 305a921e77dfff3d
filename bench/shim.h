/*
 * shim.h - Google Benchmark for benchmarks written in C.
 *
 * A benchmark is a row: a name, a body, its argument, how many threads.  Each
 * thread calls the body, which sets up, loops, and tears down:
 *
 *     while (lfb_bench_keep_running(state, count))
 *       ... `count` operations ...
 *
 * Only the loop is timed, from the first thread's start to the last one's end.  One
 * iteration is one operation, so the Time column is the time of one (with several
 * threads: that wall time by all of their operations); asking once for a batch keeps
 * the cost of asking out of it.
 *
 * Threads   No thread enters its loop before every thread has called
 *           lfb_bench_keep_running() once, and what was done before that call is
 *           then visible to all of them.
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
  const void *argument; /* lives until lfb_bench_run() has returned              */
  unsigned threads;
  uint64_t iterations; /* of each thread; 0 for as many as the time asked for takes */
} lfb_bench_row;

void lfb_bench_register(const lfb_bench_row *row);

/* Whether to do `batch` operations more.  To be called until it says no. */
bool lfb_bench_keep_running(lfb_bench_state *state, uint64_t batch);

/*
 * Stops and starts the clock of all threads, for set-up between two passes.  To be
 * called by one of them while none is doing operations: with more threads than
 * processors, others may be at work again before one of them notices that it may.
 */
void lfb_bench_pause(void);
void lfb_bench_resume(void);

/* The calling thread's number, from 0 on, and how many threads there are. */
unsigned lfb_bench_thread(const lfb_bench_state *state);
unsigned lfb_bench_threads(const lfb_bench_state *state);

/* Reports the share of answers that were true, beside the time: the mean over the threads. */
void lfb_bench_report_yes(lfb_bench_state *state, double share);

/* Fails the benchmark: its time is not reported, `why` is. */
void lfb_bench_fail(lfb_bench_state *state, const char *why);

/* Runs what was registered, as Google Benchmark's command line says; an exit status. */
int lfb_bench_run(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif
