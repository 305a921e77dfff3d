/* mend.c - sends bits that a server lacks: several in a command, many commands in a job. */
#include "redis/filter/remote.h"

#include <stdlib.h>

enum {
  MEND_BITS = 32,     /* in a command, all in one part: as many as a few keys have */
  MEND_GROUPS = 1024, /* commands in a job                                         */
  MEND_WORDS = 256,   /* compared at a time                                        */
};

typedef struct mend_group {
  uint32_t count;
  uint64_t bits[MEND_BITS];
} mend_group;

typedef struct mending {
  lfb_redis *filter;
  lfb_link *link;
  const lfb_filter *ours, *theirs;
  uint64_t part; /* of the last group */
  uint64_t next; /* lfb_put_first()   */
  size_t count;  /* groups; at least 1 after the first bit */
  mend_group *groups;
} mending;

static const lfb_part *mend_part(const mending *mend, uint64_t bit)
{
  return &mend->filter->parts[bit / mend->filter->place.plan.part_bits];
}

static uint16_t mend_command(void *context, uint64_t i, lfb_wire *wire)
{
  mending *mend = context;
  const mend_group *group = &mend->groups[i];
  const lfb_redis_place *place = &mend->filter->place;
  const lfb_part *part = mend_part(mend, group->bits[0]);
  const lfb_put what = {group->bits, 1, group->count, lfb_put_first(&mend->next, i)};

  place->layout->put(&place->plan, part, &what, wire);
  return part->slot;
}

static lfb_status mend_reply(void *context, uint64_t i, const redisReply *reply, bool again)
{
  const mending *mend = context;
  const lfb_redis_place *place = &mend->filter->place;
  const lfb_put what = {.keys = 1, .count = mend->groups[i].count};
  uint64_t changed;

  (void)again;
  return place->layout->put_answer(&place->plan, &what, reply, &changed);
}

/* Sends the gathered bits. */
static lfb_status mend_flush(mending *mend)
{
  const lfb_job job = {mend->count, mend_command, mend_reply, mend};

  mend->count = 0;
  mend->next = 0;
  return job.count == 0 ? LFB_OK : lfb_link_run(mend->link, &job);
}

/* Adds a bit to the last group, or to a new one. */
static lfb_status mend_bit(mending *mend, uint64_t bit)
{
  const uint64_t part = bit / mend->filter->place.plan.part_bits;
  lfb_status status = LFB_OK;

  if (mend->count == 0 || mend->part != part ||
      mend->groups[mend->count - 1].count == MEND_BITS) {
    if (mend->count == MEND_GROUPS)
      status = mend_flush(mend);
    mend->groups[mend->count++].count = 0;
    mend->part = part;
  }
  mend_group *group = &mend->groups[mend->count - 1];
  group->bits[group->count++] = bit;
  return status;
}

/* Sends the bits of word `i` that are on in `lacks`. */
static lfb_status mend_word(mending *mend, uint64_t i, uint64_t lacks)
{
  lfb_status status = LFB_OK;

  for (; status == LFB_OK && lacks != 0; lacks &= lacks - 1)
    status = mend_bit(mend, i * LFB_WORD_BITS + (uint64_t)__builtin_ctzll(lacks));
  return status;
}

static lfb_status mend_all(lfb_redis *filter, lfb_link *link, void *context)
{
  mending *mend = context;
  uint64_t ours[MEND_WORDS], theirs[MEND_WORDS] = {0}, first = 0;
  lfb_status status = LFB_OK;

  mend->link = link;
  for (size_t count = 1; status == LFB_OK && count > 0; first += count) {
    count = lfb_filter_words(mend->ours, first, ours, MEND_WORDS);
    (void)lfb_filter_words(mend->theirs, first, theirs, count);
    for (size_t i = 0; status == LFB_OK && i < count; i++)
      status = mend_word(mend, first + i, ours[i] & ~theirs[i]);
  }
  if (status == LFB_OK)
    status = mend_flush(mend);
  if (status == LFB_ERROR_REDIS_PART)
    lfb_remote_clear_stumps(filter, link);
  return status;
}

lfb_status lfb_mend(lfb_redis *filter, const lfb_filter *ours, const lfb_filter *theirs)
{
  mending mend = {.filter = filter, .ours = ours, .theirs = theirs};

  mend.groups = malloc(MEND_GROUPS * sizeof *mend.groups);
  if (mend.groups == NULL)
    return LFB_ERROR_NO_MEMORY;
  const lfb_status status = lfb_remote_with_link(filter, true, mend_all, &mend);
  free(mend.groups);
  return status;
}
