/*
 * batch.h - big batches: many keys for each line of the filter are gathered privately and
 * merged into the shared words, with one CAS for each pair of words that gains bits.
 *
 * A put of a new key needs one locked operation for each of its words (fast-pair: for both), unless
 * several keys share a word.  So the hashes are partitioned by regions of the filter that fit into
 * a cache (partition.h).  When a region has gathered enough, the thread copies its words into a
 * scratch and puts its keys there by plain stores.  Then it turns on in the filter the bits of the
 * scratch.
 *
 * Answers    A key of the batch is new if it has a bit that the merge turned on, and no earlier key
 *            of the region has that bit.  LFB_KERNEL_CREDIT finds these keys.  If the merge
 *            turned on as many bits as the scratch gained, it turned on the same bits.  Then the
 *            puts into the scratch have counted these keys, and nothing is credited.
 * At once    The merge changes a pair of words by one exchange.  It turns on the bits of the keys
 *            there that were off at that time.  So the keys of fast-pair with that pair get the
 *            answers of puts one after the other at the time of the exchange.  If another thread's
 *            put has made a key present before, all its bits were on, and none is credited to it.
 *            So of all puts of a key, in batches or not, exactly one turns on bits (unless bits of
 *            other keys make the key present).  Without pairs the merge goes word by word, which
 *            `fast` allows.
 * Found      A key may be present before lfb_batch_end() has returned; after that, it is.
 * Progress   Lock-free: the thread sets the filter's words as lfbloom/word.h states, and works
 *            on private memory otherwise.
 * Stopped    If a thread never runs again, the keys that it has not merged are absent, and its
 *            scratch stays in use.  Other threads use or make another.
 * Memory     At most config.batch_memory for each thread in such a call.  It is kept for the
 *            next call (LFB_BATCH_SPARES of them) until the filter is freed.
 */
#ifndef LFB_BLOOM_BATCH_H
#define LFB_BLOOM_BATCH_H

#include "atomic/words/pages.h"
#include "bloom/filter/filter.h"
#include "bloom/filter/partition.h"

LFB_EXTERN_C_BEGIN

struct lfb_batch {
  lfb_partition partition;
  lfb_pages scratch; /* a copy of a region's words                   */
  bool by_pairs;     /* merges two words at once: lfb_pair_runs_here() */
};

/*
 * Begins a batch of `count` keys.  Returns NULL if single puts are at least as fast, or if there
 * is no memory: the caller then puts the keys one by one.
 */
lfb_batch *lfb_batch_begin(lfb_filter *filter, size_t count);

/* Puts some of the keys, by hash.  Returns how many keys, these or earlier ones, were found new. */
size_t lfb_batch_put(lfb_batch *batch, lfb_filter *filter, const uint64_t *hashes, size_t count);

/* Merges what is left.  Returns as lfb_batch_put(). */
size_t lfb_batch_end(lfb_batch *batch, lfb_filter *filter);

/* Frees the memory that was kept from earlier batches. */
void lfb_batch_free_spares(lfb_filter *filter);

LFB_EXTERN_C_END

#endif
