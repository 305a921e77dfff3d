/*
 * counting.h - what a counting filter is: a description, words of counters, how many of
 * these are above 0, and a kernel for its strategy's keys.
 */
#ifndef LFB_BLOOM_COUNTING_H
#define LFB_BLOOM_COUNTING_H

#include <lfbloom/counting.h>

#include "atomic/threads/counters.h"
#include "bloom/filter/create.h"
#include "bloom/filter/pieces.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LFB_COUNTING_WORDS = LFB_WORD_BITS / LFB_COUNTERS_A_WORD }; /* of counters a word of bits */

/* What is done to a key. */
typedef enum lfb_counting_verb {
  LFB_COUNTING_PUT,
  LFB_COUNTING_MIGHT_CONTAIN,
  LFB_COUNTING_REMOVE,
  LFB_COUNTING_VERBS,
} lfb_counting_verb;

/* What is done to keys, as a filter's strategy would have it done. */
typedef struct lfb_counting_kernel {
  bool (*one[LFB_COUNTING_VERBS])(const lfb_counting *counting, lfb_hash hash);

  /* For `count` hashes, as put_many in kernel.h: their halves in two arrays, `high` NULL
   * where the hash has none; answer i to bit i % 64 of answers[i / 64]. */
  void (*many[LFB_COUNTING_VERBS])(const lfb_counting *counting, const uint64_t *low,
                                   const uint64_t *high, size_t count, uint64_t *answers);
} lfb_counting_kernel;

struct lfb_counting {
  lfb_layout layout; /* which bits a key would have; layout.fast is over the counters */
  const lfb_counting_kernel *kernel;
  lfb_hashing hashing; /* of many keys */
  lfb_pages pages;     /* that hold the words of counters              */
  lfb_stripes on, off; /* counters that left 0, and that came back to it */
  lfb_stripes stuck;   /* counters that reached 15                       */
  lfb_description description;
};

/* For any strategy, and for `fast`. */
extern const lfb_counting_kernel lfb_counting_kernel_any;
extern const lfb_counting_kernel lfb_counting_kernel_fast;

/* Bytes of the counters that stand for the bits of this geometry. */
static inline uint64_t lfb_counting_bytes(const lfb_geometry *geometry)
{
  return LFB_COUNTING_WORDS * geometry->word_count * sizeof(lfb_word);
}

/*
 * Makes one over counters that are there already, its counts at 0.
 *
 * Takes  pages  of lfb_counting_bytes(); on success it owns them.
 * Fails  LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_counting_make(const lfb_description *description, const lfb_pages *pages,
                             lfb_counting **counting);

/* Counts the counters that are there. */
void lfb_counting_count_all(const lfb_counting *counting);

/* How many counters are above 0: at most as many as there are. */
uint64_t lfb_counting_bits_set(const lfb_counting *counting);

/* The words of its counters, pages.size bytes: the same until it is freed. */
static inline lfb_word *lfb_counting_words(const lfb_counting *counting)
{
  return (lfb_word *)counting->pages.address;
}

LFB_INLINE void lfb_counting_count_in(const lfb_stripes *stripes, uint64_t amount)
{
  if (amount > 0)
    (void)lfb_stripes_add(stripes, amount);
}

/* Adds to the counts what has been done. */
LFB_INLINE void lfb_counting_count(const lfb_counting *counting,
                                   const lfb_counters_tally *tally)
{
  lfb_counting_count_in(&counting->on, tally->on);
  lfb_counting_count_in(&counting->off, tally->off);
  lfb_counting_count_in(&counting->stuck, tally->stuck);
}

#ifdef __cplusplus
}
#endif

#endif
