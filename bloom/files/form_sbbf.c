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
 * The form has no n, no p and no checksum.  Every writer puts these fields, in order and no others:
 * a byte for each field's type and its distance from the one before, and 0 after the last.  So the
 * form is recognised by the first field's head, and anything else is refused.  An empty union
 * stands for its only choice: the npm package @dsnp/parquetjs writes it so.
 *
 * Source: apache/parquet-format, parquet.thrift, BloomFilter.md; apache/thrift,
 * doc/specs/thrift-compact-protocol.md.
 */
#include "bloom/files/forms.h"
#include "bloom/strategies/strategies.h"

enum {
  SBBF_BEGIN = 0x15,  /* the next field is an i32       */
  SBBF_STRUCT = 0x1c, /* the next field is a structure  */
  SBBF_STOP = 0,      /* the structure has no more      */
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

/* A header that is being read: its first bytes, how many were taken, and the first failure. */
typedef struct sbbf_header {
  const lfb_reader *reader;
  const unsigned char *head;
  uint32_t taken;
  lfb_status status;
} sbbf_header;

static void sbbf_refuse(sbbf_header *header, lfb_status why)
{
  if (header->status == LFB_OK)
    header->status = why;
}

/* Reads a byte; after a failure, nothing. */
static uint8_t sbbf_byte(sbbf_header *header)
{
  unsigned char byte = 0;

  if (header->status != LFB_OK)
    return 0;
  if (header->taken < LFB_FORM_HEAD)
    byte = header->head[header->taken];
  else
    header->status = lfb_form_read_bytes(header->reader, &byte, 1);
  header->taken++;
  return byte;
}

/* Refuses the header unless this byte comes next. */
static void sbbf_expect(sbbf_header *header, uint8_t byte, lfb_status otherwise)
{
  if (sbbf_byte(header) != byte)
    sbbf_refuse(header, otherwise);
}

/* numBytes: seven bits per byte, the lowest first, and the lowest one is the sign. */
static int64_t sbbf_read_size(sbbf_header *header)
{
  uint64_t sum = 0;

  for (uint32_t shift = 0; shift < 35; shift += 7) {
    const uint8_t byte = sbbf_byte(header);
    sum |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80)
      return (int64_t)(sum >> 1 ^ (0 - (sum & 1)));
  }
  sbbf_refuse(header, LFB_ERROR_BAD_HEADER);
  return 0;
}

/* Reads a union of one choice, a structure without fields; or of none. */
static void sbbf_read_union(sbbf_header *header, lfb_status unknown)
{
  sbbf_expect(header, SBBF_STRUCT, LFB_ERROR_BAD_HEADER);
  const uint8_t choice = sbbf_byte(header);
  if (choice == SBBF_STOP)
    return;
  if (choice != SBBF_STRUCT)
    sbbf_refuse(header, unknown);
  sbbf_expect(header, SBBF_STOP, LFB_ERROR_BAD_HEADER); /* the structure */
  sbbf_expect(header, SBBF_STOP, LFB_ERROR_BAD_HEADER); /* the union     */
}

static int64_t sbbf_read_header(sbbf_header *header)
{
  sbbf_expect(header, SBBF_BEGIN, LFB_ERROR_BAD_HEADER);
  const int64_t size = sbbf_read_size(header);
  sbbf_read_union(header, LFB_ERROR_BAD_STRATEGY);
  sbbf_read_union(header, LFB_ERROR_BAD_HEADER);
  sbbf_read_union(header, LFB_ERROR_BAD_HEADER);
  sbbf_expect(header, SBBF_STOP, LFB_ERROR_BAD_HEADER);
  return size;
}

static lfb_status sbbf_form_locate(const lfb_reader *reader,
                                   const unsigned char head[LFB_FORM_HEAD],
                                   lfb_form_located *located)
{
  sbbf_header header = {reader, head, 0, LFB_OK};
  const lfb_strategy *strategy = lfb_strategy_find(LFB_SBBF);
  const int64_t size = sbbf_read_header(&header);

  if (header.status != LFB_OK) /* on success `head` is used up: the shortest header has 9 bytes */
    return header.status;
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
                                .words_at = header.taken,
                                .size = header.taken + (uint64_t)size};
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
