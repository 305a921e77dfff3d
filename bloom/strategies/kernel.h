/*
 * kernel.h - the hot side of a strategy: what is done to a filter's words for one key and for many.
 *
 * A kernel is compiled for one way to find a key's bits and one set of instructions; a filter calls it through a
 * table of functions, once an operation.  The kernels of `fast`, of `fast-pair` and of the classic
 * strategies are each one template, *.inc.h, which a file includes once for each kernel that it
 * makes, having named the functions.
 *
 * Ordering, Progress, Stopped  as atomic/words/bits.h says: a kernel only turns bits on, one word
 * (fast-pair: two) at a time, and holds nothing in between.
 */
#ifndef LFB_BLOOM_KERNEL_H
#define LFB_BLOOM_KERNEL_H

#include <lfbloom/fast_view.h>

#include "atomic/threads/stripes.h"
#include "atomic/words/bits.h"
#include "bloom/hashing/hasher.h"
#include "bloom/strategies/modulus.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the bits of a filter are, how a key finds its own, and where they are counted.
 * Its first line is all that a query of `fast` reads, beside the words. */
typedef struct lfb_layout {
  lfb_fast fast;     /* only where a key's bits lie in one block */
  lfb_hasher hasher; /* of keys                                  */
  lfb_bits bits;
  lfb_modulus modulus; /* of bit_count */
  uint32_t probes;
  lfb_stripes count; /* of bits set */
} lfb_layout;

enum {
  /* Lines under way in the loops over many hashes (lines.inc.h): at 256 MiB 16, 32, 64, 128 give
   * 7.5, 5.5, 3.7, 2.7 ns a line, more gives nothing. */
  LFB_LINES_AHEAD = 128,
};

typedef struct lfb_kernel {
  /* Turns on the bits of one hash: how many this call turned on, which the caller counts. */
  uint32_t (*put)(const lfb_layout *layout, lfb_hash hash);

  /* Whether all bits of one hash are on. */
  bool (*might_contain)(const lfb_layout *layout, lfb_hash hash);

  /*
   * Both take `count` hashes, whose halves stand in two arrays (`high` may be NULL
   * where the hash has none).  Answer i goes to bit i % 64 of answers[i / 64];
   * the bits beyond the last answer become 0.  put_many returns how many bits it
   * turned on, and leaves the counting to the caller.
   */
  uint64_t (*put_many)(const lfb_layout *layout, const uint64_t *low, const uint64_t *high,
                       size_t count, uint64_t *answers);
  void (*might_contain_many)(const lfb_layout *layout, const uint64_t *low,
                             const uint64_t *high, size_t count, uint64_t *answers);

  /*
   * Both work on words that nobody else touches now, where a key's bits lie in one block;
   * else they are NULL.  put_many_alone puts by plain stores, and does not say how many bits it
   * turned on.  credit_many turns a key's bits off: answer i says whether one of them
   * was still on.
   */
  void (*put_many_alone)(const lfb_layout *layout, const uint64_t *hashes, size_t count,
                         uint64_t *answers);
  void (*credit_many)(const lfb_layout *layout, const uint64_t *hashes, size_t count,
                      uint64_t *answers);

  /* The hashes, of 64 bits, of `count` 64-bit keys; NULL: one by one, lfb_hasher_u64(). */
  void (*hash_u64_many)(const lfb_hasher *hasher, const uint64_t *keys, size_t count,
                        uint64_t *hashes);
} lfb_kernel;

/*
 * Counts bits that have been turned on.  The caller has turned them on before: that order, and the
 * release in the stripe, keep the count from exceeding the truth.
 */
static inline void lfb_layout_count(const lfb_layout *layout, uint64_t turned_on)
{
  if (turned_on > 0)
    lfb_stripes_add(&layout->count, turned_on);
}

#ifdef __cplusplus
}
#endif

#endif
