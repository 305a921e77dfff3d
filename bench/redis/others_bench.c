/*
 * others_bench.c - how long other clients of a server wait while filters are created and keys are
 * put, in tables of medians.
 *
 *     ./bazelw run -c opt //bench:others -- [redis://[user:password@]host[:port]] [--repetitions=N]
 *
 * A thread sends one PING after the other, with a pause of PING_PAUSE_US in between, and measures
 * how long each takes.  Every round has every row once, so that a disturbance of the machine does not
 * fall on one row.  Without an address the program starts a server, which ends with it.
 */
#define _GNU_SOURCE /* usleep */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/keys.h"
#include "bench/redis/server.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum {
  PING_PAUSE_US = 200,
  PINGS = 1 << 16, /* the most that one row measures */
  ROUNDS = 7,
  MOST_ROUNDS = 99,
  KEYS = 50000000, /* of the filter that keys are put into: 61 MiB */
  CLIENTS = 8,     /* that put at once                             */
  BATCH = 10000,   /* of a call                                    */
  PUTS = 320000,   /* of a row                                     */
  SETTLE_US = 500000,
};

static const char name[] = "bench:others";
static lfb_redis_address place;

static double seconds(void)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static _Noreturn void fail(lfb_status status)
{
  fprintf(stderr, "%s\n", lfb_status_text(status));
  exit(EXIT_FAILURE);
}

static void must(lfb_status status)
{
  if (status != LFB_OK)
    fail(status);
}

/* ---- the other client ---------------------------------------------------- */

static double pings[PINGS]; /* in ms */
static size_t ping_count;
static _Atomic(bool) pinging;
static lfb_link *ping_link;

static uint16_t ping_command(void *context, uint64_t i, lfb_wire *wire)
{
  (void)context, (void)i;
  lfb_wire_begin(wire, 1);
  lfb_wire_text(wire, "PING");
  return LFB_ANY_SLOT;
}

static lfb_status ping_reply(void *context, uint64_t i, const redisReply *reply, bool again)
{
  (void)context, (void)i, (void)again;
  return lfb_reply_status(reply);
}

static void *ping_all(void *context)
{
  const lfb_job job = {1, ping_command, ping_reply, NULL};

  /* relaxed, here and below: joining the thread orders the rest. */
  while (ping_count < PINGS && atomic_load_explicit(&pinging, memory_order_relaxed)) {
    const double began = seconds();
    must(lfb_link_run(ping_link, &job));
    pings[ping_count++] = 1e3 * (seconds() - began);
    (void)usleep(PING_PAUSE_US);
  }
  return context;
}

/* What a row measures, and each round's figures. */
struct row {
  char label[64];
  uint64_t number;                  /* bytes of a part; a window               */
  unsigned clients;                 /* that put                                */
  void (*run)(const struct row *);  /* what the other client notices           */
  void (*undo)(const struct row *); /* after the measurement; NULL: nothing    */
  double keys;                      /* that `run` puts; 0: its time is printed */
  double took[MOST_ROUNDS], median[MOST_ROUNDS], p99[MOST_ROUNDS], most[MOST_ROUNDS];
};

static void measure(struct row *row, unsigned round)
{
  pthread_t thread;

  ping_count = 0;
  atomic_store_explicit(&pinging, true, memory_order_relaxed);
  if (pthread_create(&thread, NULL, ping_all, NULL) != 0)
    fail(LFB_ERROR_NO_THREAD);
  const double began = seconds();
  row->run(row);
  row->took[round] = seconds() - began;
  atomic_store_explicit(&pinging, false, memory_order_relaxed);
  (void)pthread_join(thread, NULL);
  if (row->undo != NULL)
    row->undo(row);
  qsort(pings, ping_count, sizeof *pings, compare);
  row->median[round] = pings[ping_count / 2];
  row->p99[round] = pings[ping_count * 99 / 100];
  row->most[round] = pings[ping_count - 1];
}

static double median(double *values, unsigned count)
{
  qsort(values, count, sizeof *values, compare);
  return values[count / 2];
}

static void print(struct row *row, unsigned rounds)
{
  const double took = median(row->took, rounds);

  printf("| %s |", row->label);
  if (row->keys == 0)
    printf(" %.2f s |", took);
  else
    printf(" %.0f,000 |", 1e-3 * row->keys / took);
  printf(" %.2f | %.2f | %.1f |\n", median(row->median, rounds), median(row->p99, rounds),
         median(row->most, rounds));
}

static void run_all(struct row *rows, size_t count, unsigned rounds, const char *work)
{
  for (unsigned round = 0; round < rounds; round++)
    for (size_t i = 0; i < count; i++)
      measure(&rows[i], round);
  printf("\n| | %s | PING, ms: median | 99 %% | longest |\n|---|---|---|---|---|\n", work);
  for (size_t i = 0; i < count; i++)
    print(&rows[i], rounds);
  fflush(stdout);
}

/* ---- filters are created ------------------------------------------------- */

/* Half a GiB: the largest string. */
static void create(lfb_strategy_id strategy, uint64_t part_bytes)
{
  const lfb_config config = {
      .expected_insertions = 447000000, .fpp = 0.01, .strategy = strategy};
  lfb_redis *filter;

  must(lfb_redis_create(&place.options, name, &config, part_bytes, &filter));
  lfb_redis_close(filter);
}

/* The server frees the memory in a thread of its own, which slows it down. */
static void delete (const struct row *row)
{
  (void)row;
  must(lfb_redis_delete(&place.options, name, LFB_FAST));
  (void)usleep(SETTLE_US);
}

static void create_guava(const struct row *row)
{
  (void)row;
  create(LFB_GUAVA_MITZ64, 0);
}

static void create_fast(const struct row *row)
{
  create(LFB_FAST, row->number);
}

/* ---- keys are put -------------------------------------------------------- */

static const unsigned windows[] = {16, 32, 64, 128, 256, 512, 1024};

/* A client that puts. */
struct putter {
  pthread_t thread;
  uint32_t window;
  uint64_t first;
  unsigned batches;
};

static void *put_batches(void *context)
{
  const struct putter *putter = context;
  lfb_redis_options options = place.options;
  uint64_t *keys = malloc(BATCH * sizeof *keys);
  lfb_redis *filter;

  if (keys == NULL)
    fail(LFB_ERROR_NO_MEMORY);
  options.window = putter->window;
  must(lfb_redis_open(&options, name, NULL, &filter));
  for (unsigned batch = 0; batch < putter->batches; batch++) {
    for (unsigned i = 0; i < BATCH; i++)
      keys[i] = lfb_keys_number(putter->first + (uint64_t)batch * BATCH + i);
    must(lfb_redis_put_many_u64(filter, keys, BATCH, NULL, NULL));
  }
  lfb_redis_close(filter);
  free(keys);
  return context;
}

static void put(const struct row *row)
{
  static uint64_t first; /* key that was never put */
  struct putter putters[CLIENTS];
  const unsigned batches = PUTS / BATCH / row->clients;

  for (unsigned i = 0; i < row->clients; i++, first += (uint64_t)batches * BATCH) {
    putters[i] =
        (struct putter){.window = (uint32_t)row->number, .first = first, .batches = batches};
    if (pthread_create(&putters[i].thread, NULL, put_batches, &putters[i]) != 0)
      fail(LFB_ERROR_NO_THREAD);
  }
  for (unsigned i = 0; i < row->clients; i++)
    (void)pthread_join(putters[i].thread, NULL);
}

static void put_nothing(const struct row *row)
{
  (void)row;
  (void)usleep(500000);
}

static void make_filter(void)
{
  const lfb_config config = {
      .expected_insertions = KEYS, .fpp = 0.01, .hash = LFB_HASH_XXH3, .seed = 1};
  lfb_redis *filter;

  must(lfb_redis_create(&place.options, name, &config, 0, &filter));
  lfb_redis_close(filter);
}

static void create_all(unsigned rounds)
{
  static struct row rows[] = {
      {.label = "guava, one string of 512 MiB", .run = create_guava, .undo = delete},
      {.label = "fast, parts of 64 MiB", .number = 64 << 20, .run = create_fast, .undo = delete},
      {.label = "fast, parts of 4 MiB", .run = create_fast, .undo = delete},
  };

  run_all(rows, COUNT(rows), rounds, "created in");
}

static void put_all(unsigned rounds)
{
  static struct row rows[1 + 2 * COUNT(windows)] = {{.label = "no puts", .run = put_nothing}};

  for (size_t i = 0; i < 2 * COUNT(windows); i++) {
    struct row *row = &rows[1 + i];
    row->run = put;
    row->number = windows[i % COUNT(windows)];
    row->clients = i < COUNT(windows) ? 1 : CLIENTS;
    row->keys = PUTS;
    (void)snprintf(row->label, sizeof row->label, "%u client%s, window %u", row->clients,
                   row->clients == 1 ? "" : "s", (unsigned)row->number);
  }
  make_filter();
  run_all(rows, COUNT(rows), rounds, "keys a second");
  delete (rows);
}

int main(int argc, char **argv)
{
  if (!bench_server_begin(&argc, &argv, &place))
    return 2;
  const int wish = argc > 1 && strncmp(argv[1], "--repetitions=", 14) == 0 ? atoi(argv[1] + 14) : ROUNDS;
  const unsigned rounds = wish < 1 ? 1 : wish < MOST_ROUNDS ? (unsigned)wish
                                                            : MOST_ROUNDS;
  ping_link = bench_server_link(&place);
  if (ping_link == NULL)
    return 1;
  create_all(rounds);
  put_all(rounds);
  lfb_link_close(ping_link);
  return 0;
}
