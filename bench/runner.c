/* runner.c - runs the benchmarks, and is the clock. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, nanosleep, strdup */
#include "bench/runner.h"

#include <math.h>
#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/barrier.h"
#include "bench/busy.h"

enum {
  NAME_PARTS = 6,
  NAME_SIZE = 160,
  MOST_TRIES = 10,  /* of rows that others disturbed */
  QUIET_LOOKS = 20, /* half seconds to wait for them */
};

static double now(void)
{
  struct timespec at;
  (void)clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

/* ---- the rows -------------------------------------------------------------------- */

static struct {
  lfb_bench_row *rows;
  double *ns; /* of each row: what was measured last; NAN: it failed */
  size_t count, room;
} table;

void lfb_bench_register(const lfb_bench_row *row)
{
  if (table.count == table.room) {
    table.room = table.room == 0 ? 1024 : 2 * table.room;
    table.rows = realloc(table.rows, table.room * sizeof *table.rows);
    table.ns = realloc(table.ns, table.room * sizeof *table.ns);
  }
  char *name = strdup(row->name);
  if (table.rows == NULL || table.ns == NULL || name == NULL)
    abort();
  table.rows[table.count] = *row;
  table.rows[table.count++].name = name;
}

static void table_free(void)
{
  for (size_t i = 0; i < table.count; i++)
    free((void *)(uintptr_t)table.rows[i].name);
  free(table.rows);
  free(table.ns);
}

/* ---- one benchmark --------------------------------------------------------------- */

struct lfb_bench_state {
  _Alignas(64) unsigned thread; /* a line of its own */
  bool entered;       /* the loop                                            */
  bool warm;          /* what it does from now on counts                     */
  uint64_t batch;     /* of the operations in progress; 0: none              */
  uint64_t done;      /* operations that count                               */
  double start, end;  /* of them                                             */
  const char *why;    /* it failed; NULL: it did not                         */
};

/* The running benchmark, and what the command line says. */
static struct {
  const lfb_bench_row *row;
  lfb_barrier barrier;
  double least;          /* seconds that each is timed if its iterations are not given */
  double warm_at, end_at;
  double paused, paused_at;
  bool busy_before, busy_during; /* a busy machine does not matter */
} run = {.least = 0.1};

static void run_start(void)
{
  run.paused = 0;
  run.warm_at = now() + run.least / 5;
  run.end_at = run.warm_at + run.least;
}

static void run_end(void)
{
}

/* The first call: waits for all threads. */
static void state_enter(lfb_bench_state *state)
{
  lfb_barrier_wait(&run.barrier, run_start);
  state->entered = true;
  state->warm = run.row->iterations > 0;
  state->start = state->end = now();
}

/* Counts the operations just done, or takes them for the warming up. */
static void state_count(lfb_bench_state *state)
{
  state->end = now();
  if (state->warm) {
    state->done += state->batch;
  } else if (state->end >= run.warm_at) {
    state->warm = true;
    state->start = state->end;
    if (run.row->threads == 1) /* other benchmarks without given iterations do not pause */
      run.paused = 0;
  }
}

bool lfb_bench_keep_running(lfb_bench_state *state, uint64_t batch)
{
  if (state->entered)
    state_count(state);
  else
    state_enter(state);
  state->batch = batch;
  const uint64_t wanted = run.row->iterations;
  if (wanted > 0 ? state->done < wanted : state->done == 0 || state->end < run.end_at)
    return true;
  lfb_barrier_wait(&run.barrier, run_end);
  return false;
}

void lfb_bench_pause(void)
{
  run.paused_at = now();
}

void lfb_bench_resume(void)
{
  run.paused += now() - run.paused_at;
}

unsigned lfb_bench_thread(const lfb_bench_state *state)
{
  return state->thread;
}

unsigned lfb_bench_threads(const lfb_bench_state *state)
{
  (void)state;
  return run.row->threads;
}

void lfb_bench_fail(lfb_bench_state *state, const char *why)
{
  state->why = why;
}

void lfb_bench_share(void)
{
  run.busy_before = run.busy_during = true;
}

static void *thread_main(void *argument)
{
  run.row->body(argument, run.row->argument);
  return NULL;
}

/* Runs a row's threads; thread 0 is the caller's. */
static void run_threads(lfb_bench_state *states)
{
  pthread_t threads[LFB_BENCH_MOST_THREADS];

  for (unsigned i = 1; i < run.row->threads; i++)
    if (pthread_create(&threads[i], NULL, thread_main, &states[i]) != 0) {
      (void)fprintf(stderr, "bench: there cannot be %u threads\n", run.row->threads);
      exit(EXIT_FAILURE); /* the others wait for it */
    }
  (void)thread_main(&states[0]);
  for (unsigned i = 1; i < run.row->threads; i++)
    (void)pthread_join(threads[i], NULL);
}

/* Prints the name's parts and nothing for those it lacks. */
static void print_name(const char *name)
{
  unsigned parts = 1;

  for (const char *c = name; *c != '\0'; c++) {
    parts += *c == '/';
    (void)putchar(*c == '/' ? ',' : *c);
  }
  for (; parts < NAME_PARTS; parts++)
    (void)putchar(',');
}

/* What all threads of a benchmark did together. */
static lfb_bench_state run_sum(const lfb_bench_state *states)
{
  lfb_bench_state all = states[0];

  for (unsigned i = 1; i < run.row->threads; i++) {
    all.why = states[i].why != NULL ? states[i].why : all.why;
    all.done += states[i].done;
    all.start = states[i].start < all.start ? states[i].start : all.start;
    all.end = states[i].end > all.end ? states[i].end : all.end;
  }
  return all;
}

/* The row's time for an operation; NAN: it failed, and has said why. */
static double run_row(const lfb_bench_row *row)
{
  lfb_bench_state states[LFB_BENCH_MOST_THREADS] = {{0}};

  run.row = row;
  lfb_barrier_init(&run.barrier, row->threads);
  for (unsigned i = 0; i < row->threads; i++)
    states[i].thread = i;
  run_threads(states);
  const lfb_bench_state all = run_sum(states);
  if (all.why != NULL) {
    (void)fprintf(stderr, "%s/threads:%u: %s\n", row->name, row->threads, all.why);
    return NAN;
  }
  return 1e9 * (all.end - all.start - run.paused) / (double)all.done;
}

/* ---- the command line ------------------------------------------------------------ */

/* What of the command line is not in `run`. */
typedef struct wanted {
  const char *only;
  unsigned long rounds;
  bool list;
} wanted;

/* Whether `argument` begins with `flag`; then *value is the rest. */
static bool flag_is(const char *argument, const char *flag, const char **value)
{
  const size_t size = strlen(flag);
  *value = argument + size;
  return strncmp(argument, flag, size) == 0;
}

static bool take_flag(const char *argument, wanted *w)
{
  const char *value;
  char *end = NULL;

  if (flag_is(argument, "--only=", &value)) {
    w->only = value;
    return true;
  }
  w->list = w->list || strcmp(argument, "--list") == 0;
  run.busy_during = run.busy_during || strcmp(argument, "--busy") == 0;
  run.busy_before = run.busy_during || run.busy_before || strcmp(argument, "--busy=begin") == 0;
  if (strcmp(argument, "--list") == 0 || flag_is(argument, "--busy", &value))
    return *value == '\0' || strcmp(value, "=begin") == 0 || strcmp(argument, "--list") == 0;
  if (flag_is(argument, "--rounds=", &value)) {
    w->rounds = strtoul(value, &end, 10);
    return w->rounds > 0 && w->rounds < 1000 && *end == '\0';
  }
  if (!flag_is(argument, "--least=", &value))
    return false;
  run.least = strtod(value, &end);
  return run.least > 0 && run.least < 3600 && *end == '\0';
}

/* Removes the rows that do not match; false if `only` is no expression. */
static bool table_select(const char *only)
{
  regex_t expression;
  size_t kept = 0;

  if (regcomp(&expression, only, REG_EXTENDED | REG_NOSUB) != 0)
    return false;
  for (size_t i = 0; i < table.count; i++) {
    char name[NAME_SIZE];
    (void)snprintf(name, sizeof name, "%s/threads:%u", table.rows[i].name, table.rows[i].threads);
    if (regexec(&expression, name, 0, NULL, 0) == 0)
      table.rows[kept++] = table.rows[i];
    else
      free((void *)(uintptr_t)table.rows[i].name);
  }
  table.count = kept;
  regfree(&expression);
  return true;
}

static void print_rows(size_t first, size_t end)
{
  for (size_t i = first; i < end; i++) {
    const lfb_bench_row *row = &table.rows[i];
    if (isnan(table.ns[i]))
      continue;
    print_name(row->name);
    (void)printf(",%u,%.5g\n", row->threads, table.ns[i]);
  }
  (void)fflush(stdout);
}

/* Waits until the machine is quiet; false if it stays busy. */
static bool run_wait_for_quiet(void)
{
  for (unsigned i = 0; i < QUIET_LOOKS; i++)
    if (lfb_busy_begin(false))
      return true;
  return false;
}

/* Measures rows until the machine can be judged, or all are measured; *judged tells what it did. */
static size_t run_until_judged(size_t first, bool *good, lfb_busy *judged)
{
  size_t i = first;

  *judged = LFB_BUSY_UNKNOWN;
  while (i < table.count && *judged == LFB_BUSY_UNKNOWN) {
    table.ns[i] = run_row(&table.rows[i]);
    *good = *good && !isnan(table.ns[i]);
    i++;
    *judged = run.busy_during ? LFB_BUSY_QUIET : lfb_busy_check();
  }
  return i;
}

/* Measures all rows once, those again that others disturbed.  False: the machine stays busy. */
static bool run_round(bool *good)
{
  unsigned tries = 0;

  for (size_t first = 0; first < table.count;) {
    lfb_busy judged;
    const size_t end = run_until_judged(first, good, &judged);
    if (judged != LFB_BUSY_OTHERS) {
      print_rows(first, end);
      first = end;
      tries = 0;
    } else if (++tries == MOST_TRIES || !run_wait_for_quiet()) {
      return false;
    }
  }
  return true;
}

static int run_rounds(unsigned long rounds)
{
  bool good = true, quiet = run.busy_during || lfb_busy_begin(run.busy_before);

  for (unsigned long round = 0; round < rounds && quiet; round++)
    quiet = run_round(&good);
  if (!quiet) {
    lfb_busy_say();
    return 2;
  }
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Reads the flags, and selects; 0, or the exit status with its reason said. */
static int take_flags(int argc, char **argv, wanted *w)
{
  for (int i = 1; i < argc; i++)
    if (!take_flag(argv[i], w)) {
      (void)fprintf(stderr, "bench: %s is not understood; bench/runner.h lists the flags\n",
                    argv[i]);
      return 2;
    }
  if (!table_select(w->only)) {
    (void)fprintf(stderr, "bench: --only=%s is no regular expression\n", w->only);
    return 2;
  }
  if (table.count > 0)
    return 0;
  (void)fprintf(stderr, "bench: no benchmark matches; --list names them\n");
  return EXIT_FAILURE;
}

int lfb_bench_run(int argc, char **argv)
{
  wanted w = {.only = "", .rounds = 1};
  int status = take_flags(argc, argv, &w);

  for (size_t i = 0; status == 0 && w.list && i < table.count; i++)
    (void)printf("%s/threads:%u\n", table.rows[i].name, table.rows[i].threads);
  if (status == 0 && !w.list)
    status = run_rounds(w.rounds);
  table_free();
  return status;
}
