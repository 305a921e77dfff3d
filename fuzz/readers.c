/* readers.c - the table of readers, and the rules of each form (docs/formats.md). */
#include "fuzz/readers.h"

#include <string.h>

#include "fuzz/counting.h"
#include "fuzz/growing.h"
#include "fuzz/mapped.h"
#include "fuzz/properties.h"
#include "fuzz/window.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
  NATIVE_HEADER = 256,
  NATIVE_WORD_COUNT = 32,
  NATIVE_WRITING = 72, /* number of bits set, and time: differ in each writing */
  NATIVE_WRITING_END = 88,
  NATIVE_IGNORED = 104, /* zeros are written for whatever was read */
  NATIVE_IGNORED_END = 168,
  NATIVE_CHECKSUM = 248,
  MIB = 1 << 20,
  SBBF_MOST_HEADER = 4096,
  MAPPED_PREFIX = 256,
  MAPPED_CHECKSUM = 248,
  MAPPED_ORDER = 16,
  MAPPED_WORDS = 24,
};

static bool native_begins(const fuzz_bytes *file)
{
  return file->size >= 6 && memcmp(file->at, "LFBLOO", 6) == 0;
}

void fuzz_native_mend_words(const fuzz_bytes *file, size_t header, uint64_t claimed)
{
  const size_t room = file->size - header;
  if (claimed == 0 || claimed > room / 8)
    return;
  const size_t size = (size_t)claimed * 8, table_size = (size + MIB - 1) / MIB * 8;
  if (room - size < table_size + 8)
    return;
  const unsigned char *words = file->at + header;
  unsigned char *table = file->at + header + size;

  for (size_t at = 0; at < size; at += MIB)
    fuzz_store64(table + at / MIB * 8,
                 XXH3_64bits(words + at, size - at < MIB ? size - at : (size_t)MIB));
  fuzz_store64(table + table_size, XXH3_64bits(table, table_size));
}

void fuzz_native_mend(const fuzz_bytes *file, fuzz_mend what)
{
  if (what == FUZZ_MEND_NOTHING || file->size < NATIVE_HEADER)
    return;
  fuzz_store64(file->at + NATIVE_CHECKSUM, XXH3_64bits(file->at, NATIVE_CHECKSUM));
  if (what == FUZZ_MEND_ALL)
    fuzz_native_mend_words(file, NATIVE_HEADER, fuzz_load64(file->at + NATIVE_WORD_COUNT));
}

/* Compares all except the fields that differ in each writing, and the header's checksum. */
/* Whether two native headers say the same. */
static bool native_header_same(const unsigned char *a, const unsigned char *b)
{
  return memcmp(a, b, NATIVE_WRITING) == 0 &&
         memcmp(a + NATIVE_WRITING_END, b + NATIVE_WRITING_END,
                NATIVE_IGNORED - NATIVE_WRITING_END) == 0 &&
         memcmp(a + NATIVE_IGNORED_END, b + NATIVE_IGNORED_END,
                NATIVE_CHECKSUM - NATIVE_IGNORED_END) == 0;
}

bool fuzz_native_same(const fuzz_bytes *read, const fuzz_bytes *written)
{
  return read->size == written->size && native_header_same(read->at, written->at) &&
         memcmp(read->at + NATIVE_HEADER, written->at + NATIVE_HEADER,
                read->size - NATIVE_HEADER) == 0;
}

static bool guava_begins(const fuzz_bytes *file)
{
  return file->size >= 1 && file->at[0] <= 1;
}

static bool guava_same(const fuzz_bytes *read, const fuzz_bytes *written)
{
  return read->size == written->size && memcmp(read->at, written->at, read->size) == 0;
}

static bool sbbf_begins(const fuzz_bytes *file)
{
  return file->size >= 1 && file->at[0] == 0x15;
}

/* Compares the bitset.  The header before it has many spellings of up to 4 KiB; the library writes
 * 15 to 19 bytes. */
static bool sbbf_same(const fuzz_bytes *read, const fuzz_bytes *written)
{
  const size_t size = written->size / 32 * 32;
  const size_t header = written->size - size;

  return header >= 15 && header <= 19 && read->size > size &&
         read->size - size <= SBBF_MOST_HEADER &&
         memcmp(read->at + read->size - size, written->at + header, size) == 0;
}

static bool mapped_begins(const fuzz_bytes *file)
{
  return file->size >= 6 && memcmp(file->at, "LFBMAP", 6) == 0;
}

static void mapped_mend(const fuzz_bytes *file, fuzz_mend what)
{
  if (what == FUZZ_MEND_NOTHING || file->size < MAPPED_PREFIX + NATIVE_HEADER)
    return;
  const fuzz_bytes header = {file->at + MAPPED_PREFIX, NATIVE_HEADER};
  fuzz_native_mend(&header, FUZZ_MEND_HEADER);
  fuzz_store64(file->at + MAPPED_CHECKSUM, XXH3_64bits(file->at, MAPPED_CHECKSUM));
}

/* Compares the words, each file in the byte order that it declares. */
static bool mapped_same_words(const fuzz_bytes *read, const fuzz_bytes *written)
{
  const uint64_t from = fuzz_load64(read->at + MAPPED_WORDS);
  const uint64_t to = fuzz_load64(written->at + MAPPED_WORDS);
  const uint64_t turn =
      memcmp(read->at + MAPPED_ORDER, written->at + MAPPED_ORDER, 8) == 0 ? 0 : 7;

  if (read->size - from != written->size - to)
    return false;
  for (uint64_t i = 0; i < read->size - from; i++)
    if (read->at[from + i] != written->at[to + (i ^ turn)])
      return false;
  return true;
}

/* Compares the native header, except the fields that differ in each writing, and the words.  The
 * writer chooses where the words begin, and the shared part. */
static bool mapped_same(const fuzz_bytes *read, const fuzz_bytes *written)
{
  return native_header_same(read->at + MAPPED_PREFIX, written->at + MAPPED_PREFIX) &&
         mapped_same_words(read, written);
}

static const fuzz_reader readers[] = {
    {
        .name = "native",
        .kind = &fuzz_plain,
        .form = LFB_FORM_NATIVE,
        .fixed = NATIVE_HEADER,
        .begins = native_begins,
        .mend = fuzz_native_mend,
        .same = fuzz_native_same,
        .use = fuzz_in_place_use,
        .refusals = {LFB_ERROR_UNKNOWN_FORM, LFB_ERROR_UNKNOWN_VERSION, LFB_ERROR_BAD_CHECKSUM,
                     LFB_ERROR_BAD_HEADER, LFB_ERROR_BAD_STRATEGY, LFB_ERROR_BAD_PROBES,
                     LFB_ERROR_BAD_WORD_COUNT, LFB_ERROR_KEY_NEEDED, LFB_ERROR_WRONG_KEY,
                     LFB_ERROR_OVER_LIMIT, LFB_ERROR_TRUNCATED, LFB_ERROR_OLD_FAST},
    },
    {
        .name = "guava",
        .kind = &fuzz_plain,
        .form = LFB_FORM_GUAVA,
        .begins = guava_begins,
        .same = guava_same,
        .use = fuzz_in_place_use,
        .refusals = {LFB_ERROR_BAD_PROBES, LFB_ERROR_BAD_WORD_COUNT, LFB_ERROR_OVER_LIMIT,
                     LFB_ERROR_TRUNCATED},
    },
    {
        .name = "sbbf",
        .kind = &fuzz_plain,
        .form = LFB_FORM_SBBF,
        .begins = sbbf_begins,
        .same = sbbf_same,
        .use = fuzz_in_place_use,
        .refusals = {LFB_ERROR_BAD_HEADER, LFB_ERROR_BAD_STRATEGY, LFB_ERROR_BAD_WORD_COUNT,
                     LFB_ERROR_OVER_LIMIT, LFB_ERROR_TRUNCATED},
    },
    {
        .name = "mapped",
        .kind = &fuzz_plain,
        .form = LFB_FORM_MAPPED,
        .begins = mapped_begins,
        .mend = mapped_mend,
        .same = mapped_same,
        .use = fuzz_mapped_use,
        .refusals = {LFB_ERROR_UNKNOWN_VERSION, LFB_ERROR_BAD_CHECKSUM, LFB_ERROR_BAD_HEADER,
                     LFB_ERROR_BAD_STRATEGY, LFB_ERROR_BAD_PROBES, LFB_ERROR_BAD_WORD_COUNT,
                     LFB_ERROR_KEY_NEEDED, LFB_ERROR_WRONG_KEY, LFB_ERROR_OVER_LIMIT,
                     LFB_ERROR_TRUNCATED, LFB_ERROR_OLD_FAST},
    },
    {
        .name = "growing",
        .kind = &fuzz_growing,
        .fixed = FUZZ_GROWING_HEADER,
        .begins = fuzz_growing_begins,
        .mend = fuzz_growing_mend,
        .same = fuzz_growing_same,
        .refusals = {LFB_ERROR_UNKNOWN_FORM, LFB_ERROR_UNKNOWN_VERSION, LFB_ERROR_BAD_CHECKSUM,
                     LFB_ERROR_BAD_HEADER, LFB_ERROR_BAD_STRATEGY, LFB_ERROR_BAD_PROBES,
                     LFB_ERROR_BAD_WORD_COUNT, LFB_ERROR_KEY_NEEDED, LFB_ERROR_WRONG_KEY,
                     LFB_ERROR_OVER_LIMIT, LFB_ERROR_TRUNCATED, LFB_ERROR_OLD_FAST},
    },
    {
        .name = "counting",
        .kind = &fuzz_counting,
        .fixed = FUZZ_COUNTING_HEADER,
        .begins = fuzz_counting_begins,
        .mend = fuzz_counting_mend,
        .same = fuzz_counting_same,
        .refusals = {LFB_ERROR_UNKNOWN_FORM, LFB_ERROR_UNKNOWN_VERSION, LFB_ERROR_BAD_CHECKSUM,
                     LFB_ERROR_BAD_HEADER, LFB_ERROR_BAD_STRATEGY, LFB_ERROR_BAD_PROBES,
                     LFB_ERROR_BAD_WORD_COUNT, LFB_ERROR_KEY_NEEDED, LFB_ERROR_WRONG_KEY,
                     LFB_ERROR_OVER_LIMIT, LFB_ERROR_TRUNCATED, LFB_ERROR_OLD_FAST},
    },
    {
        .name = "window",
        .kind = &fuzz_window,
        .fixed = FUZZ_WINDOW_HEADER,
        .begins = fuzz_window_begins,
        .mend = fuzz_window_mend,
        .same = fuzz_window_same,
        .refusals = {LFB_ERROR_UNKNOWN_FORM, LFB_ERROR_UNKNOWN_VERSION, LFB_ERROR_BAD_CHECKSUM,
                     LFB_ERROR_BAD_HEADER, LFB_ERROR_BAD_STRATEGY, LFB_ERROR_BAD_PROBES,
                     LFB_ERROR_BAD_WORD_COUNT, LFB_ERROR_KEY_NEEDED, LFB_ERROR_WRONG_KEY,
                     LFB_ERROR_OVER_LIMIT, LFB_ERROR_TRUNCATED, LFB_ERROR_OLD_FAST},
    },
};

const fuzz_reader *fuzz_reader_find(const char *name)
{
  for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
    if (strcmp(readers[i].name, name) == 0)
      return &readers[i];
  return NULL;
}
