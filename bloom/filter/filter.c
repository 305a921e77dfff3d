/* filter.c - the operations of a filter: on one key, on its words, with another filter. */
#include <lfbloom/filter_more.h>

#include "bloom/filter/filter.h"
#include "bloom/hashing/aes128.h"
#include "bloom/hashing/hasher.h"
#include "bloom/filter/description.h"
#include "bloom/filter/digest.h"
#include "bloom/strategies/strategies.h"

/* A put is one hash, and a jump into the kernel. */
LFB_INLINE bool filter_put(const lfb_filter *filter, lfb_hash hash)
{
  return filter->kernel->put(&filter->layout, hash);
}

LFB_INLINE bool filter_might_contain(const lfb_filter *filter, lfb_hash hash)
{
  return filter->kernel->might_contain(&filter->layout, hash);
}

#ifdef LFB_AES_COMPILED
/* A put and a query of a number by the AES hash, with its instructions inlined: one jump from the
 * public function. */
LFB_AES_TARGET static bool filter_put_u64_aes(const lfb_filter *filter, uint64_t key)
{
  return filter_put(filter, (lfb_hash){lfb_aes128_u64(&filter->layout.hasher.aes, key), 0});
}

LFB_AES_TARGET static bool filter_might_contain_u64_aes(const lfb_filter *filter, uint64_t key)
{
  return filter_might_contain(filter,
                              (lfb_hash){lfb_aes128_u64(&filter->layout.hasher.aes, key), 0});
}
#endif

bool lfb_filter_put_hashed(const lfb_filter *filter, lfb_hash hash)
{
  return filter_put(filter, hash);
}

bool lfb_filter_put(lfb_filter *filter, const void *bytes, size_t size)
{
  return filter_put(filter, lfb_hasher_bytes(&filter->layout.hasher, bytes, size));
}

bool lfb_filter_might_contain(const lfb_filter *filter, const void *bytes, size_t size)
{
  return filter_might_contain(filter, lfb_hasher_bytes(&filter->layout.hasher, bytes, size));
}

bool lfb_filter_put_u64(lfb_filter *filter, uint64_t key)
{
#ifdef LFB_AES_COMPILED
  if (filter->layout.hasher.inlined == LFB_INLINED_AES)
    return filter_put_u64_aes(filter, key);
#endif
  return filter_put(filter, lfb_hasher_u64(&filter->layout.hasher, key));
}

bool lfb_filter_might_contain_u64(const lfb_filter *filter, uint64_t key)
{
#ifdef LFB_AES_COMPILED
  if (filter->layout.hasher.inlined == LFB_INLINED_AES)
    return filter_might_contain_u64_aes(filter, key);
#endif
  return filter_might_contain(filter, lfb_hasher_u64(&filter->layout.hasher, key));
}

bool lfb_filter_put_hash(lfb_filter *filter, uint64_t hash)
{
  return filter_put(filter, lfb_hasher_from_64(&filter->layout.hasher, hash));
}

bool lfb_filter_might_contain_hash(const lfb_filter *filter, uint64_t hash)
{
  return filter_might_contain(filter, lfb_hasher_from_64(&filter->layout.hasher, hash));
}

bool lfb_filter_put_object(lfb_filter *filter, lfb_funnel funnel, const void *object)
{
  return filter_put(filter, lfb_sink_hash(&filter->layout.hasher, funnel, object));
}

bool lfb_filter_might_contain_object(const lfb_filter *filter, lfb_funnel funnel,
                                     const void *object)
{
  return filter_might_contain(filter, lfb_sink_hash(&filter->layout.hasher, funnel, object));
}

static bool filter_claimed_has(const void *of, lfb_hash hash)
{
  return filter_might_contain(of, hash);
}

static void filter_claimed_put(const void *of, lfb_hash hash)
{
  (void)filter_put(of, hash);
}

lfb_claimed lfb_filter_claimed(const lfb_filter *filter)
{
  return (lfb_claimed){filter, filter_claimed_has, filter_claimed_put};
}

bool lfb_filter_claim(lfb_filter *filter, const void *bytes, size_t size)
{
  return lfb_filter_claim_hashed(filter, lfb_hasher_bytes(&filter->layout.hasher, bytes, size));
}

bool lfb_filter_claim_u64(lfb_filter *filter, uint64_t key)
{
  return lfb_filter_claim_hashed(filter, lfb_hasher_u64(&filter->layout.hasher, key));
}

bool lfb_filter_claim_hash(lfb_filter *filter, uint64_t hash)
{
  return lfb_filter_claim_hashed(filter, lfb_hasher_from_64(&filter->layout.hasher, hash));
}

bool lfb_filter_claim_object(lfb_filter *filter, lfb_funnel funnel, const void *object)
{
  return lfb_filter_claim_hashed(filter, lfb_sink_hash(&filter->layout.hasher, funnel, object));
}

/*
 * Puts the keys of a filter of the same size, or of one that folds to it.
 *
 * If damage filled words of `from`, it fills words here, too.  Each is counted once: by the call
 * that turned on its last bits, and not if it was full.  In `from` keys can fill words as well, if
 * they are too many; so it is never more words than damage filled there.
 */
static void filter_put_from(lfb_filter *into, const lfb_filter *from, bool alone)
{
  const uint64_t filled =
      lfb_bit_array_put_from(&into->layout.bits, &from->layout.bits,
                             lfb_description_run(&into->description), alone);
  const uint64_t full = lfb_filter_full_words(from);

  /* release: pairs with the acquire in lfb_filter_full_words(). */
  if (full > 0)
    (void)lfb_add_u64(&into->full_words, filled < full ? filled : full, memory_order_release);
}

lfb_status lfb_filter_put_all(lfb_filter *into, const lfb_filter *from)
{
  const lfb_status status =
      into == from ? LFB_ERROR_SAME_FILTER
                   : lfb_description_compatible(&into->description, &from->description, true);

  if (status == LFB_OK)
    filter_put_from(into, from, false);
  return status;
}

size_t lfb_filter_words(const lfb_filter *filter, uint64_t first, uint64_t *words, size_t count)
{
  const lfb_bit_array *bits = &filter->layout.bits;
  const uint64_t left = first < bits->word_count ? bits->word_count - first : 0;
  const size_t copied = left < count ? (size_t)left : count;

  lfb_bit_array_snapshot(bits, first, words, copied);
  return copied;
}

lfb_status lfb_filter_fold(const lfb_filter *filter, uint64_t factor, lfb_filter **folded)
{
  const lfb_bit_array *bits = &filter->layout.bits;
  lfb_description description;
  lfb_filter *made;

  lfb_status status = lfb_description_fold(&filter->description, factor, &description);
  if (status == LFB_OK)
    status = lfb_filter_make_empty(&description, true, &made); /* what is written gets its page */
  if (status != LFB_OK)
    return status;
  const bool plain = factor == 1 && bits->words != NULL && !filter->description.config.lazy_memory;
  const uint64_t set =
      plain ? lfb_digest_copy(made->layout.bits.words, bits->words, (size_t)bits->word_count) : 0;
  /* Asked after the copy: meanwhile a put_all may have brought words that damage filled. */
  if (plain && lfb_filter_full_words(filter) == 0)
    lfb_bit_array_add(&made->layout.bits, set);
  else
    filter_put_from(made, filter, true);
  *folded = made;
  return LFB_OK;
}

lfb_status lfb_filter_copy(const lfb_filter *filter, lfb_filter **copy)
{
  return lfb_filter_fold(filter, 1, copy);
}

lfb_status lfb_config_take_hash(lfb_config *config, const lfb_filter *filter)
{
  const lfb_hash_identity *hash = &filter->description.hash;

  if (config->strategy == LFB_DEFAULT)
    config->strategy = filter->strategy->id;
  if (lfb_strategy_file_id(config->strategy) != filter->strategy->file_id)
    return LFB_ERROR_STRATEGY_DIFFERS;
  config->hash = lfb_hash_id_of(hash);
  config->seed = hash->seed;
  lfb_hash_key(hash, config->key);
  config->keep_key = lfb_description_writes_key(&filter->description);
  return LFB_OK;
}
