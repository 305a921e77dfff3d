/*
 * client.c - how many keys a second this library's client puts on a server, and queries.
 *
 *     client ADDRESS [KEYS [WINDOW]]        (bench/redis/module.sh runs it)
 *
 * ADDRESS is one of `lfbloom`: with layout=module the filter is a key of the module, else strings.
 * The filter is made for 50,000,000 keys at 1 % (61 MiB), and deleted at the end.  KEYS (200,000)
 * are put by one thread, 10,000 in a call.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <lfbloom/redis.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/keys.h"

enum { EXPECTED = 50000000, BATCH = 10000 };

static double seconds(void)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void must(lfb_status status)
{
  if (status == LFB_OK)
    return;
  (void)fprintf(stderr, "client: %s %s\n", lfb_status_text(status), lfb_redis_last_error(status));
  exit(EXIT_FAILURE);
}

/* Puts all keys, or queries them; returns how many a second. */
static double rate_of(lfb_redis *filter, uint64_t count, bool put)
{
  static uint64_t keys[BATCH], answers[(BATCH + 63) / 64];
  const double began = seconds();
  size_t yes = 0;

  for (uint64_t first = 0; first < count; first += BATCH) {
    size_t some = 0;
    for (unsigned i = 0; i < BATCH; i++)
      keys[i] = lfb_keys_number(first + i);
    must(lfb_redis_many(filter, put ? LFB_PUT : LFB_MIGHT_CONTAIN, keys, BATCH, answers, &some,
                        LFB_U64_KEY));
    yes += some;
  }
  if ((double)yes < 0.98 * (double)count) {
    (void)fprintf(stderr, "client: wrong answers\n");
    exit(EXIT_FAILURE);
  }
  return (double)count / (seconds() - began);
}

int main(int argc, char **argv)
{
  const lfb_config config = {.expected_insertions = EXPECTED, .fpp = 0.01};
  const uint64_t wish = argc > 2 ? strtoull(argv[2], NULL, 10) : 200000;
  const uint64_t count = (wish + BATCH - 1) / BATCH * BATCH;
  lfb_redis_address at;
  lfb_redis *filter;

  if (argc < 2 || count == 0) {
    (void)fputs("usage: client ADDRESS [KEYS [WINDOW]]\n", stderr);
    return 2;
  }
  must(lfb_redis_parse_url(argv[1], &at));
  at.options.window = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
  must(lfb_redis_create(&at.options, at.name, &config, 0, &filter));
  const double put = rate_of(filter, count, true), query = rate_of(filter, count, false);
  (void)printf("%.0f %.0f\n", put, query);
  lfb_redis_close(filter);
  must(lfb_redis_delete(&at.options, at.name, LFB_FAST));
  return 0;
}
