/*
 * kernel.h - the hot side of a strategy: the operations on a filter's words, for one key and for
 * many.
 *
 * A kernel is compiled for one way to find a key's bits and one set of instructions.  A filter
 * calls it through a table of functions, once per operation.  The kernels of `fast` and
 * `fast-pair`, and those of the classic strategies, each have one template, *.inc.h.  A source file
 * defines names for the functions and includes the template, once for each kernel.
 *
 * Ordering, Progress, Stopped  as atomic/bit_array.h states: a kernel only turns bits on, one word
 * (fast-pair: two) at a time, and holds nothing in between.
 */
#ifndef LFB_BLOOM_KERNEL_H
#define LFB_BLOOM_KERNEL_H

#include "atomic/bit_array.h"
#include "bloom/hashing/hasher.h"
#include "bloom/strategies/fast_view.h"
#include "bloom/strategies/modulus.h"

/* The bits of a filter, with their count, and how a key's bits are found.  A query of `fast` or
 * `fast-pair` reads the first cache line of the layout and the words, nothing else. */
typedef struct lfb_layout {
  lfb_fast fast; /* only for strategies `fast` and `fast-pair` */
  lfb_bit_array bits;
  lfb_modulus modulus; /* of bit_count */
  uint32_t probes;
  uint32_t cached; /* how many times the words fit into the second-level cache */
  lfb_hasher hasher; /* of keys     */
} lfb_layout;

enum {
  /* Lines prefetched ahead in the loops over many hashes (lines.inc.h): at 256 MiB, 16, 32, 64,
   * 128 give 7.5, 5.5, 3.7, 2.7 ns per line; more gives nothing. */
  LFB_LINES_AHEAD = 128,
  /* Queries prefetch nothing if the words fit so many times into the second-level cache.  Puts
   * always do: the line may be in the cache of another core (docs/performance.md). */
  LFB_LINES_NEAR = 4,
};

/* What a kernel does with many hashes. */
typedef enum lfb_kernel_verb {
  LFB_KERNEL_MIGHT_CONTAIN,
  LFB_KERNEL_PUT,
} lfb_kernel_verb;

typedef struct lfb_kernel {
  /* Turns on the bits of one hash, and counts them.  Returns whether it turned on one. */
  bool (*put)(const lfb_layout *layout, lfb_hash hash);

  /* The same; returns how many it turned on, and the caller counts them. */
  uint32_t (*turn_on)(const lfb_layout *layout, lfb_hash hash);

  /* Whether all bits of one hash are on. */
  bool (*might_contain)(const lfb_layout *layout, lfb_hash hash);

  /*
   * Takes `count` hashes, as two arrays of halves (`high` may be NULL if the hash has one
   * half).  Answer i is bit i % 64 of answers[i / 64]; the bits beyond the last answer become
   * 0.  LFB_KERNEL_PUT returns how many bits it turned on, which the caller counts; what
   * LFB_KERNEL_MIGHT_CONTAIN returns has no meaning.
   */
  uint64_t (*many)(const lfb_layout *layout, lfb_kernel_verb verb, const uint64_t *low,
                   const uint64_t *high, size_t count, uint64_t *answers);
} lfb_kernel;

#endif
