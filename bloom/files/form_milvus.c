/*
 * form_milvus.c - the forms of a membership filter of Milvus: a header, MBF1, and Parquet's bitset.
 *
 *   offset  size  field, little-endian
 *   0       4     "MBF1"
 *   4       2     version: 1
 *   6       2     algorithm: 1, split blocks of 32 bytes by XXH64 (strategy sbbf)
 *   8       8     n
 *   16      8     p, a double
 *   24      4     blocks: a power of two up to 2^22
 *   28      1     kinds of keys, a set: 1 INT64, as 8 bytes, 2 text in UTF-8; 0: the filter is
 *                 empty
 *   29      3     0
 *   32            the bitset
 *
 * A server of Milvus answers "absent" for a key of a kind that byte 28 does not have, without a
 * look at the bits.  A filter does not know what its keys were, so there is a form for each set.
 *
 * Source: milvus-io/milvus, client/sbbf/sbbf.go, package comment and Parse().
 */
#include <string.h>

#include "bloom/files/forms.h"
#include "bloom/hashing/murmur.h"
#include "bloom/strategies/strategies.h"

enum {
  MILVUS_AT_VERSION = 4,
  MILVUS_AT_ALGORITHM = 6,
  MILVUS_AT_N = 8,
  MILVUS_AT_FPP = 16,
  MILVUS_AT_BLOCKS = 24,
  MILVUS_AT_KINDS = 28,
  MILVUS_HEADER = 32,
  MILVUS_VERSION = 1,
  MILVUS_SPLIT_BLOCKS = 1,
  MILVUS_INT64 = 1,
  MILVUS_UTF8 = 2,
  MILVUS_BOTH = MILVUS_INT64 | MILVUS_UTF8,
  MILVUS_BLOCK_WORDS = 4,
  MILVUS_MOST_BLOCKS = 1 << 22,
};

static const unsigned char milvus_magic[MILVUS_AT_VERSION] = {'M', 'B', 'F', '1'};

static bool milvus_form_holds(const lfb_strategy *strategy)
{
  return strategy->id == LFB_SBBF;
}

static bool milvus_form_begins(const unsigned char head[LFB_FORM_HEAD])
{
  return memcmp(head, milvus_magic, sizeof milvus_magic) == 0;
}

static bool milvus_blocks_fit(uint64_t blocks)
{
  return blocks > 0 && blocks <= MILVUS_MOST_BLOCKS && (blocks & (blocks - 1)) == 0;
}

static uint32_t milvus_load_16(const unsigned char *at)
{
  return at[0] | (uint32_t)at[1] << 8;
}

static bool milvus_is_empty(const lfb_bit_array *bits)
{
  uint64_t any = 0;

  for (uint64_t i = 0; any == 0 && i < bits->word_count; i++)
    any = lfb_word_get(&bits->words[i]);
  return any == 0;
}

static lfb_status milvus_write(const lfb_filter *filter, const lfb_writer *writer,
                               unsigned char kinds)
{
  const lfb_bit_array *bits = &filter->layout.bits;
  const lfb_config *config = &filter->description.config;
  const uint64_t blocks = bits->word_count / MILVUS_BLOCK_WORDS;
  unsigned char header[MILVUS_HEADER] = {0};

  if (!milvus_blocks_fit(blocks))
    return LFB_ERROR_FORM_CANNOT_HOLD;
  memcpy(header, milvus_magic, sizeof milvus_magic);
  header[MILVUS_AT_VERSION] = MILVUS_VERSION;
  header[MILVUS_AT_ALGORITHM] = MILVUS_SPLIT_BLOCKS;
  lfb_store_le64(header + MILVUS_AT_N, config->expected_insertions);
  lfb_head_store_double(header + MILVUS_AT_FPP, config->fpp);
  lfb_store_le32(header + MILVUS_AT_BLOCKS, (uint32_t)blocks);
  header[MILVUS_AT_KINDS] = milvus_is_empty(bits) ? 0 : kinds;
  const lfb_status status = writer->write(writer->to, header, sizeof header);
  return status != LFB_OK ? status : lfb_form_write_words(bits, LFB_ORDER_LITTLE, writer, NULL);
}

static lfb_status milvus_both_write(const lfb_filter *filter, const lfb_writer *writer)
{
  return milvus_write(filter, writer, MILVUS_BOTH);
}

static lfb_status milvus_int64_write(const lfb_filter *filter, const lfb_writer *writer)
{
  return milvus_write(filter, writer, MILVUS_INT64);
}

static lfb_status milvus_utf8_write(const lfb_filter *filter, const lfb_writer *writer)
{
  return milvus_write(filter, writer, MILVUS_UTF8);
}

/* The form of a set of kinds; LFB_FORM_NONE: there is no such set. */
static lfb_form milvus_form_of(uint32_t kinds)
{
  static const lfb_form of[] = {LFB_FORM_MILVUS, LFB_FORM_MILVUS_INT64, LFB_FORM_MILVUS_UTF8,
                                LFB_FORM_MILVUS};

  return kinds < sizeof of / sizeof *of ? of[kinds] : LFB_FORM_NONE;
}

static lfb_status milvus_check(const unsigned char header[MILVUS_HEADER])
{
  const double fpp = lfb_head_load_double(header + MILVUS_AT_FPP);
  const uint32_t kinds = lfb_load_le32(header + MILVUS_AT_KINDS); /* and what must be 0 */

  if (milvus_load_16(header + MILVUS_AT_VERSION) != MILVUS_VERSION)
    return LFB_ERROR_UNKNOWN_VERSION;
  if (milvus_load_16(header + MILVUS_AT_ALGORITHM) != MILVUS_SPLIT_BLOCKS)
    return LFB_ERROR_BAD_STRATEGY;
  if (!milvus_blocks_fit(lfb_load_le32(header + MILVUS_AT_BLOCKS)))
    return LFB_ERROR_BAD_WORD_COUNT;
  return milvus_form_of(kinds) == LFB_FORM_NONE || !(fpp >= 0 && fpp < 1) ? LFB_ERROR_BAD_HEADER
                                                                         : LFB_OK;
}

static lfb_status milvus_form_locate(const lfb_reader *reader,
                                     const unsigned char head[LFB_FORM_HEAD],
                                     lfb_form_located *located)
{
  static const lfb_key_type types[] = {[MILVUS_INT64] = LFB_KEYS_I64,
                                       [MILVUS_UTF8] = LFB_KEYS_TEXT,
                                       [MILVUS_BOTH] = LFB_KEYS_UNKNOWN};
  const lfb_strategy *strategy = lfb_strategy_find(LFB_SBBF);
  unsigned char header[MILVUS_HEADER];

  memcpy(header, head, LFB_FORM_HEAD);
  lfb_status status =
      lfb_form_read_bytes(reader, header + LFB_FORM_HEAD, sizeof header - LFB_FORM_HEAD);
  if (status == LFB_OK)
    status = milvus_check(header);
  if (status != LFB_OK)
    return status;
  const uint64_t words = (uint64_t)MILVUS_BLOCK_WORDS * lfb_load_le32(header + MILVUS_AT_BLOCKS);
  const lfb_description description = {
      .strategy = strategy,
      .geometry = {LFB_WORD_BITS * words, words, 8, MILVUS_BLOCK_WORDS},
      .hash = {.kind = strategy->hash},
      .config = {.strategy = strategy->id,
                 .expected_insertions = lfb_load_le64(header + MILVUS_AT_N),
                 .fpp = lfb_head_load_double(header + MILVUS_AT_FPP),
                 .key_type = types[header[MILVUS_AT_KINDS]]},
      .form = milvus_form_of(header[MILVUS_AT_KINDS]),
  };
  *located = (lfb_form_located){.description = description,
                            .order = LFB_ORDER_LITTLE,
                            .words_at = MILVUS_HEADER,
                            .size = MILVUS_HEADER + sizeof(lfb_word) * words};
  return LFB_OK;
}

const lfb_form_row lfb_form_row_milvus = {
    .form = LFB_FORM_MILVUS,
    .name = "milvus",
    .holds = milvus_form_holds,
    .magic = LFB_MAGIC_NONE,
    .begins = milvus_form_begins,
    .write = milvus_both_write,
    .locate = milvus_form_locate,
};

const lfb_form_row lfb_form_row_milvus_int64 = {
    .form = LFB_FORM_MILVUS_INT64,
    .name = "milvus-int64",
    .holds = milvus_form_holds,
    .magic = LFB_MAGIC_NONE,
    .begins = milvus_form_begins,
    .write = milvus_int64_write,
    .locate = milvus_form_locate,
};

const lfb_form_row lfb_form_row_milvus_utf8 = {
    .form = LFB_FORM_MILVUS_UTF8,
    .name = "milvus-utf8",
    .holds = milvus_form_holds,
    .magic = LFB_MAGIC_NONE,
    .begins = milvus_form_begins,
    .write = milvus_utf8_write,
    .locate = milvus_form_locate,
};
