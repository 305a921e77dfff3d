/*
 * counting.c - the counting filter: creating and freeing it, its figures, its calls.
 * lfbloom/counting.h argues the algorithm.
 *
 * Strategy `tags` has a table of tags (tags.h).  With any other strategy counter i stands for bit i
 * of the plain filter.  A word holds 16 counters, so those of one word of bits are four words.
 */
#include <assert.h>
#include <lfbloom/counting.h>
#include <stdlib.h>
#include <string.h>

#include "bloom/counting/counting.h"
#include "bloom/hashing/hasher.h"
#include "bloom/filter/description.h"
#include "bloom/strategies/strategies.h"
#include "bloom/strategies/tags_size.h"
#include "bloom/filter/figures.h"

void lfb_counting_free(lfb_counting *counting)
{
  if (counting == NULL)
    return;
  lfb_stripes_free(&counting->on);
  lfb_stripes_free(&counting->off);
  lfb_stripes_free(&counting->lost);
  if (counting->pages.address != NULL)
    lfb_pages_free(&counting->pages);
  free(counting);
}

lfb_status lfb_counting_make(const lfb_description *description, const lfb_pages *pages,
                             lfb_counting **counting)
{
  const lfb_stripes none = {0};

  lfb_counting *made = aligned_alloc(LFB_CACHE_LINE, sizeof *made);
  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  *made = (lfb_counting){
      .layout = lfb_layout_of(description, NULL, none),
      .kernel = &lfb_counting_kernel_any,
      .hashing = {&made->layout.hasher, description->strategy},
      .description = *description,
  };
  lfb_status status = lfb_stripes_init(&made->on);
  if (status == LFB_OK)
    status = lfb_stripes_init(&made->off);
  if (status == LFB_OK)
    status = lfb_stripes_init(&made->lost);
  if (status != LFB_OK) {
    lfb_counting_free(made);
    return status;
  }
  made->pages = *pages;
  made->tags = (lfb_tags){pages->address, lfb_tags_half(&description->geometry)};
  if (lfb_counting_has_tags(description))
    made->kernel = lfb_tags_kernel(description->geometry.probes);
  *counting = made;
  return LFB_OK;
}

/* Makes an empty counting filter. */
static lfb_status counting_create(const lfb_description *description, lfb_counting **counting)
{
  lfb_pages pages;

  lfb_status status =
      lfb_pages_init(&pages, lfb_counting_word_count(description) * sizeof(lfb_word),
                     !description->config.lazy_memory);
  if (status != LFB_OK)
    return status;
  status = lfb_counting_make(description, &pages, counting);
  if (status != LFB_OK)
    lfb_pages_free(&pages);
  return status;
}

lfb_status lfb_counting_create(const lfb_config *config, lfb_counting **counting)
{
  lfb_config chosen = *config;
  lfb_description description;

  if (chosen.strategy == LFB_DEFAULT)
    chosen.strategy = LFB_TAGS;
  if (chosen.bytes > 0 && chosen.strategy != LFB_TAGS) /* it would be that of bits, not counters */
    return LFB_ERROR_BAD_BYTES;
  const lfb_status status = lfb_description_make_any(&chosen, &description);
  return status == LFB_OK ? counting_create(&description, counting) : status;
}

/* Adds the counters of `from` to those of `into`, which has the same geometry. */
static void counting_add_all(const lfb_counting *into, const lfb_counting *from)
{
  const uint64_t words = into->pages.size / sizeof(lfb_word);
  lfb_counters_tally tally = {0, 0, 0};

  for (uint64_t i = 0; i < words; i++)
    lfb_counters_raised(&tally, lfb_counters_add(&lfb_counting_words(into)[i],
                                                 lfb_word_get(&lfb_counting_words(from)[i])));
  lfb_counting_count(into, &tally);
}

lfb_status lfb_counting_put_all(lfb_counting *into, const lfb_counting *from)
{
  const lfb_description *description = &into->description;
  const lfb_status status =
      into == from ? LFB_ERROR_SAME_FILTER
                   : lfb_description_compatible(description, &from->description, false);

  if (status != LFB_OK)
    return status;
  if (lfb_counting_has_tags(description)) {
    const uint64_t bits_set = lfb_counting_bits_set(into) + lfb_counting_bits_set(from);
    const uint64_t most = lfb_tags_planned(&description->geometry, description->config.copies);
    return bits_set > most * description->geometry.probes ? LFB_ERROR_FULL
                                                          : lfb_tags_put_all(into, from);
  }
  counting_add_all(into, from);
  return LFB_OK;
}

lfb_status lfb_counting_copy(lfb_any any, lfb_any *copy)
{
  const lfb_counting *counting = any.counting;
  const uint64_t words = counting->pages.size / sizeof(lfb_word);
  lfb_counting *made;

  const lfb_status status = counting_create(&counting->description, &made);

  if (status != LFB_OK)
    return status;
  for (uint64_t i = 0; i < words; i++) /* of tags, in this order: tags.h */
    lfb_word_store_alone(&made->tags.words[i], lfb_word_get_ordered(&counting->tags.words[i]));
  lfb_counting_count_all(made);
  copy->counting = made;
  return LFB_OK;
}

void lfb_counting_count_all(const lfb_counting *counting)
{
  const uint64_t words = counting->pages.size / sizeof(lfb_word);
  const bool tags = lfb_counting_has_tags(&counting->description);
  lfb_counters_tally tally = {0, 0, 0};

  for (uint64_t i = 0; i < words; i++) {
    const lfb_counters_step step = {0, lfb_word_get(&lfb_counting_words(counting)[i])};
    if (tags)
      tally.on += lfb_tags_of_word(step.after, counting->description.geometry.probes);
    else
      lfb_counters_raised(&tally, step);
  }
  lfb_counting_count(counting, &tally);
}

uint64_t lfb_counting_bits_set(const lfb_counting *counting)
{
  const lfb_geometry *geometry = &counting->description.geometry;
  const bool tags = lfb_counting_has_tags(&counting->description);
  const uint64_t most = tags ? geometry->probes * lfb_tags_slots(geometry) : geometry->bit_count;
  /* Once no call is running, both sums include each counter that left 0 and came back. */
  const uint64_t off = lfb_stripes_sum(&counting->off);
  const uint64_t on = lfb_stripes_sum(&counting->on);
  const uint64_t set = on > off ? (on - off) * (tags ? geometry->probes : 1) : 0;

  /* Other threads may have put and removed any number of keys between the two sums. */
  return set < most ? set : most;
}

void lfb_counting_stats(const lfb_counting *counting, lfb_stats *stats)
{
  const lfb_description *description = &counting->description;
  const lfb_strategy *strategy = description->strategy;
  const uint64_t lost = lfb_stripes_sum(&counting->lost);
  const uint64_t bits_set = lfb_counting_bits_set(counting);

  if (lfb_counting_has_tags(description)) {
    lfb_stats_plan(description, stats);
    stats->bits_set = bits_set;
    stats->copies = stats->approximate_count = bits_set / stats->probes;
    stats->expected_fpp = strategy->rates->fpp_now(strategy, &description->geometry, bits_set);
    stats->puts_refused = lost;
  } else {
    lfb_stats_fill(description, bits_set, 0, stats);
    stats->counters_stuck = lost;
  }
  stats->bytes = counting->pages.size;
}

/* One word of bits, from its counters. */
static uint64_t counting_bits(const lfb_word *counters)
{
  uint64_t bits = 0;

  for (uint32_t i = 0; i < LFB_COUNTING_WORDS; i++)
    bits |= lfb_counters_gather(lfb_counters_above_0(lfb_word_get(&counters[i])))
            << (LFB_COUNTERS_A_WORD * i);
  return bits;
}

static void counting_fill(const lfb_counting *counting, const lfb_filter *filter)
{
  const lfb_bit_array *bits = &filter->layout.bits;
  uint64_t set = 0;

  for (uint64_t i = 0; i < bits->word_count; i++) {
    const uint64_t word = counting_bits(lfb_counting_words(counting) + LFB_COUNTING_WORDS * i);
    lfb_word_store_alone(&bits->words[i], word);
    set += lfb_word_count(word);
  }
  lfb_bit_array_add(&filter->layout.bits, set);
}

lfb_status lfb_counting_to_plain(lfb_any any, lfb_filter **plain)
{
  const lfb_description *description = &any.counting->description;
  lfb_filter *made;

  if (lfb_counting_has_tags(description))
    return LFB_ERROR_TAGS;
  const lfb_status status =
      lfb_filter_make_empty(description, description->config.lazy_memory, &made);
  if (status != LFB_OK)
    return status;
  counting_fill(any.counting, made);
  *plain = made;
  return LFB_OK;
}

LFB_INLINE bool counting_act(const lfb_counting *counting, lfb_verb verb, lfb_hash hash)
{
  return verb == LFB_MIGHT_CONTAIN ? counting->kernel->might_contain(counting, hash)
                                   : counting->kernel->change(counting, hash, verb == LFB_REMOVE);
}

static void counting_one_by_one(const lfb_counting *counting, lfb_verb verb, lfb_piece hashes,
                                uint64_t *answers)
{
  memset(answers, 0, (hashes.count + LFB_WORD_BITS - 1) / LFB_WORD_BITS * sizeof *answers);
  for (size_t i = 0; i < hashes.count; i++) {
    const lfb_hash hash = {hashes.low[i], hashes.high == NULL ? 0 : hashes.high[i]};
    answers[i / LFB_WORD_BITS] |= (uint64_t)counting_act(counting, verb, hash) << i % LFB_WORD_BITS;
  }
}

/* The context of an operation on a piece. */
typedef struct counting_many {
  const lfb_counting *counting;
  lfb_verb verb;
  uint64_t *answers; /* NULL: not wanted */
} counting_many;

static size_t counting_many_act(const void *context, const uint64_t *low, const uint64_t *high,
                                size_t first, size_t count)
{
  const counting_many *m = context;
  const lfb_counting_kernel *kernel = m->counting->kernel;
  const lfb_piece hashes = {low, high, count};
  uint64_t buffer[LFB_PIECE_ROOM / LFB_WORD_BITS];
  uint64_t *into = m->answers == NULL ? buffer : m->answers + first / LFB_WORD_BITS;

  assert(count <= LFB_PIECE_ROOM); /* the keys are never hashes */
  if (kernel->change_many == NULL)
    counting_one_by_one(m->counting, m->verb, hashes, into);
  else if (m->verb == LFB_MIGHT_CONTAIN)
    kernel->might_contain_many(m->counting, hashes, into);
  else
    kernel->change_many(m->counting, hashes, into, m->verb == LFB_REMOVE);
  return lfb_piece_yes(into, count);
}

size_t lfb_counting_many(lfb_any any, lfb_verb verb, const void *keys, size_t count,
                         uint64_t *answers, lfb_key_kind kind)
{
  const counting_many m = {any.counting, verb, answers};
  return lfb_pieces(&any.counting->hashing, keys, count, kind, counting_many_act, &m);
}

bool lfb_counting_put(lfb_counting *counting, const void *bytes, size_t size)
{
  return counting_act(counting, LFB_PUT,
                      lfb_hasher_bytes(&counting->layout.hasher, bytes, size));
}

bool lfb_counting_put_u64(lfb_counting *counting, uint64_t key)
{
  return counting_act(counting, LFB_PUT, lfb_hasher_u64(&counting->layout.hasher, key));
}

bool lfb_counting_might_contain(const lfb_counting *counting, const void *bytes, size_t size)
{
  return counting_act(counting, LFB_MIGHT_CONTAIN,
                      lfb_hasher_bytes(&counting->layout.hasher, bytes, size));
}

bool lfb_counting_might_contain_u64(const lfb_counting *counting, uint64_t key)
{
  return counting_act(counting, LFB_MIGHT_CONTAIN,
                      lfb_hasher_u64(&counting->layout.hasher, key));
}

bool lfb_counting_remove(lfb_counting *counting, const void *bytes, size_t size)
{
  return counting_act(counting, LFB_REMOVE,
                      lfb_hasher_bytes(&counting->layout.hasher, bytes, size));
}

bool lfb_counting_remove_u64(lfb_counting *counting, uint64_t key)
{
  return counting_act(counting, LFB_REMOVE, lfb_hasher_u64(&counting->layout.hasher, key));
}
