/*
 * words.c - describes, reads and writes a filter in memory.
 *
 * A filter is made by lfb_filter_read() from a form that is put together here: Guava's, if Redis
 * has it, or the native one.  A description is read from the header of the native form.
 */
#include "redis/filter/words.h"

#include <stdlib.h>
#include <string.h>

#include "bloom/files/guava_header.h"
#include "bloom/files/native_header.h"
#include "bloom/filter/digest.h"

enum { WORDS_PIECE = LFB_CHECKED_BYTES / sizeof(uint64_t) }; /* words converted at a time */

/* Reverses the bits of each byte. */
static uint64_t word_turn(uint64_t word)
{
  word = (word >> 1 & UINT64_C(0x5555555555555555)) | (word & UINT64_C(0x5555555555555555)) << 1;
  word = (word >> 2 & UINT64_C(0x3333333333333333)) | (word & UINT64_C(0x3333333333333333)) << 2;
  return (word >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (word & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
}

/* Converts words from little-endian to a stream's order, or back.  The bytes of a word are at
 * the same offsets on any processor. */
static void words_convert(uint64_t *words, size_t count, lfb_words_order order)
{
  for (size_t i = 0; i < count; i++)
    words[i] = order == LFB_WORDS_TURNED ? word_turn(words[i]) : __builtin_bswap64(words[i]);
}

/* ---- the description ------------------------------------------------------------- */

typedef struct words_header {
  unsigned char bytes[LFB_NATIVE_HEADER];
  size_t have;
} words_header;

/* Takes the header, and stops the writing after it. */
static lfb_status header_take(void *to, const void *bytes, size_t size)
{
  words_header *header = to;
  const size_t left = sizeof header->bytes - header->have, taken = size < left ? size : left;

  memcpy(header->bytes + header->have, bytes, taken);
  header->have += taken;
  return header->have < sizeof header->bytes ? LFB_OK : LFB_ERROR_STOPPED;
}

lfb_status lfb_words_describe(const lfb_filter *filter, lfb_description *description)
{
  words_header header = {.have = 0};
  lfb_config hash = {.strategy = LFB_DEFAULT};

  const lfb_status written = lfb_filter_write(filter, LFB_FORM_NATIVE, header_take, &header);
  if (header.have < sizeof header.bytes)
    return written;
  /* The header may lack the key of a keyed hash. */
  const lfb_status status = lfb_config_take_hash(&hash, filter);
  return status == LFB_OK ? lfb_native_decode(header.bytes,
                                              lfb_config_has_key(&hash) ? hash.key : NULL,
                                              description)
                          : status;
}

/* ---- reading ---------------------------------------------------------------------- */

/* A form: a header, then words from a stream; then, of the native form, the checksum of each piece
 * of words and that of this table. */
typedef struct words_form {
  const lfb_description *description;
  lfb_words_order order;
  lfb_read_fn read; /* the stream */
  void *from;
  unsigned char header[LFB_NATIVE_HEADER];
  uint64_t *piece; /* NULL: Guava's form, which has the words in the order of the stream */
  uint64_t *table;
  uint64_t pieces, read_pieces; /* in all; read so far */
  const unsigned char *at;      /* bytes of the form that were not read yet */
  size_t left;
} words_form;

static lfb_status form_begin_native(words_form *form)
{
  const uint64_t words = form->description->geometry.word_count;

  form->pieces = (words - 1) / WORDS_PIECE + 1;
  form->piece = malloc(LFB_CHECKED_BYTES);
  form->table = malloc((size_t)(form->pieces + 1) * sizeof *form->table);
  lfb_native_encode(form->description, 0, form->description->written, form->header);
  form->left = LFB_NATIVE_HEADER;
  return form->piece != NULL && form->table != NULL ? LFB_OK : LFB_ERROR_NO_MEMORY;
}

static lfb_status form_begin_guava(words_form *form)
{
  lfb_guava_encode(form->description, form->header);
  form->left = LFB_GUAVA_HEADER;
  return LFB_OK;
}

/* Reads exactly `size` bytes of the stream. */
static lfb_status form_fill(const words_form *form, void *bytes, size_t size)
{
  for (size_t have = 0, got = 0; have < size; have += got) {
    const lfb_status status = form->read(form->from, (char *)bytes + have, size - have, &got);
    if (status != LFB_OK)
      return status;
    if (got == 0)
      return LFB_ERROR_TRUNCATED;
  }
  return LFB_OK;
}

/* Turns off the bits after the filter's last one, in the last word. */
static void form_cut(const words_form *form, uint64_t *last)
{
  const uint32_t used = form->description->geometry.bit_count % LFB_WORD_BITS;

  if (used != 0)
    *last &= LFB_LITTLE_64((UINT64_C(1) << used) - 1);
}

static lfb_status form_next_piece(words_form *form)
{
  const uint64_t left =
      form->description->geometry.word_count - form->read_pieces * (uint64_t)WORDS_PIECE;
  const size_t count = left < WORDS_PIECE ? (size_t)left : (size_t)WORDS_PIECE;
  const lfb_status status = form_fill(form, form->piece, count * sizeof *form->piece);

  if (status != LFB_OK)
    return status;
  words_convert(form->piece, count, form->order);
  if (form->order == LFB_WORDS_TURNED && left == count)
    form_cut(form, &form->piece[count - 1]);
  form->at = (const unsigned char *)form->piece;
  form->left = count * sizeof *form->piece;
  form->table[form->read_pieces++] = LFB_LITTLE_64(lfb_digest_xxh3(form->piece, form->left));
  return LFB_OK;
}

static void form_end(words_form *form)
{
  const size_t size = (size_t)form->pieces * sizeof *form->table;

  form->table[form->pieces] = LFB_LITTLE_64(lfb_digest_xxh3(form->table, size));
  form->at = (const unsigned char *)form->table;
  form->left = size + sizeof *form->table;
}

/* Delivers the form's next bytes, as lfb_read_fn. */
static lfb_status form_read(void *from, void *bytes, size_t size, size_t *got)
{
  words_form *form = from;
  lfb_status status = LFB_OK;

  if (form->left == 0 && form->piece == NULL)
    return form->read(form->from, bytes, size, got);
  if (form->left == 0 && form->read_pieces < form->pieces)
    status = form_next_piece(form);
  else if (form->left == 0)
    form_end(form);
  if (status != LFB_OK)
    return status;
  *got = size < form->left ? size : form->left;
  memcpy(bytes, form->at, *got);
  form->at += *got;
  form->left -= *got;
  return LFB_OK;
}

static lfb_status form_make(words_form *form, uint64_t max_bytes, lfb_filter **filter)
{
  const lfb_hash_identity *hash = &form->description->hash;
  uint8_t key[LFB_HASHER_KEY];

  lfb_hash_key(hash, key);
  return lfb_filter_read(
      form_read, form,
      &(lfb_read_limits){.max_bytes = max_bytes, .key = lfb_hash_keyed(hash->kind) ? key : NULL},
      filter);
}

lfb_status lfb_words_read(const lfb_description *description, lfb_words_order order,
                          uint64_t max_bytes, lfb_read_fn read, void *from, lfb_filter **filter)
{
  words_form form = {.description = description, .order = order, .read = read, .from = from};

  form.at = form.header;
  lfb_status status = description->form == LFB_FORM_GUAVA ? form_begin_guava(&form)
                                                          : form_begin_native(&form);
  if (status == LFB_OK)
    status = form_make(&form, max_bytes, filter);
  free(form.piece);
  free(form.table);
  return status;
}

/* ---- writing ---------------------------------------------------------------------- */

/* Copies the words from `first` on, in the stream's order.  Returns how many. */
static size_t words_copy(const lfb_filter *filter, uint64_t first, lfb_words_order order,
                         uint64_t *words)
{
  const size_t count = lfb_filter_words(filter, first, words, WORDS_PIECE);

  for (size_t i = 0; i < count; i++)
    words[i] = LFB_LITTLE_64(words[i]);
  words_convert(words, count, order);
  return count;
}

lfb_status lfb_words_write(const lfb_filter *filter, lfb_words_order order, lfb_write_fn write,
                           void *to)
{
  uint64_t *words = malloc(LFB_CHECKED_BYTES);
  lfb_status status = words == NULL ? LFB_ERROR_NO_MEMORY : LFB_OK;
  uint64_t first = 0;

  for (size_t count = 1; status == LFB_OK && count > 0; first += count) {
    count = words_copy(filter, first, order, words);
    if (count > 0)
      status = write(to, words, count * sizeof *words);
  }
  free(words);
  return status;
}
