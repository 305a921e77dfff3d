/*
 * runner.h - runs the benchmarks that match, in turns, and prints a row of CSV for each.
 *
 * A benchmark is a row: a name, a body, its argument, a number of threads.  Each
 * thread calls the body, which sets up, loops, and tears down:
 *
 *     while (lfb_bench_keep_running(state, count))
 *       ... `count` operations, the same number each time ...
 *
 * Only the loop is timed, from the first thread's start to the last one's end, and divided by the
 * operations of all threads.  One call per batch keeps the cost of lfb_bench_keep_running() out
 * of it.
 *
 * Threads   No thread enters its loop before every thread has called lfb_bench_keep_running()
 *           once, and none leaves it before all have done their last operation.  What was done
 *           before that is then visible to all of them.
 */
#ifndef LFB_BENCH_RUNNER_H
#define LFB_BENCH_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

enum { LFB_BENCH_MOST_THREADS = 64 };

typedef struct lfb_bench_state lfb_bench_state;

typedef void (*lfb_bench_body)(lfb_bench_state *state, const void *argument);

typedef struct lfb_bench_row {
  const char *name;     /* VERB/FILTER/SIZE/CALL/KEYS/FPP, or its first parts; copied  */
  lfb_bench_body body;
  const void *argument; /* must stay valid until lfb_bench_run() has returned          */
  unsigned threads;     /* from 1 to LFB_BENCH_MOST_THREADS                            */
  uint64_t iterations;  /* of each thread; 0: as many as fit into the requested time   */
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

/* Fails the benchmark: `why`, a constant, is reported instead of its time. */
void lfb_bench_fail(lfb_bench_state *state, const char *why);

/* Another process is part of the benchmarks: as with --busy. */
void lfb_bench_share(void);

/*
 * Runs the registered benchmarks as the command line says:
 *   --only=REGEX     if the extended expression finds NAME/threads:N (all)
 *   --list           prints the names instead
 *   --rounds=N       so often, in turns (1)
 *   --least=SECONDS  each at least so long, after a fifth of it for warming up (0.1)
 *   --busy           also on a busy machine; else rows that others disturb (busy.h) are measured
 *                    again, and it stops if the machine stays busy (--busy=begin: it begins on one)
 * Prints "what,who,size,call,keys,fpp,threads,ns".  Returns the exit status: 0; 1 if a benchmark
 * fails or none matches; 2 for wrong arguments and on a busy machine.
 */
int lfb_bench_run(int argc, char **argv);

#endif
