/*
 * core.h - what a filter is: a strategy, a layout of words, a counter.
 *
 * Floor 12.  May include: floors 0 to 11.
 */
#ifndef LFB_BLOOM_CORE_H
#define LFB_BLOOM_CORE_H

#include <lfbloom/filter.h>

#include "atomic/pages.h"
#include "atomic/stripes.h"
#include "bloom/strategy.h"

#ifdef LFB_PLANT_COUNT_EARLY
#include <sched.h>
enum { LFB_PLANTED_COUNT_EARLY = 1 };
#else
enum { LFB_PLANTED_COUNT_EARLY = 0 };
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a filter is, apart from its bits. */
typedef struct lfb_description {
  const lfb_strategy *strategy;
  lfb_geometry geometry;
  lfb_hasher hasher;
  lfb_config config; /* as given; fpp 0 where a form did not say */
  lfb_form form;     /* that it was read from                    */
} lfb_description;

/* The first line holds all that a query reads, beside the words themselves. */
struct lfb_filter {
  lfb_layout layout;
  const lfb_strategy *strategy;
  lfb_hasher hasher;
  lfb_stripes count; /* of bits set */
  lfb_pages pages;   /* that hold the words */
  lfb_description description;
};

/* The description of a new filter.  Fails as lfb_filter_create(), memory apart. */
lfb_status lfb_core_describe(const lfb_config *config, lfb_description *description);

/*
 * Makes a filter over words that are there already, its count at 0.
 *
 * Takes  pages  of 8 * word_count bytes; on success the filter owns them.
 * Fails  LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_core_make(const lfb_description *description, const lfb_pages *pages,
                         lfb_filter **filter);

/* The choice of hash that a hasher is. */
lfb_hash_id lfb_core_hash_id(const lfb_hasher *hasher);

/* Whether `from` can be put into `into`: LFB_OK, or why not. */
lfb_status lfb_core_compatible(const lfb_filter *into, const lfb_filter *from);

/*
 * Counts bits that have been turned on.  Only ever called after they have: that
 * order, and the release in the stripe, keep the count from exceeding the truth.
 */
static inline void lfb_core_count(const lfb_filter *filter, uint64_t turned_on)
{
  if (turned_on > 0)
    lfb_stripes_add(&filter->count, turned_on);
}

/* Counts the bits that a put has turned on; whether there are any. */
static inline bool lfb_core_counted(const lfb_filter *filter, uint32_t turned_on)
{
  lfb_core_count(filter, turned_on);
  return turned_on > 0;
}

/* Puts a hash; whether it turned on a bit. */
static inline bool lfb_core_put(const lfb_filter *filter, lfb_hash hash)
{
#ifdef LFB_PLANT_COUNT_EARLY
  if (!filter->strategy->might_contain(&filter->layout, hash)) {
    lfb_stripes_add(&filter->count, 1);
    sched_yield();
    const uint32_t on = filter->strategy->put(&filter->layout, hash);
    lfb_stripes_add(&filter->count, (uint64_t)on - 1);
    return on > 0;
  }
#endif
  return lfb_core_counted(filter, filter->strategy->put(&filter->layout, hash));
}

static inline bool lfb_core_might_contain(const lfb_filter *filter, lfb_hash hash)
{
  return filter->strategy->might_contain(&filter->layout, hash);
}

#ifdef __cplusplus
}
#endif

#endif
