/* tags_size.c - chooses the bits of a tag and the size of a table of strategy `tags`; its row. */
#include "bloom/strategies/tags_size.h"

#include <math.h>

#include "bloom/strategies/strategies.h"

/* The least fpp for which a table has tags of so many bits: a little above its rate when it holds
 * what it is planned for. */
static const struct tags_row {
  uint32_t bits;
  double least;
} tags_rows[] = {{16, 1e-3}, {21, 2.5e-5}, {32, LFB_TAGS_LEAST_FPP}};

/* The slots of a line. */
static uint32_t tags_line_slots(uint32_t bits)
{
  return LFB_TAGS_LINE_WORDS * (LFB_WORD_BITS / bits);
}

/*
 * The part of the slots that is planned for.  A line has room for few keys with many copies, so its
 * load varies with copies / slots.  Measured in churn with tables of 3 to 512 lines A, `copies` of
 * each key: with up to 3 copies at most 3 puts in 10^8 are refused, with more at most 5 in 10^7.
 */
static double tags_load(uint32_t bits, uint64_t copies)
{
  const double share = (double)(copies == 0 ? 1 : copies) / tags_line_slots(bits);

  return (1 - 1.6 * share) * (share < 0.15 ? 1 : 0.94);
}

/* More lines B than the other bits of a hash can tell apart would repeat bits of the tag. */
static uint64_t tags_most_half(uint32_t bits)
{
  return UINT64_C(1) << (bits == 32 ? 32 : 38);
}

uint64_t lfb_tags_planned(const lfb_geometry *geometry, uint64_t copies)
{
  return (uint64_t)((double)lfb_tags_slots(geometry) * tags_load(geometry->probes, copies));
}

static lfb_status tags_size(const lfb_config *config, lfb_geometry *geometry)
{
  const double n = config->expected_insertions == 0 ? 1 : (double)config->expected_insertions;
  const uint64_t copies = config->copies == 0 ? 1 : config->copies;
  const struct tags_row *row = tags_rows;

  const lfb_status status = lfb_sizing_check(config);
  if (status != LFB_OK || config->fpp < LFB_TAGS_LEAST_FPP)
    return status == LFB_OK ? LFB_ERROR_FPP_TOO_LOW : status;
  while (config->fpp < row->least)
    row++;
  if (copies > lfb_tags_most_copies(row->bits))
    return LFB_ERROR_TOO_MANY_COPIES;
  const double half =
      ceil(n * (double)copies / tags_load(row->bits, copies) / (2 * tags_line_slots(row->bits)));
  if (!(half + (double)copies <= (double)tags_most_half(row->bits)))
    return LFB_ERROR_TOO_MANY_BITS;
  /* Few lines fill less evenly, except two, which all keys share. */
  const uint64_t words = LFB_TAGS_LINES_WORDS * ((uint64_t)half + (half > 1 ? copies : 0));
  *geometry = (lfb_geometry){LFB_WORD_BITS * words, words, row->bits, LFB_TAGS_LINE_WORDS};
  return LFB_OK;
}

static bool tags_valid(const lfb_geometry *geometry)
{
  const uint32_t bits = geometry->probes;

  return (bits == 16 || bits == 21 || bits == 32) &&
         geometry->words_per_key == LFB_TAGS_LINE_WORDS &&
         geometry->bit_count == LFB_WORD_BITS * geometry->word_count &&
         geometry->word_count % LFB_TAGS_LINES_WORDS == 0 &&
         lfb_tags_half(geometry) <= tags_most_half(bits);
}

/* ---- figures: the set bits are those of the slots that hold tags --------------------- */

static double tags_count(const lfb_strategy *strategy, const lfb_geometry *geometry,
                         uint64_t bits_set)
{
  (void)strategy;
  return (double)bits_set / geometry->probes;
}

/* A key is a false positive if its class has a copy.  A line A has 2^T - 1 classes. */
static double tags_fpp_after(const lfb_strategy *strategy, const lfb_geometry *geometry,
                             double insertions)
{
  const double half = (double)lfb_tags_half(geometry);
  const double stored = fmin(insertions, (double)lfb_tags_slots(geometry));

  (void)strategy;
  return fmin(stored / half / (exp2(geometry->probes) - 1), 1);
}

static double tags_fpp_now(const lfb_strategy *strategy, const lfb_geometry *geometry,
                           uint64_t bits_set)
{
  return tags_fpp_after(strategy, geometry, tags_count(strategy, geometry, bits_set));
}

static const lfb_rates tags_rates = {tags_fpp_after, tags_count, tags_fpp_now};

/* It has no kernel and no bits: only a counting filter has this strategy. */
const lfb_strategy lfb_strategy_tags = {
    .id = LFB_TAGS,
    .file_id = 8,
    .name = "tags",
    .seeding = LFB_SEED_RANDOM,
    .reachable_bits = UINT64_MAX,
    .size = tags_size,
    .valid = tags_valid,
    .rates = &tags_rates,
};
