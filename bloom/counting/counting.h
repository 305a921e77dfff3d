/*
 * counting.h - a counting filter: a description, words of counters or of tags, how many are above
 * 0, and a kernel for the keys of its strategy.
 */
#ifndef LFB_BLOOM_COUNTING_H
#define LFB_BLOOM_COUNTING_H

#include <lfbloom/any.h>

#include "atomic/threads/counters.h"
#include "bloom/counting/tags.h"
#include "bloom/filter/filter.h"
#include "bloom/filter/pieces.h"

LFB_EXTERN_C_BEGIN

/* Words of counters per word of bits. */
enum { LFB_COUNTING_WORDS = LFB_WORD_BITS / LFB_COUNTERS_A_WORD };

/*
 * The operations on one key and on many, for a filter's strategy.  `remove`: removes, else puts.
 * Answer i goes to bit i % 64 of answers[i / 64]; bits after the last answer become 0.  If the last
 * two are NULL, the others are called for each key.
 */
typedef struct lfb_counting_kernel {
  bool (*might_contain)(const lfb_counting *counting, lfb_hash hash);
  bool (*change)(const lfb_counting *counting, lfb_hash hash, bool remove);
  void (*might_contain_many)(const lfb_counting *counting, lfb_piece hashes, uint64_t *answers);
  void (*change_many)(const lfb_counting *counting, lfb_piece hashes, uint64_t *answers,
                      bool remove);
} lfb_counting_kernel;

struct lfb_counting {
  lfb_tags tags; /* of strategy `tags`; else only its words                  */
  const lfb_counting_kernel *kernel;
  lfb_stripes on, off; /* how often counters left 0, and came back to 0; tags stored and taken */
  lfb_stripes lost;    /* counters that reached 15; puts that found no free slot */
  lfb_layout layout;   /* maps a key to bits; not of `tags`                */
  lfb_hashing hashing; /* of many keys                                     */
  lfb_pages pages;     /* the words                                        */
  lfb_description description;
};

/* The kernel for any strategy but `tags`; that of `tags` with T = `bits`, for this processor. */
extern const lfb_counting_kernel lfb_counting_kernel_any;
const lfb_counting_kernel *lfb_tags_kernel(uint32_t bits);

/* Whether it has tags, not counters. */
static inline bool lfb_counting_has_tags(const lfb_description *description)
{
  return description->strategy->id == LFB_TAGS;
}

/* The words of counters or tags. */
static inline uint64_t lfb_counting_word_count(const lfb_description *description)
{
  return (lfb_counting_has_tags(description) ? 1 : (uint64_t)LFB_COUNTING_WORDS) *
         description->geometry.word_count;
}

/*
 * Makes a counting filter over existing words.  Its counts start at 0.
 *
 * Takes  pages  of lfb_counting_word_count(); on success the filter owns them.
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

/* Adds all its counters or tags to its counts. */
void lfb_counting_count_all(const lfb_counting *counting);

/* How many counters are above 0, or bits are in slots with tags; at most geometry.bit_count. */
uint64_t lfb_counting_bits_set(const lfb_counting *counting);

/* lfb_counting_put_all() of `tags`, of filters that fit, and how many tags a word has. */
lfb_status lfb_tags_put_all(const lfb_counting *into, const lfb_counting *from);
uint32_t lfb_tags_of_word(uint64_t word, uint32_t bits);

/* Its words, pages.size bytes.  They stay the same until the filter is freed. */
static inline lfb_word *lfb_counting_words(const lfb_counting *counting)
{
  return counting->tags.words;
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
  lfb_counting_count_in(&counting->lost, tally->stuck);
}

LFB_EXTERN_C_END

#endif
