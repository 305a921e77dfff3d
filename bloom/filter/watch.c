/* watch.c - limits, reported answers and figures; the contract is in lfbloom/watch.h. */
#include <lfbloom/watch.h>
#include <lfbloom/word.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "atomic/threads/stripes.h"
#include "atomic/words/reserved.h"

struct lfb_watch {
  lfb_watch_stats_fn stats;
  const void *watched;
  lfb_watch_config config;
  unsigned limits;  /* the set of configured limits */
  lfb_word crossed; /* the set of crossed limits    */
  lfb_stripes maybe, no, false_positives;
  char name[LFB_LABEL_SIZE + 1];
};

static bool watch_is_limit(double limit)
{
  return limit >= 0 && limit <= 1; /* not NaN */
}

static lfb_status watch_check(const lfb_watch_config *config, const char *name)
{
  if (LFB_RESERVED(config) != LFB_OK)
    return LFB_ERROR_RESERVED;
  if (!watch_is_limit(config->fill) || !watch_is_limit(config->expected_fpp))
    return LFB_ERROR_BAD_LIMIT;
  return lfb_label_check(name);
}

static unsigned watch_limits(bool fill, bool expected_fpp)
{
  return (fill ? LFB_WATCH_FILL : 0U) | (expected_fpp ? LFB_WATCH_EXPECTED_FPP : 0U);
}

static lfb_status watch_set_up(lfb_watch *watch)
{
  lfb_status status = lfb_stripes_init(&watch->maybe);
  if (status == LFB_OK)
    status = lfb_stripes_init(&watch->no);
  if (status == LFB_OK)
    status = lfb_stripes_init(&watch->false_positives);
  return status;
}

lfb_status lfb_watch_create_over(lfb_watch_stats_fn stats, const void *watched,
                                 const lfb_watch_config *config, lfb_watch **watch)
{
  const char *name = config->name == NULL ? "" : config->name;

  lfb_status status = watch_check(config, name);
  if (status != LFB_OK)
    return status;
  lfb_watch *made = calloc(1, sizeof *made);
  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  made->stats = stats;
  made->watched = watched;
  made->config = *config;
  made->limits = watch_limits(config->fill > 0, config->expected_fpp > 0);
  atomic_init(&made->crossed, 0);
  memcpy(made->name, name, strlen(name) + 1); /* it fits: checked above */
  made->config.name = made->name;
  status = watch_set_up(made);
  if (status != LFB_OK) {
    lfb_watch_free(made);
    return status;
  }
  *watch = made;
  return LFB_OK;
}

static void watch_filter_stats(const void *filter, lfb_stats *stats)
{
  lfb_filter_stats_recent(filter, stats);
}

lfb_status lfb_watch_create(const lfb_filter *filter, const lfb_watch_config *config,
                            lfb_watch **watch)
{
  lfb_watch_config named = *config;

  if (named.name == NULL)
    named.name = lfb_filter_label(filter);
  return lfb_watch_create_over(watch_filter_stats, filter, &named, watch);
}

void lfb_watch_free(lfb_watch *watch)
{
  if (watch == NULL)
    return;
  lfb_stripes_free(&watch->maybe);
  lfb_stripes_free(&watch->no);
  lfb_stripes_free(&watch->false_positives);
  free(watch);
}

static double watch_fill(const lfb_stats *stats)
{
  return (double)stats->bits_set / (double)stats->reachable_bits;
}

/* The set of limits that these figures have reached. */
static unsigned watch_above(const lfb_watch *watch, const lfb_stats *stats)
{
  return watch->limits & watch_limits(watch_fill(stats) >= watch->config.fill,
                                      stats->expected_fpp >= watch->config.expected_fpp);
}

static void watch_tell(const lfb_watch *watch, uint64_t limits, const lfb_stats *stats)
{
  if (watch->config.crossed == NULL)
    return;
  for (; limits != 0; limits &= limits - 1)
    watch->config.crossed(watch->config.context, (lfb_watch_limit)(limits & -limits), stats);
}

unsigned lfb_watch_poll(lfb_watch *watch)
{
  const unsigned crossed = lfb_watch_crossed(watch);
  lfb_stats stats = {0}; /* a caller's function may know fewer fields */

  if ((watch->limits & ~crossed) == 0)
    return crossed;
  watch->stats(watch->watched, &stats);
  const unsigned above = watch_above(watch, &stats);
  /* Of all threads that turn on one bit, exactly one gets it in `mine`, and reports it. */
  const uint64_t mine = lfb_word_set(&watch->crossed, above);
  watch_tell(watch, mine, &stats);
  return crossed | above;
}

unsigned lfb_watch_crossed(const lfb_watch *watch)
{
  return (unsigned)lfb_word_get(&watch->crossed);
}

void lfb_watch_rearm(lfb_watch *watch, unsigned limits)
{
  /* relaxed: the set is the whole message. */
  (void)atomic_fetch_and_explicit(&watch->crossed, ~(uint64_t)limits, memory_order_relaxed);
}

void lfb_watch_report_answers(lfb_watch *watch, uint64_t maybe, uint64_t no)
{
  lfb_stripes_add(&watch->maybe, maybe);
  lfb_stripes_add(&watch->no, no);
}

void lfb_watch_report_false_positive(lfb_watch *watch)
{
  lfb_stripes_add(&watch->false_positives, 1);
}

/* part / whole; NaN if both are 0. */
static double watch_share(uint64_t part, uint64_t whole)
{
  return whole == 0 ? (double)NAN : (double)part / (double)whole;
}

void lfb_watch_stats(const lfb_watch *watch, lfb_watch_figures *figures)
{
  lfb_watch_figures look = {
      .name = watch->name, .limits = watch->limits, .crossed = lfb_watch_crossed(watch)};

  watch->stats(watch->watched, &look.stats);
  look.fill = watch_fill(&look.stats);
  /* In this order, and both acquire: if a false positive is counted, so is its "maybe". */
  look.false_positives = lfb_stripes_sum(&watch->false_positives);
  look.maybe = lfb_stripes_sum(&watch->maybe);
  look.no = lfb_stripes_sum(&watch->no);
  look.observed_fpp = watch_share(look.false_positives, look.false_positives + look.no);
  look.wrong_maybes = watch_share(look.false_positives, look.maybe);
  *figures = look;
}
