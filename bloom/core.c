/* core.c - making filters, and whether two of them fit together.  Floor 11. */
#include "bloom/core.h"

#include <stdlib.h>

#include "bloom/strategies.h"

lfb_status lfb_core_describe(const lfb_config *config, lfb_description *description)
{
  const lfb_strategy *strategy = lfb_strategy_find(config->strategy);
  lfb_geometry geometry;

  if (strategy == NULL)
    return LFB_ERROR_UNKNOWN_STRATEGY;
  if (config->seed != 0 && !strategy->seeded)
    return LFB_ERROR_UNKNOWN_HASH;
  const lfb_status status = strategy->size(config, &geometry);
  if (status != LFB_OK)
    return status;
  *description = (lfb_description){strategy, geometry, *config, LFB_FORM_NONE};
  return LFB_OK;
}

lfb_status lfb_core_make(const lfb_description *description, const lfb_pages *pages,
                         lfb_filter **filter)
{
  const lfb_geometry *geometry = &description->geometry;
  const size_t size = (sizeof **filter + LFB_CACHE_LINE - 1) / LFB_CACHE_LINE * LFB_CACHE_LINE;
  const lfb_strategy *strategy = description->strategy;
  const uint64_t seed = description->config.seed;
  lfb_stripes count;

  lfb_filter *made = aligned_alloc(LFB_CACHE_LINE, size);
  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  const lfb_status status = lfb_stripes_init(&count);
  if (status != LFB_OK) {
    free(made);
    return status;
  }
  *made = (lfb_filter){
      .layout = {lfb_bits_over(pages->address, geometry->word_count),
                 lfb_modulus_for(geometry->bit_count), geometry->probes},
      .strategy = strategy,
      .hasher = {strategy->hash, seed == 0 ? strategy->default_seed : seed},
      .count = count,
      .pages = *pages,
      .description = *description,
  };
  *filter = made;
  return LFB_OK;
}

/* Whether the filter, made by the other of Guava's formulas, would have `probes`. */
static bool core_other_formula_gives(const lfb_filter *filter, uint32_t probes)
{
  const lfb_config *known = &filter->description.config;
  if (known->fpp == 0) /* the form did not say */
    return false;

  lfb_config other = *known;
  other.probes_formula = known->probes_formula == LFB_PROBES_GUAVA_31 ? LFB_PROBES_GUAVA_CURRENT
                                                                      : LFB_PROBES_GUAVA_31;
  return lfb_sizing_probes(&other, lfb_sizing_bits(other.expected_insertions, other.fpp)) ==
         probes;
}

lfb_status lfb_core_compatible(const lfb_filter *into, const lfb_filter *from)
{
  const lfb_layout *a = &into->layout, *b = &from->layout;

  if (into == from)
    return LFB_ERROR_SAME_FILTER;
  if (a->probes != b->probes)
    return a->modulus.divisor == b->modulus.divisor &&
                   (core_other_formula_gives(into, b->probes) ||
                    core_other_formula_gives(from, a->probes))
               ? LFB_ERROR_PROBES_DIFFER_BY_FORMULA
               : LFB_ERROR_PROBES_DIFFER;
  if (a->modulus.divisor != b->modulus.divisor)
    return LFB_ERROR_BIT_COUNT_DIFFERS;
  if (into->strategy != from->strategy)
    return LFB_ERROR_STRATEGY_DIFFERS;
  return into->hasher.seed == from->hasher.seed ? LFB_OK : LFB_ERROR_HASH_DIFFERS;
}
