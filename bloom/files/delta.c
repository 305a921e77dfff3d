/*
 * delta.c - makes deltas and applies them.
 *
 * A delta is a header and a string of numbers (rice.h).  A filter whose keys have their bits within
 * a block: for each block that changed the blocks skipped since the last one, the number of its new
 * bits less 1, and for each new bit the bits skipped since the last one in the block.  Any other
 * filter: for each new bit the bits skipped since the last one.
 */
#include <lfbloom/delta.h>
#include <stdlib.h>
#include <string.h>

#include "bloom/files/forms.h"
#include "bloom/files/native_header.h"
#include "bloom/files/rice.h"
#include "bloom/filter/digest.h"

/* ---- the header ---------------------------------------------------------------------- */

/* 256 bytes, with the fields of a native header that describe the filter (native_header.h), so that
 * a delta is compared with a filter and no field of it is trusted.  docs/formats.md has the
 * layout. */
enum { DELTA_HEADER = LFB_HEAD_SIZE }; /* bytes */

/* The numbers that a delta consists of. */
typedef enum delta_number {
  DELTA_GAP,    /* blocks, or bits, between two that changed     */
  DELTA_COUNT,  /* new bits of a block, less 1                   */
  DELTA_OFFSET, /* bits between two new bits of a block          */
  DELTA_NUMBERS,
} delta_number;

/* What a header says except for the filter. */
typedef struct delta_fields {
  uint64_t bits;      /* new ones                         */
  uint64_t body_size; /* of the bytes after the header    */
  uint64_t checksum;  /* of these                         */
  uint32_t parameters[DELTA_NUMBERS]; /* rice.h       */
} delta_fields;

/* Where each field is, in bytes from the start, after those of magic.h and beside those that
 * lfb_native_encode_identity() writes: docs/formats.md. */
enum {
  DELTA_AT_BITS = 48,
  DELTA_AT_BODY_SIZE = 56,
  DELTA_AT_CHECKSUM = 72,
  DELTA_AT_PARAMETERS = 80, /* 4 bytes each             */
  DELTA_AT_ZERO = 92,       /* 4 bytes                  */
  DELTA_AT_RESERVED = 104,  /* zero up to the checksum  */
};

enum { DELTA_VERSION = 1 };

static void delta_encode(const lfb_description *description, const delta_fields *fields,
                         unsigned char header[DELTA_HEADER])
{
  lfb_head_begin(header, LFB_MAGIC_DELTA, DELTA_VERSION);
  lfb_native_encode_identity(description, header);
  lfb_store_le64(header + DELTA_AT_BITS, fields->bits);
  lfb_store_le64(header + DELTA_AT_BODY_SIZE, fields->body_size);
  lfb_store_le64(header + DELTA_AT_CHECKSUM, fields->checksum);
  for (uint32_t i = 0; i < DELTA_NUMBERS; i++)
    lfb_store_le32(header + DELTA_AT_PARAMETERS + sizeof(uint32_t) * i, fields->parameters[i]);
  lfb_head_end(header);
}

/* Reads a header and checks its fields.  Fails: LFB_ERROR_NOT_DELTA, _UNKNOWN_VERSION,
 * _BAD_DELTA. */
static lfb_status delta_decode(const unsigned char header[DELTA_HEADER], delta_fields *fields)
{
  const lfb_status status = lfb_head_check(header, LFB_MAGIC_DELTA, DELTA_VERSION);
  delta_fields found = {.bits = lfb_load_le64(header + DELTA_AT_BITS),
                        .body_size = lfb_load_le64(header + DELTA_AT_BODY_SIZE),
                        .checksum = lfb_load_le64(header + DELTA_AT_CHECKSUM)};

  if (status != LFB_OK)
    return status == LFB_ERROR_UNKNOWN_FORM   ? LFB_ERROR_NOT_DELTA
           : status == LFB_ERROR_BAD_CHECKSUM ? LFB_ERROR_BAD_DELTA
                                              : status;
  if (!lfb_head_is_whole(header, DELTA_AT_RESERVED) || lfb_load_le32(header + DELTA_AT_ZERO) != 0)
    return LFB_ERROR_BAD_DELTA;
  for (uint32_t i = 0; i < DELTA_NUMBERS; i++) {
    found.parameters[i] = lfb_load_le32(header + DELTA_AT_PARAMETERS + sizeof(uint32_t) * i);
    if (found.parameters[i] > LFB_RICE_MOST)
      return LFB_ERROR_BAD_DELTA;
  }
  *fields = found;
  return LFB_OK;
}

/* ---- making -------------------------------------------------------------------------- */

/* The words of a block if a key's bits are in one block, else 0. */
static size_t delta_block_words(const lfb_filter *filter)
{
  const lfb_description *description = &filter->description;

  return description->geometry.words_per_key > 0 ? (size_t)lfb_description_run(description) : 0;
}

enum { DELTA_PIECE = 512 }; /* words, a multiple of those of every block */

/* A delta that is made: first only its numbers' distribution, then its body. */
typedef struct delta_maker {
  const lfb_filter *earlier, *later;
  bool writes;   /* the body                                                          */
  uint64_t next; /* the block, or the bit, to which a gap of 0 leads                  */
  lfb_rice_histogram histograms[DELTA_NUMBERS];
  lfb_rice_writer body;
  delta_fields fields;
} delta_maker;

static void maker_number(delta_maker *maker, delta_number number, uint64_t value)
{
  if (maker->writes)
    lfb_rice_put(&maker->body, value, maker->fields.parameters[number]);
  else
    lfb_rice_note(&maker->histograms[number], value);
}

/* Adds the bits of words, numbered from `first` on, as numbers of this kind.  `*next` is the bit to
 * which a gap of 0 leads. */
static void maker_bits(delta_maker *maker, delta_number number, const uint64_t *words,
                       size_t count, uint64_t first, uint64_t *next)
{
  for (size_t i = 0; i < count; i++)
    for (uint64_t left = words[i]; left != 0; left &= left - 1) {
      const uint64_t bit = first + i * LFB_WORD_BITS + (uint64_t)__builtin_ctzll(left);
      maker_number(maker, number, bit - *next);
      *next = bit + 1;
    }
}

static uint64_t words_bits(const uint64_t *words, size_t count)
{
  uint64_t bits = 0;

  for (size_t i = 0; i < count; i++)
    bits += lfb_word_count(words[i]);
  return bits;
}

/* Adds the new bits of block `block`. */
static void maker_block(delta_maker *maker, const uint64_t *words, size_t count, uint64_t block)
{
  const uint64_t bits = words_bits(words, count);
  uint64_t next = 0;

  if (bits == 0)
    return;
  maker_number(maker, DELTA_GAP, block - maker->next);
  maker->next = block + 1;
  maker_number(maker, DELTA_COUNT, bits - 1);
  maker_bits(maker, DELTA_OFFSET, words, count, 0, &next);
}

/* Adds the new bits of some words, whole blocks of them. */
static void maker_words(delta_maker *maker, const uint64_t *words, size_t count, uint64_t first)
{
  const size_t block_words = delta_block_words(maker->later);

  maker->fields.bits += words_bits(words, count);
  if (block_words == 0)
    maker_bits(maker, DELTA_GAP, words, count, first * LFB_WORD_BITS, &maker->next);
  else
    for (size_t i = 0; i < count; i += block_words)
      maker_block(maker, words + i, block_words, (first + i) / block_words);
}

/* Goes through both filters once. */
static lfb_status maker_pass(delta_maker *maker)
{
  const lfb_bit_array *earlier = &maker->earlier->layout.bits, *later = &maker->later->layout.bits;
  uint64_t old[DELTA_PIECE], now[DELTA_PIECE];

  maker->next = maker->fields.bits = 0;
  for (uint64_t first = 0; first < later->word_count; first += DELTA_PIECE) {
    const uint64_t left = later->word_count - first;
    const size_t count = left < DELTA_PIECE ? (size_t)left : (size_t)DELTA_PIECE;
    uint64_t lost = 0, new = 0;
    lfb_bit_array_snapshot(earlier, first, old, count);
    lfb_bit_array_snapshot(later, first, now, count);
    for (size_t i = 0; i < count; i++) {
      lost |= old[i] & ~now[i];
      now[i] &= ~old[i];
      new |= now[i];
    }
    if (lost != 0)
      return LFB_ERROR_BITS_LOST;
    if (new != 0)
      maker_words(maker, now, count, first);
  }
  return LFB_OK;
}

/* Makes the body and the fields.  The caller frees the body, also after a failure. */
static lfb_status maker_make(delta_maker *maker)
{
  lfb_status status = lfb_description_compatible(&maker->later->description,
                                                 &maker->earlier->description, false);

  if (status == LFB_OK)
    status = maker_pass(maker);
  for (uint32_t i = 0; i < DELTA_NUMBERS; i++)
    maker->fields.parameters[i] = lfb_rice_best(&maker->histograms[i]);
  maker->writes = true;
  if (status == LFB_OK)
    status = maker_pass(maker);
  if (status != LFB_OK)
    return status;
  lfb_rice_end(&maker->body);
  if (maker->body.failed)
    return LFB_ERROR_NO_MEMORY;
  maker->fields.body_size = maker->body.size;
  maker->fields.checksum = lfb_digest_xxh3(maker->body.bytes, maker->body.size);
  return LFB_OK;
}

static lfb_status maker_write(const delta_maker *maker, const lfb_writer *writer)
{
  unsigned char header[DELTA_HEADER];

  delta_encode(&maker->later->description, &maker->fields, header);
  const lfb_status status = writer->write(writer->to, header, sizeof header);
  return status != LFB_OK || maker->body.size == 0
             ? status
             : writer->write(writer->to, maker->body.bytes, maker->body.size);
}

lfb_status lfb_delta_write(const lfb_filter *earlier, const lfb_filter *later, lfb_write_fn write,
                           void *to)
{
  delta_maker maker = {.earlier = earlier, .later = later};
  lfb_status status = maker_make(&maker);

  if (status == LFB_OK)
    status = maker_write(&maker, &(lfb_writer){.write = write, .to = to});
  free(maker.body.bytes);
  return status;
}

static lfb_status delta_content(const void *what, const lfb_writer *writer)
{
  return maker_write(what, writer);
}

lfb_status lfb_delta_save(const lfb_filter *earlier, const lfb_filter *later, const char *path)
{
  delta_maker maker = {.earlier = earlier, .later = later};
  lfb_status status = maker_make(&maker); /* before anything is created */

  if (status == LFB_OK)
    status = lfb_file_save(&(lfb_content){.what = &maker, .write = delta_content}, path);
  free(maker.body.bytes);
  return status;
}

/* ---- applying ------------------------------------------------------------------------ */

/* A delta that is read: first only checked, then its bits are turned on. */
typedef struct delta_walk {
  const lfb_filter *filter;
  const delta_fields *fields;
  lfb_rice_reader body;
  bool turns_on;
  uint64_t word, mask; /* bits that are not yet turned on, of one word */
  uint64_t turned_on;
} delta_walk;

static void walk_flush(delta_walk *walk)
{
  if (walk->turns_on && walk->mask != 0)
    walk->turned_on += lfb_bit_array_or(&walk->filter->layout.bits, walk->word, walk->mask);
  walk->mask = 0;
}

static void walk_bit(delta_walk *walk, uint64_t bit)
{
  if (bit / LFB_WORD_BITS != walk->word)
    walk_flush(walk);
  walk->word = bit / LFB_WORD_BITS;
  walk->mask |= UINT64_C(1) << bit % LFB_WORD_BITS;
}

static uint64_t walk_number(delta_walk *walk, delta_number number)
{
  return lfb_rice_take(&walk->body, walk->fields->parameters[number]);
}

/* Reads a gap.  `*next` becomes the place after the one to which it leads, at most `end`.  Returns
 * whether there is such a place.  A body that has ended gives none, so the work is bounded by its
 * size. */
static bool walk_gap(delta_walk *walk, delta_number number, uint64_t end, uint64_t *next)
{
  const uint64_t gap = walk_number(walk, number);

  if (gap >= end - *next || walk->body.at > 8 * (uint64_t)walk->body.size)
    return false;
  *next += gap + 1;
  return true;
}

/* Reads the new bits of a block of `size` bits that begins at bit `from`.  `*left` counts the bits
 * of the delta down. */
static bool walk_block(delta_walk *walk, uint64_t from, uint64_t size, uint64_t *left)
{
  const uint64_t most = *left < size ? *left : size;
  const uint64_t less = walk_number(walk, DELTA_COUNT);
  uint64_t next = 0;

  if (less >= most)
    return false;
  for (uint64_t i = 0; i <= less; i++) {
    if (!walk_gap(walk, DELTA_OFFSET, size, &next))
      return false;
    walk_bit(walk, from + next - 1);
  }
  *left -= less + 1;
  return true;
}

/* Reads all bits.  False if one is not in the filter, or their number is not the header's. */
static bool walk_bits(delta_walk *walk)
{
  const lfb_geometry *geometry = &walk->filter->description.geometry;
  const size_t block_words = delta_block_words(walk->filter);
  const uint64_t size = (uint64_t)block_words * LFB_WORD_BITS;
  const uint64_t end = size == 0 ? geometry->bit_count : geometry->word_count / block_words;
  uint64_t next = 0, left = walk->fields->bits;

  while (left > 0) {
    if (!walk_gap(walk, DELTA_GAP, end, &next))
      return false;
    if (size == 0) {
      walk_bit(walk, next - 1);
      left--;
    } else if (!walk_block(walk, (next - 1) * size, size, &left)) {
      return false;
    }
  }
  walk_flush(walk);
  return lfb_rice_ended(&walk->body);
}

/* Checks a delta and, if `turned_on` is not NULL, turns its bits on. */
static lfb_status delta_read(const lfb_filter *filter, const unsigned char *delta, size_t size,
                             const delta_fields *fields, uint64_t *turned_on)
{
  delta_walk walk = {.filter = filter,
                     .fields = fields,
                     .body = {.bytes = delta + DELTA_HEADER, .size = size - DELTA_HEADER},
                     .turns_on = turned_on != NULL};

  if (!walk_bits(&walk))
    return LFB_ERROR_BAD_DELTA;
  if (turned_on != NULL)
    *turned_on = walk.turned_on;
  return LFB_OK;
}

/* Checks everything except the bits. */
static lfb_status delta_check(const lfb_filter *filter, const unsigned char *delta, size_t size,
                              delta_fields *fields)
{
  if (size < LFB_FORM_HEAD || lfb_magic_begun(delta) != LFB_MAGIC_DELTA)
    return LFB_ERROR_NOT_DELTA;
  if (size < DELTA_HEADER)
    return LFB_ERROR_BAD_DELTA;
  lfb_status status = delta_decode(delta, fields);
  if (status != LFB_OK)
    return status;
  const unsigned char *body = delta + DELTA_HEADER;
  if (fields->body_size != size - DELTA_HEADER ||
      fields->checksum != lfb_digest_xxh3(body, size - DELTA_HEADER))
    return LFB_ERROR_BAD_DELTA;
  return lfb_native_compare_identity(delta, &filter->description);
}

lfb_status lfb_delta_apply(lfb_filter *filter, const void *delta, size_t size, uint64_t *turned_on)
{
  delta_fields fields;
  uint64_t gained = 0;

  lfb_status status = delta_check(filter, delta, size, &fields);
  if (status == LFB_OK)
    status = delta_read(filter, delta, size, &fields, NULL);
  if (status != LFB_OK)
    return status;
  status = delta_read(filter, delta, size, &fields, &gained);
  lfb_bit_array_add(&filter->layout.bits, gained); /* after the bits: never above the truth */
  if (status == LFB_OK && turned_on != NULL)
    *turned_on = gained;
  return status;
}

/* A delta that was read from a file. */
typedef struct delta_bytes {
  size_t size;
  unsigned char bytes[];
} delta_bytes;

/* Checks how the file begins before memory is taken for it. */
static lfb_status delta_check_head(const lfb_reader *reader, const unsigned char *head, size_t have)
{
  delta_fields fields;

  if (have < LFB_FORM_HEAD || lfb_magic_begun(head) != LFB_MAGIC_DELTA)
    return LFB_ERROR_NOT_DELTA;
  if (have < DELTA_HEADER || reader->known_bytes > reader->limits.max_bytes)
    return LFB_ERROR_BAD_DELTA;
  const lfb_status status = delta_decode(head, &fields);
  return status == LFB_OK && fields.body_size != reader->known_bytes - DELTA_HEADER
             ? LFB_ERROR_BAD_DELTA
             : status;
}

static lfb_status delta_load(const lfb_reader *reader, void **made)
{
  unsigned char head[DELTA_HEADER];
  const size_t size = (size_t)reader->known_bytes;
  const size_t have = size < sizeof head ? size : sizeof head;

  lfb_status status = have == 0 ? LFB_OK : lfb_form_read_bytes(reader, head, have);
  if (status == LFB_OK)
    status = delta_check_head(reader, head, have);
  if (status != LFB_OK)
    return status;
  delta_bytes *delta = malloc(sizeof *delta + size); /* the size is limited */
  if (delta == NULL)
    return LFB_ERROR_NO_MEMORY;
  *made = delta;
  delta->size = size;
  memcpy(delta->bytes, head, have);
  return size == have ? LFB_OK : lfb_form_read_bytes(reader, delta->bytes + have, size - have);
}

/* More bytes than any delta of the filter has.  At best parameters, n of m bits take n * (2 +
 * log2(m/n)) bits by gaps, which is below 2 m; counts and offsets in blocks take less than as much
 * again. */
static uint64_t delta_most_bytes(const lfb_filter *filter)
{
  return DELTA_HEADER + 4096 + 4 * filter->description.geometry.word_count * sizeof(lfb_word);
}

lfb_status lfb_delta_apply_file(lfb_filter *filter, const char *path, uint64_t *turned_on)
{
  const lfb_read_limits limits = {.max_bytes = delta_most_bytes(filter)};
  void *made = NULL;
  lfb_status status = lfb_file_load(path, &limits, delta_load, &made);
  const delta_bytes *delta = made;

  if (status == LFB_OK)
    status = lfb_delta_apply(filter, delta->bytes, delta->size, turned_on);
  free(made);
  return status;
}
