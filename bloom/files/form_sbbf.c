/*
 * form_sbbf.c - the form of a column's Bloom filter in a Parquet file: a header in Thrift's
 * compact protocol, and the bitset.
 *
 *   struct BloomFilterHeader {
 *     1: i32 numBytes                       of the bitset, a multiple of 32
 *     2: union { 1: struct BLOCK {} }        the algorithm
 *     3: union { 1: struct XXHASH {} }       the hash
 *     4: union { 1: struct UNCOMPRESSED {} } the compression
 *   }
 *
 * The form has no n, no p and no checksum.  Every writer puts numBytes first, so the form is
 * recognised by that field's head.  An empty union stands for its only choice: the npm package
 * @dsnp/parquetjs writes it so.
 *
 * Source: apache/parquet-format, parquet.thrift, BloomFilter.md.
 */
#include "bloom/files/forms.h"
#include "bloom/files/thrift.h"
#include "bloom/strategies/strategies.h"

enum {
  SBBF_SIZE = 1, /* field numbers of the header */
  SBBF_ALGORITHM = 2,
  SBBF_LAST = 4,
  SBBF_ALL_FIELDS = 0x1e, /* bits 1 to 4, one per field */
  SBBF_BEGIN = 0x15,      /* field 1, an i32          */
  SBBF_BLOCK_BYTES = 32,
};

static bool sbbf_form_holds(const lfb_strategy *strategy)
{
  return strategy->id == LFB_SBBF;
}

static bool sbbf_form_begins(const unsigned char head[LFB_FORM_HEAD])
{
  return head[0] == SBBF_BEGIN;
}

static lfb_status sbbf_form_write(const lfb_filter *filter, const lfb_writer *writer)
{
  static const unsigned char rest[] = {0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0};
  unsigned char header[1 + 5 + sizeof rest];
  size_t size = 0;

  header[size++] = SBBF_BEGIN;
  /* zigzag doubles a positive number; seven bits per byte */
  uint64_t left = 2 * sizeof(lfb_word) * filter->layout.bits.word_count;
  for (; left >= 0x80; left >>= 7)
    header[size++] = (unsigned char)(left | 0x80);
  header[size++] = (unsigned char)left;
  memcpy(header + size, rest, sizeof rest);
  size += sizeof rest;
  const lfb_status status = writer->write(writer->to, header, size);
  return status != LFB_OK ? status
                          : lfb_form_write_words(&filter->layout.bits, LFB_ORDER_LITTLE, writer,
                                                 NULL);
}

/* Reads a union that must be empty or have field 1, a structure. */
static void sbbf_read_union(lfb_thrift *thrift, lfb_status unknown)
{
  lfb_thrift_field field = {0};

  while (lfb_thrift_next(thrift, &field))
    if (field.number == 1 && field.type == LFB_THRIFT_STRUCT)
      lfb_thrift_skip(thrift, field.type);
    else
      thrift->status = unknown;
}

/* Reads a field of the header; `*size` receives numBytes. */
static void sbbf_read_field(lfb_thrift *thrift, const lfb_thrift_field *field, int64_t *size)
{
  if (field->type != (field->number == SBBF_SIZE ? LFB_THRIFT_I32 : LFB_THRIFT_STRUCT))
    thrift->status = LFB_ERROR_BAD_HEADER;
  else if (field->number == SBBF_SIZE)
    *size = lfb_thrift_number(thrift);
  else
    sbbf_read_union(thrift, field->number == SBBF_ALGORITHM ? LFB_ERROR_BAD_STRATEGY
                                                            : LFB_ERROR_BAD_HEADER);
}

static lfb_status sbbf_read_header(lfb_thrift *thrift, int64_t *size)
{
  lfb_thrift_field field = {0};
  uint32_t seen = 0;

  while (lfb_thrift_next(thrift, &field)) {
    if (field.number < SBBF_SIZE || field.number > SBBF_LAST) {
      lfb_thrift_skip(thrift, field.type);
      continue;
    }
    if ((seen & 1U << field.number) != 0)
      return LFB_ERROR_BAD_HEADER;
    seen |= 1U << field.number;
    sbbf_read_field(thrift, &field, size);
  }
  return thrift->status == LFB_OK && seen != SBBF_ALL_FIELDS ? LFB_ERROR_BAD_HEADER
                                                             : thrift->status;
}

static lfb_status sbbf_form_locate(const lfb_reader *reader,
                                   const unsigned char head[LFB_FORM_HEAD],
                                   lfb_form_located *located)
{
  lfb_thrift thrift = {reader, head, LFB_FORM_HEAD, LFB_THRIFT_BYTES, 0, LFB_OK};
  const lfb_strategy *strategy = lfb_strategy_find(LFB_SBBF);
  int64_t size = 0;
  const lfb_status status = sbbf_read_header(&thrift, &size);

  if (status != LFB_OK) /* on success `head` is used up: the shortest header has 9 bytes */
    return status;
  const uint64_t words = (uint64_t)size / sizeof(lfb_word);
  const lfb_description description = {
      .strategy = strategy,
      .geometry = {LFB_WORD_BITS * words, words, 8, SBBF_BLOCK_BYTES / sizeof(lfb_word)},
      .hash = {.kind = strategy->hash},
      .config = {.strategy = strategy->id},
      .form = LFB_FORM_SBBF,
  };
  if (size <= 0 || size > INT32_MAX || size % SBBF_BLOCK_BYTES != 0 ||
      !strategy->valid(&description.geometry))
    return LFB_ERROR_BAD_WORD_COUNT;
  *located = (lfb_form_located){.description = description,
                            .order = LFB_ORDER_LITTLE,
                            .words_at = LFB_THRIFT_BYTES - thrift.left,
                            .size = LFB_THRIFT_BYTES - thrift.left + (uint64_t)size};
  return LFB_OK;
}

const lfb_form_row lfb_form_row_sbbf = {
    .form = LFB_FORM_SBBF,
    .name = "sbbf",
    .holds = sbbf_form_holds,
    .magic = LFB_MAGIC_NONE,
    .begins = sbbf_form_begins,
    .write = sbbf_form_write,
    .locate = sbbf_form_locate,
};
