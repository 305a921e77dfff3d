/*
 * counting.h - a counting filter: a description, words of counters, the number of counters
 * above 0, and a kernel for the keys of its strategy.
 */
#ifndef LFB_BLOOM_COUNTING_H
#define LFB_BLOOM_COUNTING_H

#include <lfbloom/any.h>

#include "atomic/threads/counters.h"
#include "bloom/filter/filter.h"
#include "bloom/filter/pieces.h"

LFB_EXTERN_C_BEGIN

/* Words of counters per word of bits. */
enum { LFB_COUNTING_WORDS = LFB_WORD_BITS / LFB_COUNTERS_A_WORD };

/*
 * The operations on one key and on many, for a filter's strategy.  `remove`: removes, else puts;
 * both share their code, which is large and far cheaper than their locked operations.  Answer i
 * goes to bit i % 64 of answers[i / 64]; bits after the last answer become 0.
 */
typedef struct lfb_counting_kernel {
  bool (*might_contain)(const lfb_counting *counting, lfb_hash hash);
  bool (*change)(const lfb_counting *counting, lfb_hash hash, bool remove);
  void (*might_contain_many)(const lfb_counting *counting, lfb_piece hashes, uint64_t *answers);
  void (*change_many)(const lfb_counting *counting, lfb_piece hashes, uint64_t *answers,
                      bool remove);
} lfb_counting_kernel;

struct lfb_counting {
  lfb_layout layout; /* maps a key to bits; layout.fast has the words of counters */
  const lfb_counting_kernel *kernel;
  lfb_hashing hashing; /* of many keys                                     */
  lfb_pages pages;     /* the words of counters                            */
  lfb_stripes on, off; /* how often counters left 0, and came back to 0    */
  lfb_stripes stuck;   /* counters that reached 15                         */
  lfb_description description;
};

/* The kernels for any strategy, and for `fast`. */
extern const lfb_counting_kernel lfb_counting_kernel_any;
extern const lfb_counting_kernel lfb_counting_kernel_fast;

/* Bytes of the counters for the bits of this geometry. */
static inline uint64_t lfb_counting_bytes(const lfb_geometry *geometry)
{
  return LFB_COUNTING_WORDS * geometry->word_count * sizeof(lfb_word);
}

/*
 * Makes a counting filter over existing counters.  Its counts start at 0.
 *
 * Takes  pages  of lfb_counting_bytes(); on success the filter owns them.
 * Fails  LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_counting_make(const lfb_description *description, const lfb_pages *pages,
                             lfb_counting **counting);

/* As lfb_any_many(), not for claims; `kind` is that of the keys. */
size_t lfb_counting_many(lfb_any any, lfb_verb verb, const void *keys, size_t count,
                         uint64_t *answers, lfb_key_kind kind);

/* As lfb_any_copy() and lfb_any_to_plain(). */
lfb_status lfb_counting_copy(lfb_any any, lfb_any *copy);
lfb_status lfb_counting_to_plain(lfb_any any, lfb_filter **plain);

/* Adds all its counters to its counts. */
void lfb_counting_count_all(const lfb_counting *counting);

/* How many counters are above 0; never more than there are counters. */
uint64_t lfb_counting_bits_set(const lfb_counting *counting);

/* The words of its counters, pages.size bytes.  They stay the same until the filter is freed. */
static inline lfb_word *lfb_counting_words(const lfb_counting *counting)
{
  return (lfb_word *)counting->pages.address;
}

LFB_INLINE void lfb_counting_count_in(const lfb_stripes *stripes, uint64_t amount)
{
  if (amount > 0)
    (void)lfb_stripes_add(stripes, amount);
}

/* Adds a tally to the counts. */
LFB_INLINE void lfb_counting_count(const lfb_counting *counting,
                                   const lfb_counters_tally *tally)
{
  lfb_counting_count_in(&counting->on, tally->on);
  lfb_counting_count_in(&counting->off, tally->off);
  lfb_counting_count_in(&counting->stuck, tally->stuck);
}

LFB_EXTERN_C_END

#endif
