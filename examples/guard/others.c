/*
 * others.c - see others.h.
 */
#define _POSIX_C_SOURCE 200809L
#include "examples/guard/others.h"

#include <inttypes.h>
#include <lfbloom/redis_source.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "examples/guard/address.h"
#include "examples/guard/report.h"

enum {
  OTHERS_TIMEOUT_MS = 2000,     /* for a connection, and for an answer                   */
  OTHERS_MOST_RETRY = 5,        /* seconds between two attempts after failures, at most  */
  OTHERS_MOST_CHANGES = 100000, /* ids put one by one; for more, the filter is loaded    */
};

struct others {
  lfb_redis_address address;
  struct others_config config;
  lfb_versions *versions; /* the first is empty */
  lfb_redis_source *source;
  lfb_follow *follow;
  bool failing; /* used by the follower only */
  _Atomic(uint64_t) news;
  _Atomic(uint64_t) failures; /* relaxed: a figure on which nothing depends */
};

static void others_fail(struct others *others, lfb_status status)
{
  atomic_fetch_add_explicit(&others->failures, 1, memory_order_relaxed);
  if (!others->failing)
    report("follow: %s: %s, continuing with the current ids", others->address.name,
           lfb_status_text(status));
  others->failing = true;
}

/* The follower calls this with the result of each poll. */
static void others_hear(void *self, lfb_followed what, lfb_status status)
{
  struct others *others = self;

  if (what == LFB_FOLLOWED_FAILED) {
    others_fail(others, status);
    return;
  }
  if (others->failing)
    report("follow: %s: up to date again", others->address.name);
  others->failing = false;
  if (what == LFB_FOLLOWED_NOTHING)
    return;
  others->config.changed(others->config.to);
  /* release: pairs with the acquire in others_print().  A thread that sees the figure rise sees
   * the change. */
  atomic_fetch_add_explicit(&others->news, 1, memory_order_release);
}

static lfb_status others_make_follow(struct others *others)
{
  const lfb_follow_config config = {.most_changes = OTHERS_MOST_CHANGES,
                                    .most_retry_seconds = OTHERS_MOST_RETRY,
                                    .report = others_hear,
                                    .report_to = others,
                                    /* Without Redis each key is "maybe", and the guard serves. */
                                    .start_at_once = true};
  const lfb_source functions = lfb_redis_source_functions(others->source);

  return lfb_follow_create(others->versions, &functions, &config, &others->follow);
}

static lfb_status others_make(struct others *others)
{
  lfb_redis_options *options = &others->address.options;

  lfb_status status = address_read(others->config.url, &others->address);
  if (status != LFB_OK)
    return status;
  options->connect_ms = options->timeout_ms = OTHERS_TIMEOUT_MS;
  options->retries = UINT32_MAX; /* none: the follower polls again */
  status = lfb_versions_create_waiting(&others->versions);
  if (status == LFB_OK)
    status = lfb_redis_source_create(options, others->address.name, NULL, &others->source);
  return status == LFB_OK ? others_make_follow(others) : status;
}

/* Loads the published version, if Redis can be reached, then follows on a thread. */
static lfb_status others_begin(struct others *others)
{
  lfb_ignore(lfb_follow_poll(others->follow, (uint64_t)time(NULL), NULL)); /* reports to others_hear() */
  const lfb_status status = lfb_follow_start(others->follow);
  return status == LFB_OK ? lfb_redis_source_listen(others->source, others->follow) : status;
}

struct others *others_create(const struct others_config *config)
{
  struct others *others = calloc(1, sizeof *others);
  lfb_status status = LFB_ERROR_NO_MEMORY;

  if (others != NULL) {
    others->config = *config;
    status = others_make(others);
  }
  if (status == LFB_OK)
    status = others_begin(others);
  if (status == LFB_OK)
    return others;
  report("follow: %s", lfb_status_text(status));
  others_free(others);
  return NULL;
}

void others_free(struct others *others)
{
  if (others == NULL)
    return;
  if (others->source != NULL)
    lfb_redis_source_silence(others->source);
  lfb_follow_free(others->follow);
  lfb_redis_source_free(others->source);
  lfb_versions_free(others->versions);
  free(others);
}

bool others_have(struct others *others, int64_t id)
{
  return lfb_versions_might_contain_u64(others->versions, (uint64_t)id);
}

void others_print(struct others *others, FILE *to)
{
  fprintf(to,
          "# HELP guard_follow_news_total Versions, or lists of changes, received from Redis.\n"
          "# TYPE guard_follow_news_total counter\n"
          "guard_follow_news_total %" PRIu64 "\n"
          "# HELP guard_follow_failures_total Polls of Redis that failed.\n"
          "# TYPE guard_follow_failures_total counter\n"
          "guard_follow_failures_total %" PRIu64 "\n",
          /* acquire: pairs with the release in others_hear(). */
          atomic_load_explicit(&others->news, memory_order_acquire),
          atomic_load_explicit(&others->failures, memory_order_relaxed));
}
