/*
 * form_guava.c - the form that Guava's BloomFilter.writeTo writes.
 *
 * Floor 14.
 *
 * Byte 0 the strategy's ordinal; byte 1 the number of probes, 1 to 255; bytes 2
 * to 5 the number of words, a big-endian int; then the words, big-endian.  No
 * magic number, no n, no p, no checksum.
 *
 * Source: Guava BloomFilter.java, writeTo and readFrom.
 */
#include "bloom/forms.h"
#include "bloom/guava.h"
#include "bloom/strategies.h"

static bool guava_form_holds(const lfb_strategy *strategy)
{
  return strategy->id == LFB_GUAVA_MITZ32 || strategy->id == LFB_GUAVA_MITZ64;
}

static bool guava_form_begins(const unsigned char head[LFB_FORM_HEAD])
{
  const lfb_strategy *strategy = lfb_strategy_find_in_file(head[0]);
  return strategy != NULL && guava_form_holds(strategy);
}

static lfb_status guava_form_write(const lfb_filter *filter, const lfb_writer *writer)
{
  const uint32_t words = (uint32_t)filter->layout.bits.word_count;
  const unsigned char head[LFB_FORM_HEAD] = {
      filter->strategy->file_id,    (unsigned char)filter->layout.probes,
      (unsigned char)(words >> 24), (unsigned char)(words >> 16),
      (unsigned char)(words >> 8),  (unsigned char)words,
  };
  const lfb_status status = writer->write(writer->to, head, sizeof head);

  return status != LFB_OK ? status : lfb_form_write_words(filter, LFB_ORDER_BIG, writer, NULL);
}

static lfb_status guava_form_read(const lfb_reader *reader,
                                  const unsigned char head[LFB_FORM_HEAD], lfb_filter **filter)
{
  const lfb_strategy *strategy = lfb_strategy_find_in_file(head[0]);
  const uint32_t words = (uint32_t)head[2] << 24 | (uint32_t)head[3] << 16 |
                         (uint32_t)head[4] << 8 | head[5];

  if (head[1] == 0)
    return LFB_ERROR_BAD_PROBES;
  if (words == 0 || words > LFB_GUAVA_MAX_WORDS) /* not above 0 as a Java int */
    return LFB_ERROR_BAD_WORD_COUNT;

  const lfb_description description = {
      .strategy = strategy,
      .geometry = {LFB_WORD_BITS * (uint64_t)words, words, head[1], 0},
      .hasher = {.kind = strategy->hash},
      .config = {.strategy = strategy->id},
      .form = LFB_FORM_GUAVA,
  };
  return lfb_form_read_words(reader, LFB_ORDER_BIG, NULL, &description, filter);
}

const lfb_form_row lfb_form_row_guava = {
    .form = LFB_FORM_GUAVA,
    .name = "guava",
    .holds = guava_form_holds,
    .begins = guava_form_begins,
    .write = guava_form_write,
    .read = guava_form_read,
};
