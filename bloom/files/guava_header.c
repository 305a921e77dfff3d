/* guava_header.c - writes and reads the header of Guava's form. */
#include "bloom/files/guava_header.h"

#include "bloom/strategies/strategies.h"

bool lfb_guava_holds(const lfb_strategy *strategy)
{
  return strategy->id == LFB_GUAVA_MITZ32 || strategy->id == LFB_GUAVA_MITZ64;
}

void lfb_guava_encode(const lfb_description *description, unsigned char header[LFB_GUAVA_HEADER])
{
  const uint32_t words = (uint32_t)description->geometry.word_count;

  header[0] = description->strategy->file_id;
  header[1] = (unsigned char)description->geometry.probes;
  for (int i = 0; i < 4; i++)
    header[2 + i] = (unsigned char)(words >> (24 - 8 * i));
}

lfb_status lfb_guava_decode(const unsigned char header[LFB_GUAVA_HEADER],
                            lfb_description *description)
{
  const lfb_strategy *strategy = lfb_strategy_find_in_file(header[0]);
  const uint32_t words = (uint32_t)header[2] << 24 | (uint32_t)header[3] << 16 |
                         (uint32_t)header[4] << 8 | header[5];

  if (strategy == NULL || !lfb_guava_holds(strategy))
    return LFB_ERROR_BAD_STRATEGY;
  if (header[1] == 0)
    return LFB_ERROR_BAD_PROBES;
  if (words == 0 || words > LFB_GUAVA_MAX_WORDS) /* 0 or negative as a Java int */
    return LFB_ERROR_BAD_WORD_COUNT;
  *description = (lfb_description){
      .strategy = strategy,
      .geometry = {LFB_WORD_BITS * (uint64_t)words, words, header[1], 0},
      .hash = {.kind = strategy->hash},
      .config = {.strategy = strategy->id},
      .form = LFB_FORM_GUAVA,
  };
  return LFB_OK;
}
