/* figures.c - derives a filter's figures from its description and the number of bits set. */
#include "bloom/filter/figures.h"

#include <math.h>

#include "bloom/strategies/tags_size.h"

void lfb_stats_plan(const lfb_description *description, lfb_stats *stats)
{
  const lfb_geometry *geometry = &description->geometry;
  const uint64_t reach = description->strategy->reachable_bits;

  *stats = (lfb_stats){
      .strategy = description->strategy->id,
      .form = description->form,
      .expected_insertions = description->config.expected_insertions,
      .fpp = description->config.fpp,
      .bit_count = geometry->bit_count,
      .reachable_bits = geometry->bit_count < reach ? geometry->bit_count : reach,
      .probes = geometry->probes,
      .words_per_key = geometry->words_per_key,
      .hash = lfb_hash_id_of(&description->hash),
      .key_kept = lfb_description_writes_key(description),
      .seed = description->hash.seed,
      .bytes = geometry->word_count * sizeof(lfb_word),
      .written = description->written,
      .key_type = description->config.key_type,
  };
  if (description->strategy->id == LFB_TAGS)
    stats->slots = lfb_tags_slots(geometry);
}

/*
 * Writes the figures of a filter in which damage, not keys, made `full_words` words all ones.  An
 * absent key with its bits in these words is a false positive.  All other keys have their bits in
 * the remaining words, and the bits of these words give their fill.  The remaining words have a
 * proportional share of the keys that were put.
 */
static void stats_of_damaged(const lfb_description *description, uint64_t full_words,
                             lfb_stats *stats)
{
  const lfb_strategy *strategy = description->strategy;
  lfb_geometry rest = description->geometry;
  const double full = (double)full_words / (double)rest.word_count;
  const uint64_t bits_set = stats->bits_set - full_words * LFB_WORD_BITS;

  rest.word_count -= full_words;
  rest.bit_count -= full_words * LFB_WORD_BITS;
  /* round() rounds halves up; floor(x + 0.5) is wrong just below 0.5. */
  stats->approximate_count =
      (uint64_t)round(strategy->rates->count(strategy, &rest, bits_set) / (1 - full));
  stats->expected_fpp = full + (1 - full) * lfb_strategy_fpp_now(strategy, &rest, bits_set);
}

void lfb_stats_fill(const lfb_description *description, uint64_t bits_set, uint64_t full_words,
                    lfb_stats *stats)
{
  /* If a key's bits can be anywhere, keys have bits in the full words, too: the fill of the whole
   * is what counts. */
  const uint64_t apart = description->geometry.words_per_key > 0 ? full_words : 0;
  /* Puts in progress may have turned on bits of full words and not counted them yet. */
  const uint64_t least = apart * LFB_WORD_BITS;

  lfb_stats_plan(description, stats);
  stats->bits_set = bits_set > least ? bits_set : least;
  stats->saturated = stats->bits_set >= stats->reachable_bits;
  if (stats->saturated) {
    stats->approximate_count = UINT64_MAX;
    stats->expected_fpp = lfb_strategy_fpp_now(description->strategy, &description->geometry,
                                               stats->bits_set);
  } else {
    stats_of_damaged(description, apart, stats);
  }
}
