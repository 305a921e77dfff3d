/*
 * batch.h - big batches: many keys for each line of the filter, gathered privately and
 * merged into the shared words, one CAS for each word that gains bits.
 *
 * A put of a new key cannot go below one locked operation for each of its words unless
 * several keys share them.  So hashes are partitioned by regions of the filter that a
 * cache holds (partition.h); a full region's words are copied into a scratch, its keys
 * put there by plain stores, and what they turned on is then turned on in the filter.
 *
 * Answers    Putting into the scratch has counted the new keys as they would be if no
 *            other thread touched the region meanwhile: if the merge turned on every
 *            bit that the scratch gained, that count stands.  If not, each bit that
 *            it did turn on is credited to the first key of the region that has it,
 *            and a key is new if it was credited one.  Exact, both ways.
 * Found      A key may be found before lfb_batch_end() has returned; after that, it is.
 * Progress   Lock-free: between the filter's words, which are set as lfbloom/word.h
 *            says, the thread works on memory of its own.
 * Stopped    A thread that stops for ever leaves out what it had not merged, and keeps
 *            its scratch: others take or make another.
 * Memory     config.batch_memory at most, for each thread that is in such a call, kept
 *            for the next one (LFB_BATCH_SPARES of them) until the filter is freed.
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
 * Begins a batch of `count` keys; NULL where putting them one by one is at least as
 * fast, or there is no memory: that way then.
 */
lfb_batch *lfb_batch_begin(lfb_filter *filter, size_t count);

/* Puts some of them, by hash; how many keys, these or earlier ones, were found new. */
size_t lfb_batch_put(lfb_batch *batch, lfb_filter *filter, const uint64_t *hashes, size_t count);

/* Merges what is left; as lfb_batch_put(). */
size_t lfb_batch_end(lfb_batch *batch, lfb_filter *filter);

/* Frees the memory that earlier batches have left behind. */
void lfb_batch_free_spares(lfb_filter *filter);

#ifdef __cplusplus
}
#endif

#endif
