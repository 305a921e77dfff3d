/* figures.c - a filter's figures; the server counts the bits. */
#include "redis/filter/remote.h"
#include "bloom/filter/figures.h"

enum {
  /* Counted before the server serves other clients: a tenth of a millisecond. */
  FIGURES_STEP = 1 << 20,
  FIGURES_AT_ONCE = 4,
};

typedef struct counting_job {
  const lfb_redis *filter;
  uint64_t steps; /* per part */
  uint64_t bits;  /* so far, including marks that are stored after the bits */
} counting_job;

static uint64_t counting_steps(const lfb_plan *plan)
{
  return (plan->part_bytes - 1) / FIGURES_STEP + 1;
}

static uint16_t counting_command(void *context, uint64_t i, lfb_wire *wire)
{
  const counting_job *job = context;
  const lfb_plan *plan = &job->filter->place.plan;
  const lfb_part *part = &job->filter->parts[i / job->steps];
  const uint64_t at = i % job->steps * FIGURES_STEP, begins = plan->first / 8;

  return lfb_ask_write(wire,
                       LFB_ARGS(lfb_text("BITCOUNT"), part->name, LFB_NUMBER(at == 0 ? begins : at),
                                LFB_NUMBER(at + FIGURES_STEP - 1)));
}

static lfb_status counting_reply(void *context, uint64_t i, const redisReply *reply, bool again)
{
  counting_job *job = context;
  const lfb_status status = lfb_reply_expect(reply, REDIS_REPLY_INTEGER);

  (void)i, (void)again;
  if (status == LFB_OK)
    job->bits += (uint64_t)reply->integer;
  return status;
}

/* Bits of marks among the counted bits. */
static uint64_t counting_marks(const lfb_plan *plan)
{
  return plan->mark_at < plan->first ? 0
                                     : plan->parts * (uint64_t)__builtin_popcountll(plan->mark);
}

static lfb_status figures_count(lfb_redis *filter, lfb_link *link, void *context)
{
  const lfb_plan *plan = &filter->place.plan;
  counting_job counting = {filter, counting_steps(plan), 0};
  const lfb_job job = {plan->parts * counting.steps, counting_command, counting_reply, &counting};

  lfb_status status = lfb_ask_in_turns(link, &job, FIGURES_AT_ONCE);
  if (status == LFB_OK)
    status = lfb_remote_check(filter, link); /* a missing part counts as zeros */
  if (status == LFB_ERROR_REDIS_NO_FILTER)
    status = LFB_ERROR_REDIS_PART;
  if (status == LFB_OK)
    *(uint64_t *)context = counting.bits - counting_marks(plan);
  return status;
}

/* A chain grows in time or refuses keys, and a window forgets: none exceeds its p. */
static lfb_status module_stats(lfb_redis *filter, lfb_stats *stats)
{
  uint64_t items = 0;
  const lfb_status status = lfb_remote_with_link(filter, lfb_module_items, &items);

  if (status != LFB_OK)
    return status;
  lfb_stats_plan(&filter->place.description, stats);
  stats->approximate_count = items;
  stats->expected_fpp = items == 0 ? 0 : stats->fpp;
  return LFB_OK;
}

lfb_status lfb_redis_stats(lfb_redis *filter, lfb_stats *stats)
{
  const lfb_description *description = &filter->place.description;
  uint64_t bits = 0;

  if (filter->place.layout->by_key)
    return module_stats(filter, stats);
  const lfb_status status = lfb_remote_with_link(filter, figures_count, &bits);
  if (status == LFB_OK)
    lfb_stats_fill(description,
                   bits < description->geometry.bit_count ? bits : description->geometry.bit_count,
                   0, stats);
  return status;
}

void lfb_redis_plan(const lfb_redis *filter, lfb_stats *stats)
{
  lfb_stats_plan(&filter->place.description, stats);
}
