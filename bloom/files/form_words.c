/*
 * form_words.c - reading and writing the words of a form.
 *
 * Words with checksums: the words, little-endian; then the XXH3-64 of each MiB; then the XXH3-64 of
 * this table of checksums.
 */
#include "bloom/files/forms.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bloom/filter/digest.h"

/*
 * Words are read and written in pieces, each with its own checksum.  All work on a piece is done
 * while the cache holds it, so save and load pass over the memory once.  Smaller pieces need more
 * system calls: pieces of 16 KiB took twice the time on ext4.
 */
#define PIECE_BYTES LFB_CHECKED_BYTES

/* Bytes of memory allocated because a header claims them; more only as words are read.  A multiple
 * of PIECE_BYTES. */
#define FIRST_BYTES PIECE_BYTES

/* Converts words from a byte order to this processor's, or back. */
static void words_reorder(uint64_t *words, size_t count, lfb_byte_order order)
{
  const bool swap = order != lfb_byte_order_here();

  for (size_t i = 0; swap && i < count; i++)
    words[i] = __builtin_bswap64(words[i]);
}

lfb_status lfb_form_read_bytes(const lfb_reader *reader, void *bytes, size_t size)
{
  for (size_t have = 0; have < size;) {
    size_t got = 0;
    const lfb_status status =
        reader->read(reader->from, (char *)bytes + have, size - have, &got);
    if (status != LFB_OK)
      return status;
    if (got == 0)
      return LFB_ERROR_TRUNCATED;
    have += got;
  }
  return LFB_OK;
}

lfb_status lfb_form_skip(const lfb_reader *reader, uint64_t from, uint64_t to)
{
  unsigned char piece[4096];

  while (from < to) {
    const uint64_t left = to - from;
    const size_t size = left < sizeof piece ? (size_t)left : sizeof piece;
    const lfb_status status = lfb_form_read_bytes(reader, piece, size);
    if (status != LFB_OK)
      return status;
    from += size;
  }
  return LFB_OK;
}

void lfb_form_compared(const lfb_reader *reader, uint64_t offset, uint64_t size, bool match)
{
  lfb_damage *damage = reader->limits.damage;

  if (damage == NULL)
    return;
  damage->checked_bytes += size;
  if (match)
    return;
  if (damage->count < LFB_DAMAGE_LISTED)
    damage->first[damage->count] = (lfb_extent){reader->at + offset, size};
  damage->count++;
  damage->bytes += size;
}

lfb_status lfb_form_decoded(const lfb_reader *reader, uint64_t size, lfb_status status)
{
  if (status != LFB_ERROR_UNKNOWN_FORM && status != LFB_ERROR_UNKNOWN_VERSION)
    lfb_form_compared(reader, 0, size, status != LFB_ERROR_BAD_CHECKSUM);
  return status;
}

/* How many checksums there are for `size` bytes of words. */
static size_t words_checksums(uint64_t size)
{
  return (size_t)((size + PIECE_BYTES - 1) / PIECE_BYTES);
}

uint64_t lfb_form_checked_size(uint64_t size)
{
  return size + (words_checksums(size) + 1) * sizeof(uint64_t);
}

/* Allocates room for `size` bytes of words.  Fails as lfb_pages_init(). */
static lfb_status words_init(lfb_words *come, uint64_t size)
{
  assert(size != 0);
  come->checksums = malloc(words_checksums(size) * sizeof *come->checksums);
  if (come->checksums == NULL)
    return LFB_ERROR_NO_MEMORY;
  const lfb_status status = lfb_pages_init(&come->pages, size, false);
  if (status != LFB_OK)
    free(come->checksums);
  return status;
}

void lfb_words_free(lfb_words *come)
{
  free(come->checksums);
  lfb_pages_free(&come->pages);
}

/* Moves the words read so far into more memory, at most 4 times their size. */
static lfb_status words_grow(lfb_words *come, uint64_t wanted)
{
  const uint64_t have = come->pages.size;
  lfb_words larger = *come;
  const lfb_status status = words_init(&larger, wanted / 4 > have ? 4 * have : wanted);

  if (status != LFB_OK)
    return status;
  memcpy(larger.pages.address, come->pages.address, (size_t)have);
  memcpy(larger.checksums, come->checksums, words_checksums(have) * sizeof *come->checksums);
  lfb_words_free(come);
  *come = larger;
  return LFB_OK;
}

/* Counts the bits of a piece of words. */
static void words_count(lfb_words *come, const uint64_t *words, size_t count)
{
  const uint64_t bits = lfb_digest_bits(words, count);

  come->bits_set += bits;
  come->full_words += bits == count * (uint64_t)LFB_WORD_BITS ? count : 0;
}

/* Counts the bits of all words again, after words were changed. */
static void words_recount(lfb_words *come)
{
  const uint64_t most = PIECE_BYTES / sizeof(uint64_t);
  const uint64_t word_count = come->pages.size / sizeof(uint64_t);
  const uint64_t *words = come->pages.address;

  come->bits_set = come->full_words = 0;
  for (uint64_t at = 0; at < word_count; at += most)
    words_count(come, words + at, (size_t)(word_count - at < most ? word_count - at : most));
}

/* Reads the piece that begins at byte `at`. */
static lfb_status words_read_piece(const lfb_reader *reader, lfb_byte_order order, lfb_words *come,
                                   uint64_t at)
{
  const uint64_t left = come->pages.size - at;
  const size_t bytes = (size_t)(left < PIECE_BYTES ? left : PIECE_BYTES);
  uint64_t *words = (uint64_t *)come->pages.address + at / sizeof *words;
  const lfb_status status = lfb_form_read_bytes(reader, words, bytes);

  if (status != LFB_OK)
    return status;
  come->checksums[at / PIECE_BYTES] = LFB_LITTLE_64(lfb_digest_xxh3(words, bytes));
  words_count(come, words, bytes / sizeof *words);
  words_reorder(words, bytes / sizeof *words, order);
  return LFB_OK;
}

bool lfb_form_overhangs(const lfb_geometry *geometry, uint64_t last_word)
{
  const uint32_t used = geometry->bit_count % LFB_WORD_BITS;
  return used != 0 && last_word >> used != 0;
}

/* Turns off the bits after the filter's last bit.  Returns how many were set. */
static uint32_t words_cut(const lfb_geometry *geometry, uint64_t *last)
{
  const uint64_t seen = *last;

  if (lfb_form_overhangs(geometry, seen))
    *last &= (UINT64_C(1) << geometry->bit_count % LFB_WORD_BITS) - 1;
  return lfb_word_count(seen ^ *last);
}

/* Makes a filter of checked words.  On success it owns the pages. */
static lfb_status words_make(const lfb_description *description, lfb_words *come,
                             lfb_filter **filter)
{
  const lfb_geometry *geometry = &description->geometry;
  uint64_t *last = (uint64_t *)come->pages.address + geometry->word_count - 1;
  lfb_filter *made;

  if (come->changed) {
    words_recount(come); /* first: so the last piece counts as full, too */
    come->bits_set -= words_cut(geometry, last);
  }
  if (lfb_form_overhangs(geometry, *last))
    return LFB_ERROR_BAD_HEADER;
  const lfb_status status = lfb_filter_make(description, &come->pages, &made);
  if (status != LFB_OK)
    return status;
  come->pages = (lfb_pages){0};
  lfb_bit_array_add(&made->layout.bits, come->bits_set);
  /* relaxed: no other thread has the filter yet. */
  atomic_store_explicit(&made->full_words, come->full_words, memory_order_relaxed);
  *filter = made;
  return LFB_OK;
}

lfb_status lfb_form_take_words(const lfb_reader *reader, lfb_byte_order order, uint64_t size,
                               lfb_words *words)
{
  lfb_words come = {0};

  if (reader->limits.max_bytes != 0 && size > reader->limits.max_bytes)
    return LFB_ERROR_OVER_LIMIT;
  if (reader->known_bytes != 0 && size > reader->known_bytes)
    return LFB_ERROR_TRUNCATED;
  const bool all_there = reader->known_bytes != 0 || size < FIRST_BYTES;
  lfb_status status = words_init(&come, all_there ? size : FIRST_BYTES);
  if (status != LFB_OK)
    return status;
  for (uint64_t have = 0; status == LFB_OK && have < size; have += PIECE_BYTES) {
    if (have == come.pages.size)
      status = words_grow(&come, size);
    if (status == LFB_OK)
      status = words_read_piece(reader, order, &come, have);
  }
  if (status == LFB_OK)
    *words = come;
  else
    lfb_words_free(&come);
  return status;
}

lfb_status lfb_form_read_words(const lfb_reader *reader, lfb_byte_order order,
                               lfb_words_check check, const lfb_description *description,
                               lfb_filter **filter)
{
  lfb_words come;

  lfb_status status = lfb_form_take_words(
      reader, order, description->geometry.word_count * sizeof(lfb_word), &come);
  if (status != LFB_OK)
    return status;
  if (check != NULL)
    status = check(reader, &come);
  if (status == LFB_OK)
    status = words_make(description, &come, filter);
  lfb_words_free(&come);
  return status;
}

/* Writes a piece of `count` words from word `first` on.  It writes a copy, which concurrent puts do
 * not change. */
static lfb_status words_write_piece(const lfb_bit_array *bits, uint64_t first, uint64_t *copy,
                                    size_t count, lfb_byte_order order, const lfb_writer *writer,
                                    uint64_t *checksum)
{
  const size_t size = count * sizeof *copy;

  lfb_bit_array_snapshot(bits, first, copy, count);
  words_reorder(copy, count, order);
  if (checksum != NULL)
    *checksum = LFB_LITTLE_64(lfb_digest_xxh3(copy, size));
  return writer->write(writer->to, copy, size);
}

lfb_status lfb_form_write_words(const lfb_bit_array *bits, lfb_byte_order order,
                                const lfb_writer *writer, uint64_t *checksums)
{
  const uint64_t piece = PIECE_BYTES / sizeof(uint64_t);
  const size_t most = (size_t)(bits->word_count < piece ? bits->word_count : piece);
  uint64_t *copy = malloc(most * sizeof *copy);
  lfb_status status = copy == NULL ? LFB_ERROR_NO_MEMORY : LFB_OK;

  for (uint64_t first = 0; status == LFB_OK && first < bits->word_count; first += most) {
    const uint64_t left = bits->word_count - first;
    status = words_write_piece(bits, first, copy, left < most ? (size_t)left : most, order, writer,
                               checksums == NULL ? NULL : &checksums[first / piece]);
  }
  free(copy);
  return status;
}

/* ---- words with checksums ------------------------------------------------------------ */

lfb_status lfb_form_write_checked(const lfb_bit_array *bits, const lfb_writer *writer)
{
  const size_t count = words_checksums(bits->word_count * sizeof(lfb_word));
  uint64_t *table = malloc((count + 1) * sizeof *table);

  if (table == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = lfb_form_write_words(bits, LFB_ORDER_LITTLE, writer, table);
  if (status == LFB_OK) {
    table[count] = LFB_LITTLE_64(lfb_digest_xxh3(table, count * sizeof *table));
    status = writer->write(writer->to, table, (count + 1) * sizeof *table);
  }
  free(table);
  return status;
}

/* Compares the words' checksums with the table.  Sets words that do not match to all ones. */
static void words_mend(const lfb_reader *reader, uint64_t offset, lfb_words *words,
                       const uint64_t *table)
{
  for (uint64_t at = 0; at < words->pages.size; at += PIECE_BYTES) {
    const uint64_t left = words->pages.size - at, number = at / PIECE_BYTES;
    const size_t piece = (size_t)(left < PIECE_BYTES ? left : PIECE_BYTES);
    const bool match = words->checksums[number] == table[number];
    lfb_form_compared(reader, offset + at, piece, match);
    if (match)
      continue;
    memset((unsigned char *)words->pages.address + at, 0xff, piece);
    words->changed = true;
  }
}

lfb_status lfb_form_check_words(const lfb_reader *reader, uint64_t offset, lfb_words *words)
{
  const size_t count = words_checksums(words->pages.size), size = (count + 1) * sizeof(uint64_t);
  uint64_t *table = malloc(size);

  if (table == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = lfb_form_read_bytes(reader, table, size);
  if (status == LFB_OK) {
    const bool whole = lfb_digest_xxh3(table, count * sizeof *table) == LFB_LITTLE_64(table[count]);
    words_mend(reader, offset, words, table);
    lfb_form_compared(reader, offset + words->pages.size, size, whole);
    if ((!whole || words->changed) && !reader->limits.open_damaged)
      status = LFB_ERROR_BAD_CHECKSUM;
  }
  free(table);
  return status;
}
