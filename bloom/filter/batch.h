/*
 * batch.h - big batches: many keys for each line of the filter are gathered privately and
 * merged into the shared words, with one CAS for each word that gains bits.
 *
 * A put of a new key needs one locked operation for each of its words, unless several keys share
 * a word.  So the hashes are partitioned by regions of the filter that fit into a cache
 * (partition.h).  When a region has gathered enough, the thread copies its words into a scratch and
 * puts its keys there by plain stores.  Then it turns on in the filter the bits that the scratch
 * gained.
 *
 * Answers    The puts into the scratch count the new keys as if no other thread changed the
 *            region.  If the merge turned on every bit that the scratch gained, that count is
 *            correct.  If not, each bit that the merge did turn on is credited to the first key
 *            of the region that has it.  A key is new if a bit was credited to it.  The count is
 *            exact in both cases.
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
#include "bloom/filter/create.h"
#include "bloom/filter/partition.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lfb_batch {
  lfb_partition partition;
  lfb_pages scratch; /* two copies of a region's words */
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

#ifdef __cplusplus
}
#endif

#endif
