/*
 * core.h - what a filter is: a strategy, a layout of words, a counter.
 */
#ifndef LFB_BLOOM_CORE_H
#define LFB_BLOOM_CORE_H

#include <lfbloom/filter.h>

#include "atomic/words/kin.h"
#include "atomic/words/pages.h"
#include "bloom/filter/claims.h"
#include "bloom/strategies/strategy.h"

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
  uint64_t written;  /* then, in seconds since 1970; 0: unknown  */
  char label[LFB_LABEL_SIZE + 1]; /* ends in NUL, and only NUL from there on */
  uint64_t full_words; /* of checked pieces that were all ones when they were read, as damage
                          is opened; 0 where a key's bits lie anywhere             */
} lfb_description;

/* The memory of one big batch (batch.h). */
typedef struct lfb_batch lfb_batch;

/* The file of a filter that processes share (bloom/shared/mapping.h). */
typedef struct lfb_mapping lfb_mapping;

/* The last count of the words of a shared filter: at what time of the monotonic clock, 0 for
 * never, and how long it took; both in ns. */
typedef struct lfb_counted {
  LFB_ATOMIC(uint64_t) bits_set, at, took;
} lfb_counted;

enum { LFB_BATCH_SPARES = 16 };

struct lfb_filter {
  lfb_layout layout;
  const lfb_kernel *kernel;     /* of its strategy, for this processor            */
  const lfb_strategy *strategy;
  lfb_pages pages;      /* that hold the words                            */
  lfb_mapping *mapping; /* NULL where no file belongs to this filter alone */
  lfb_claims claims;
  void (*leave)(lfb_filter *filter); /* ends its words, claims and count, when it is freed */
  bool shared;          /* the words are in a file: their bits are counted when asked for */
  lfb_counted counted;  /* of a shared filter                             */
  lfb_description description;
  LFB_ATOMIC(lfb_batch *) spares[LFB_BATCH_SPARES]; /* NULL where there is none */
};

/* The description of a new filter.  Fails as lfb_filter_create(), memory apart. */
LFB_KIN lfb_status lfb_core_describe(const lfb_config *config, lfb_description *description);

/* Random bytes, at most 256, of the system's.  Fails: LFB_ERROR_NO_RANDOM. */
LFB_KIN lfb_status lfb_core_random(void *bytes, size_t size);

/*
 * Makes a filter over words that are there already, its count at 0.
 *
 * Takes  pages  of 8 * word_count bytes; on success the filter owns them.
 * Fails  LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_core_make(const lfb_description *description, const lfb_pages *pages,
                         lfb_filter **filter);

/* Makes an empty filter; with `lazy`, as config.lazy_memory has it.  Fails as
 * lfb_pages_init() and lfb_core_make(). */
lfb_status lfb_core_create(const lfb_description *description, bool lazy, lfb_filter **filter);

/* What a filter is made over, by the function that ends it. */
typedef struct lfb_core_parts {
  lfb_pages pages; /* of 8 * word_count bytes */
  lfb_stripes count;
  lfb_claims claims;
  void (*leave)(lfb_filter *filter);
  bool shared;
} lfb_core_parts;

/* Makes a filter over parts, which it owns on success.  Fails: LFB_ERROR_NO_MEMORY. */
lfb_status lfb_core_make_over(const lfb_description *description, const lfb_core_parts *parts,
                              lfb_filter **filter);

/* The bits that are set: those that were counted, or of a shared filter those of its words. */
uint64_t lfb_core_bits_set(const lfb_filter *filter);

/* The same as counted lately: a shared filter is counted again once the last count is older
 * than 100 times what it took.  `*age` receives how old the count is, in seconds. */
uint64_t lfb_core_bits_recent(const lfb_filter *filter, double *age);

/* Whether two hashers give the same hashes. */
bool lfb_core_same_hash(const lfb_hasher *a, const lfb_hasher *b);

/* Where the bits of a described filter are; `words` and `filter` may be NULL where nobody
 * looks for them. */
LFB_KIN lfb_layout lfb_core_layout(const lfb_description *description, lfb_word *words,
                                   lfb_stripes count, const lfb_filter *filter);

/* Whether its files hold the key of its hash, but those of forms without room for one. */
bool lfb_core_writes_key(const lfb_description *description);

/* The figures of such a filter while it is empty, and with so many bits set. */
LFB_KIN void lfb_core_plan(const lfb_description *description, lfb_stats *stats);
LFB_KIN void lfb_core_stats(const lfb_description *description, uint64_t bits_set,
                            lfb_stats *stats);

/* The choice of hash that a hasher is. */
LFB_KIN lfb_hash_id lfb_core_hash_id(const lfb_hasher *hasher);

/* A filter, as its claims see it. */
lfb_claimed lfb_core_claimed(const lfb_filter *filter);

/* Whether the one can be put into the other, not being the same: LFB_OK, or why not. */
lfb_status lfb_core_compatible(const lfb_description *into, const lfb_description *from);

/* Whether a hash may have been put. */
static inline bool lfb_core_might_contain(const lfb_filter *filter, lfb_hash hash)
{
  return filter->kernel->might_contain(&filter->layout, hash);
}

/* Puts a hash; whether it turned on a bit. */
static inline bool lfb_core_put(const lfb_filter *filter, lfb_hash hash)
{
  return lfb_layout_counted(&filter->layout, filter->kernel->put(&filter->layout, hash));
}

/* The same out of line, for a library that sees no more of this one. */
LFB_KIN bool lfb_core_put_wide(const lfb_filter *filter, lfb_hash hash);

/* Claims a hash; whether the caller is the one who has it. */
static inline bool lfb_core_claim(const lfb_filter *filter, lfb_hash hash)
{
  if (filter->strategy->puts_claim)
    return lfb_core_put(filter, hash);
  if (lfb_core_might_contain(filter, hash))
    return false;
  const lfb_claimed in = lfb_core_claimed(filter);
  return lfb_claims_claim(&filter->claims, &in, hash);
}

#ifdef __cplusplus
}
#endif

#endif
