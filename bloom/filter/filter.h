/*
 * filter.h - the filter itself: description, kernel, layout of words, counter and claims; and the
 * functions that make one.
 */
#ifndef LFB_BLOOM_FILTER_H
#define LFB_BLOOM_FILTER_H

#include "atomic/words/pages.h"
#include "bloom/filter/claims.h"
#include "bloom/filter/description.h"

LFB_EXTERN_C_BEGIN

/* The file of a filter that several processes share (bloom/files/mapping.h). */
typedef struct lfb_mapping lfb_mapping;

struct lfb_filter {
  lfb_layout layout;
  const lfb_kernel *kernel;     /* of the strategy, for this processor            */
  const lfb_strategy *strategy;
  lfb_pages pages;      /* the memory of the words                        */
  lfb_mapping *mapping; /* NULL if no file belongs to this filter alone   */
  lfb_claims claims;
  void (*destroy)(lfb_filter *filter); /* frees words, claims and count with the filter */
  bool shared;          /* the words are in a file: their bits are counted on request */
  /* words of checked pieces that were all ones when they were read, as damaged pieces are opened;
   * and those received from such a filter */
  LFB_ATOMIC(uint64_t) full_words;
  lfb_description description;
};

/*
 * Makes a filter over existing words, its count at 0.
 *
 * Takes  pages  of 8 * word_count bytes; on success the filter owns them.
 * Fails  LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_filter_make(const lfb_description *description, const lfb_pages *pages,
                         lfb_filter **filter);

/* Makes an empty filter; `lazy` as config.lazy_memory.  Fails as lfb_pages_init() and
 * lfb_filter_make(). */
lfb_status lfb_filter_make_empty(const lfb_description *description, bool lazy,
                                 lfb_filter **filter);

/* The parts of a filter, and the function that frees them. */
typedef struct lfb_filter_parts {
  lfb_pages pages; /* of 8 * word_count bytes */
  lfb_stripes count;
  lfb_claims claims;
  void (*destroy)(lfb_filter *filter);
  bool shared;
  bool bytes;      /* the words begin at any address and are only read: the strategy has a kernel
                      for bytes; no count, no claims                                              */
  bool big_endian; /* these bytes                                                                 */
} lfb_filter_parts;

/* Makes a filter of these parts, which it owns on success.  Fails: LFB_ERROR_NO_MEMORY. */
lfb_status lfb_filter_make_over(const lfb_description *description, const lfb_filter_parts *parts,
                              lfb_filter **filter);

/* Whether of all puts of a key exactly one turns on bits: a key has one pair, which changes at
 * once. */
static inline bool lfb_filter_puts_claim(const lfb_filter *filter)
{
  return filter->layout.fast.pairs == 1 && lfb_pair_runs_here();
}

/* Counts the bits of words, each as of the time when it is read, and not the stripes. */
uint64_t lfb_filter_recount(const lfb_bit_array *bits);

/* The words that damage made all ones.  Their bits are counted in the filter's count. */
static inline uint64_t lfb_filter_full_words(const lfb_filter *filter)
{
  /* acquire: pairs with the release in filter_put_from(): the words' bits were counted before. */
  return LFB_STD atomic_load_explicit(&filter->full_words, LFB_STD memory_order_acquire);
}

/* The filter as lfb_claims_claim() takes it. */
lfb_claimed lfb_filter_claimed(const lfb_filter *filter);

/* Puts a hash of the strategy's width.  Returns whether it turned on a bit. */
bool lfb_filter_put_hashed(const lfb_filter *filter, lfb_hash hash);

/* Claims a hash of the strategy's width.  Returns whether this claim has won. */
static inline bool lfb_filter_claim_hashed(const lfb_filter *filter, lfb_hash hash)
{
  if (lfb_filter_puts_claim(filter))
    return lfb_filter_put_hashed(filter, hash);
  if (filter->kernel->might_contain(&filter->layout, hash))
    return false;
  const lfb_claimed in = lfb_filter_claimed(filter);
  return lfb_claims_claim(&filter->claims, &in, hash);
}

LFB_EXTERN_C_END

#endif
