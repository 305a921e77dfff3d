/*
 * tags_size.h - how many copies of keys a table of strategy `tags` is planned for;
 * bloom/counting/tags.h is about the table.
 */
#ifndef LFB_BLOOM_TAGS_SIZE_H
#define LFB_BLOOM_TAGS_SIZE_H

#include <lfbloom/word.h>

#include "bloom/strategies/sizing.h"

LFB_EXTERN_C_BEGIN

enum { LFB_TAGS_LINE_WORDS = 8, LFB_TAGS_LINES_WORDS = 16 }; /* of a line, and of two */

/* Below, a tag would have more than 32 bits, too many of the 64 of a hash. */
#define LFB_TAGS_LEAST_FPP 7e-9

/* The lines A of a table. */
static inline uint64_t lfb_tags_half(const lfb_geometry *geometry)
{
  return geometry->word_count / LFB_TAGS_LINES_WORDS;
}

/* How many copies of a key a table may be made for: half a line's slots. */
static inline uint32_t lfb_tags_most_copies(uint32_t bits)
{
  return LFB_TAGS_LINE_WORDS * (LFB_WORD_BITS / bits) / 2;
}

/* The slots of a table; geometry->probes is the number of a tag's bits. */
static inline uint64_t lfb_tags_slots(const lfb_geometry *geometry)
{
  return geometry->word_count * (LFB_WORD_BITS / geometry->probes);
}

/* The copies that a table is planned for, if up to `copies` (0: 1) of one key may be present. */
uint64_t lfb_tags_planned(const lfb_geometry *geometry, uint64_t copies);

LFB_EXTERN_C_END

#endif
