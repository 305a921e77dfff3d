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

static lfb_status module_stats(lfb_redis *filter, lfb_figures *figures)
{
  lfb_module_info info;
  const lfb_recipe *recipe = &info.dumped.recipe;
  const lfb_status status = lfb_remote_with_link(filter, false, lfb_module_ask_info, &info);

  if (status != LFB_OK)
    return status;
  const bool window = recipe->kind == LFB_VALUE_WINDOW, grows = recipe->expansion > 0;
  lfb_stats *all = &figures->all;
  *figures = (lfb_figures){.kind = window  ? LFB_KIND_WINDOW
                                   : grows ? LFB_KIND_GROWING
                                           : LFB_KIND_PLAIN,
                           .growing.layers = grows ? info.dumped.layers : 0,
                           .window.generations = recipe->generations,
                           .window.span = (double)(recipe->period_ms * recipe->generations) / 1e3};
  lfb_stats_plan(&filter->place.description, all);
  all->approximate_count = info.dumped.items;
  all->expected_fpp = info.error;
  all->bytes = info.memory;
  if (window)
    all->strategy = LFB_DEFAULT;
  if (window || grows) {
    all->bit_count = all->reachable_bits = 8 * info.memory;
    all->probes = all->words_per_key = 0;
  }
  return LFB_OK;
}

lfb_status lfb_redis_stats(lfb_redis *filter, lfb_figures *figures)
{
  const lfb_description *description = &filter->place.description;
  const uint64_t all = description->geometry.bit_count;
  uint64_t bits = 0;

  if (filter->place.layout->by_key)
    return module_stats(filter, figures);
  const lfb_status status = lfb_remote_with_link(filter, false, figures_count, &bits);
  if (status != LFB_OK)
    return status;
  *figures = (lfb_figures){.kind = LFB_KIND_PLAIN};
  lfb_stats_fill(description, bits < all ? bits : all, 0, &figures->all);
  return LFB_OK;
}

void lfb_redis_plan(const lfb_redis *filter, lfb_stats *stats)
{
  lfb_stats_plan(&filter->place.description, stats);
}
