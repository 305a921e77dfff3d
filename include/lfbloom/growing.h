/*
 * lfbloom/growing.h - a filter that grows, for an unknown number of keys.
 *
 * It is a list of plain filters, its layers, at most LFB_GROWING_LAYERS.  Each layer is made for
 * twice the keys of the one before, with a lower fpp.  Keys are put into the newest layer; when
 * that is full, another is added.  A key is present if it is present in any layer.
 *
 * Bound      Layer i (from 0) is made for p_i = p * 3 / ((i + 3) * (i + 4)), p being the fpp in
 *            the config.  The first L layers together have p * L / (L + 3), always below p.  (Of a
 *            filter read from the module for Redis some have more, all together below p, too.)
 *    Full    By its strategy's model, a layer reaches p_i at some number of set bits.  It is full
 *            at 1/64 less, because threads may put that many before one of them notices.  So
 *            false positives stay below p for any number of keys, as long as layers can be
 *            added; lfb_growing_stats() says if not.  Double hashing and a hash of 64 bits add to
 *            that in each layer (lfbloom/filter.h, 8).
 * Price      Memory relative to a plain filter for the same number of keys (fast), when the
 *            newest layer is full.  While the newest layer is still empty it is twice as much.
 *
 *              layers     |  1  |  7  |  20
 *              p = 0.01   | 1.3 | 1.8 | 2.3
 *              p = 0.0001 | 1.2 | 1.3 | 1.6
 *
 *            A query of an absent key tests every layer, the largest first.
 *
 * Guarantees
 *
 * 1. Found   As in lfbloom/filter.h: if put(x) or claim(x) returned before might_contain(x)
 *            began, the query returns true.  Layers are only added.  A new layer becomes visible
 *            only when it is complete, together with all older layers.
 * 2. Changed put returns true if and only if it turned on at least one bit.  It returns false if
 *            an older layer has the key, or if all of its bits were on in the newest.  If two
 *            threads put the same new key at once, one or both get true; if a layer is added
 *            between the two puts, both can put the key.
 *    Claimed A claim is decided as in a plain filter, in one table for all layers, and looks at
 *            all of them.  Of all claims of one key at most one returns true, regardless of which
 *            layer each sees as the newest.  Exactly one does, unless the key was a false
 *            positive or was put by put.
 * 3. Progress  Queries are wait-free, in at most LFB_GROWING_LAYERS steps.  put and claim are
 *            lock-free as those of a plain filter, as far as the allocator and the kernel are.
 *            Every thread that finds the newest layer full allocates the next one; one CAS
 *            succeeds, the other threads free theirs and continue.  No thread waits for another.
 * 4. No memory  If the next layer cannot be made, puts continue into the full one: no key is
 *            lost, and the fpp rises.  If memory or space for a file was missing, puts try again:
 *            each time after 1/256 more bits are set, or 1/256 of the unset bits if these are
 *            fewer.  Claims of new keys fail more and more often: lfb_growing_stuck() says so.
 * 5. Count   The figures of lfb_growing_stats() are exact whenever no put or claim is running.
 *
 * Environment
 *
 * Signals    A signal handler may call a query, except on a filter in a file, where a query may
 *            have to map a new layer.  It may not call put or claim: they may allocate a layer.
 * Stack      16 KiB, as in lfbloom/filter.h; 32 KiB for create, and for a put or claim that adds
 *            a layer.  Any put or claim may do so.
 * fork, Threads, and which calls may run at once: as in lfbloom/filter.h.
 * Plain      lfb_any_to_plain() makes a plain filter with all keys, of the size, n and p of the
 *            first layer: the later layers are folded to it (lfb_filter_fold()).  Growing filters
 *            can be merged only so.  expected_fpp of the result is far above p unless the later
 *            layers are almost empty.  It fails (LFB_ERROR_PROBES_DIFFER, _BIT_COUNT_DIFFERS,
 *            _STRATEGY_DIFFERS) if a later layer has another shape: only those of sbbf always fit.
 * Files, copies  lfb_any_save() writes a header, then each layer in the native form
 *            (docs/formats.md).  What is written or copied has the keys put before the call, and
 *            some of those put during it, but none of those in layers that were added during it; it
 *            grows as this one would have.  Limits and damage are those of all layers together.  In
 *            mapped files both can fail with the status `stuck` of lfb_growing_stats().
 */
#ifndef LFBLOOM_GROWING_H
#define LFBLOOM_GROWING_H

#include <lfbloom/filter.h>

LFB_EXTERN_C_BEGIN

/* A concurrent Bloom filter that grows. */
typedef struct lfb_growing lfb_growing;

enum {
  LFB_GROWING_LAYERS = 64,  /* the largest number of layers     */
  LFB_GROWING_LEAST = 1024, /* the fewest keys of the first one */
};

/* A growing filter's figures, of all layers together. */
typedef struct lfb_growing_figures {
  lfb_strategy_id strategy;   /* of all layers                                         */
  uint64_t first_insertions;  /* n of the first layer                                  */
  double fpp;                 /* p of the whole                                        */
  uint32_t layers;            /* 1 to LFB_GROWING_LAYERS                               */
  lfb_hash_id hash;           /* LFB_HASH_DEFAULT: the strategy has no choice          */
  bool key_kept;              /* the key of a keyed hash is written into files         */
  uint64_t seed;              /* of XXH3, or of java-double; others: 0                 */
  uint64_t bit_count;         /* m, in bits                                            */
  uint64_t bytes;             /* of the words that hold the bits                       */
  uint64_t bits_set;          /* exact while no put or claim is running                */
  uint64_t approximate_count; /* distinct keys that were put, estimated; UINT64_MAX if
                                 a layer is saturated                                  */
  double expected_fpp;        /* probability of a false positive now                   */
  lfb_status stuck;           /* LFB_OK, or why no layer follows the newest, which is
                                 full: a status of lfb_filter_create(), or
                                 LFB_ERROR_TOO_MANY_LAYERS.  In mapped files also why a
                                 layer that another process added cannot be mapped     */
  uint64_t written;           /* as in lfb_stats                                       */
  uint64_t reserved[17]; /* 0 (lfbloom/status.h) */
} lfb_growing_figures;

/*
 * Makes an empty growing filter of one layer.
 *
 * Takes  config  as lfb_filter_create(), except for three fields.
 *                expected_insertions: a first guess; below LFB_GROWING_LEAST it counts as that.
 *                0: unknown; the first layer has 64 KiB, for fewer layers later, or with
 *                LFB_MEMORY_SMALLEST room for LFB_GROWING_LEAST keys.
 *                fpp: of the whole filter, permanently; for fast, fast-pair and sbbf at least
 *                1e-12.  lazy_memory: of the first layer; later layers always have it, so that
 *                only threads that put into them wait for their pages.
 * Fails  as lfb_filter_create(), and LFB_ERROR_CANNOT_GROW: go-fnv14 has one size only.
 * Owner  the caller, until lfb_growing_free().
 */
LFB_CHECKED lfb_status lfb_growing_create(const lfb_config *config, lfb_growing **growing);

/* Frees a growing filter that no call is using.  NULL is ignored. */
LFB_API void lfb_growing_free(lfb_growing *growing);

/*
 * Returns LFB_OK if the filter can grow, or why no layer follows the newest, which is full
 * (lfb_growing_figures.stuck).  From then on false positives become more frequent, and claims of
 * new keys fail more often.  A caller that must not lose a key asks after each claim that returned
 * false, or after each batch: it costs a load, and after a failure the sum of the stripes.  errno
 * has the cause of LFB_ERROR_WRITE and _MAP.  Wait-free, but a mapped file's layer may be mapped.
 */
LFB_CHECKED lfb_status lfb_growing_stuck(const lfb_growing *growing);

/* Put, query and claim, as the functions of lfbloom/filter.h with the same names. */
LFB_API bool lfb_growing_put(lfb_growing *growing, const void *bytes, size_t size);
LFB_API bool lfb_growing_might_contain(const lfb_growing *growing, const void *bytes,
                                       size_t size);
LFB_API bool lfb_growing_claim(lfb_growing *growing, const void *bytes, size_t size);
LFB_API bool lfb_growing_put_u64(lfb_growing *growing, uint64_t key);
LFB_API bool lfb_growing_might_contain_u64(const lfb_growing *growing, uint64_t key);
LFB_API bool lfb_growing_claim_u64(lfb_growing *growing, uint64_t key);

/* Writes the figures now.  Wait-free. */
LFB_API void lfb_growing_stats(const lfb_growing *growing, lfb_growing_figures *stats);

LFB_EXTERN_C_END

#endif
