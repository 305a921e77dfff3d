/*
 * parquet.c - finds the row groups of a Parquet file that may contain a value, by the Bloom
 * filters that the file has for a column.  Only these groups have to be read.
 *
 * The filter of a column in a row group is of strategy sbbf, in the sbbf form with its header; the
 * footer has its offset in the file (footer.h).  A key is a value as Parquet stores it: text as
 * its bytes, a number as 4 or 8 bytes, little-endian.
 */
#define _POSIX_C_SOURCE 200809L /* fseeko */
#include <errno.h>
#include <inttypes.h>
#include <lfbloom/filter_more.h>
#include <stdlib.h>
#include <string.h>

#include "examples/parquet/footer.h"

enum { PARQUET_MAYBE = 0, PARQUET_ABSENT = 1, PARQUET_TROUBLE = 2 };

/* A value as a key of a filter. */
struct key {
  unsigned char number[8];
  const void *bytes;
  size_t size;
};

struct file {
  const char *path;
  FILE *stream;
};

static int complain(const char *what, const char *why)
{
  fprintf(stderr, "parquet: %s: %s\n", what, why);
  return PARQUET_TROUBLE;
}

static void key_number(struct key *key, uint64_t value, size_t size)
{
  for (size_t i = 0; i < size; i++)
    key->number[i] = (unsigned char)(value >> 8 * i);
  key->bytes = key->number;
  key->size = size;
}

/* Parses a whole number of `size` bytes, signed or unsigned: Parquet stores both as the same
 * type. */
static bool key_whole(const char *text, size_t size, struct key *key)
{
  const int64_t least = size == 4 ? INT32_MIN : INT64_MIN;
  const uint64_t most = size == 4 ? UINT32_MAX : UINT64_MAX;
  char *end;

  errno = 0;
  const bool negative = text[0] == '-';
  const uint64_t value = negative ? (uint64_t)strtoll(text, &end, 10) : strtoull(text, &end, 10);
  key_number(key, value, size);
  return end != text && *end == '\0' && errno == 0 &&
         (negative ? (int64_t)value >= least : value <= most);
}

static bool key_real(const char *text, size_t size, struct key *key)
{
  char *end;
  uint64_t bits = 0;

  if (size == 4) {
    const float value = strtof(text, &end);
    uint32_t single;
    memcpy(&single, &value, sizeof single);
    bits = single;
  } else {
    const double value = strtod(text, &end);
    memcpy(&bits, &value, sizeof bits);
  }
  key_number(key, bits, size);
  return end != text && *end == '\0';
}

/* Converts a text to the key that a column of type `type` stores for it; false if there is none. */
static bool key_read(int64_t type, const char *text, struct key *key)
{
  switch (type) {
  case PARQUET_INT32:
    return key_whole(text, 4, key);
  case PARQUET_INT64:
    return key_whole(text, 8, key);
  case PARQUET_FLOAT:
    return key_real(text, 4, key);
  case PARQUET_DOUBLE:
    return key_real(text, 8, key);
  case PARQUET_BYTE_ARRAY:
  case PARQUET_FIXED:
    key->bytes = text;
    key->size = strlen(text);
    return true;
  default: /* booleans, which have no filters, and 12-byte timestamps */
    return false;
  }
}

static lfb_status file_read(void *from, void *bytes, size_t size, size_t *got)
{
  FILE *stream = from;

  *got = fread(bytes, 1, size, stream);
  return ferror(stream) ? LFB_ERROR_READ : LFB_OK;
}

/* Reads the filter of a chunk, at most 1 GiB, and nothing after it. */
static lfb_status filter_read(FILE *stream, const struct chunk *chunk, lfb_filter **filter)
{
  const lfb_read_limits limits = {.max_bytes = UINT64_C(1) << 30};

  if (fseeko(stream, (off_t)chunk->filter_offset, SEEK_SET) != 0)
    return LFB_ERROR_READ;
  return lfb_filter_read(file_read, stream, &limits, filter);
}

/* Whether a value may be present in a filter.  0.0 and -0.0 are equal, but writers keep the sign:
 * for either, both are queried. */
static bool filter_has(const lfb_filter *filter, int64_t type, const char *text)
{
  enum { SIGN = 0x80 };
  static const unsigned char zero[8] = {0};
  struct key key;

  if (!key_read(type, text, &key))
    return true;
  const bool maybe = lfb_filter_might_contain(filter, key.bytes, key.size);
  if (maybe || (type != PARQUET_FLOAT && type != PARQUET_DOUBLE))
    return maybe;
  key.number[key.size - 1] ^= SIGN;
  const bool other_zero = memcmp(key.number, zero, key.size - 1) == 0 &&
                          (key.number[key.size - 1] & ~(unsigned)SIGN) == 0;
  return other_zero && lfb_filter_might_contain(filter, key.number, key.size);
}

/* Prints one line; returns whether the value may be in the row group. */
static bool value_answer(const lfb_filter *filter, size_t group, uint64_t first,
                         const struct chunk *chunk, const char *text)
{
  const bool maybe = filter == NULL || filter_has(filter, chunk->type, text);

  printf("row group %zu, %" PRIu64 " rows from %" PRIu64 ": %s %s\n", group, chunk->rows, first,
         filter == NULL ? "no filter" : maybe ? "maybe" : "no", text);
  return maybe;
}

/* Prints the answers for all values in one row group. */
static int group_answer(const struct file *file, size_t group, uint64_t first,
                        const struct chunk *chunk, char *const *values)
{
  lfb_filter *filter = NULL;
  int result = PARQUET_ABSENT;
  const lfb_status status =
      chunk->filter_offset == 0 ? LFB_OK : filter_read(file->stream, chunk, &filter);

  if (status != LFB_OK) {
    fprintf(stderr, "parquet: %s: the filter of row group %zu: %s\n", file->path, group,
            lfb_status_text(status));
    return PARQUET_TROUBLE;
  }
  for (; *values != NULL; values++)
    if (value_answer(filter, group, first, chunk, *values))
      result = PARQUET_MAYBE;
  lfb_filter_free(filter);
  return result;
}

/* Checks, before anything is printed, that each value is of the column's type. */
static bool values_fit(const struct footer *footer, char *const *values)
{
  struct key key;

  for (size_t group = 0; group < footer->count; group++)
    for (char *const *value = values; *value != NULL; value++)
      if (!key_read(footer->chunks[group].type, *value, &key)) {
        (void)complain(*value, "not a value of the column's type, or the type has no filters");
        return false;
      }
  return true;
}

static int footer_answer(const struct file *file, const struct footer *footer,
                         char *const *values)
{
  uint64_t first = 0;
  int result = PARQUET_ABSENT;

  if (!values_fit(footer, values))
    return PARQUET_TROUBLE;
  for (size_t group = 0; group < footer->count; group++) {
    const struct chunk *chunk = &footer->chunks[group];
    const int answer = group_answer(file, group, first, chunk, values);
    if (answer == PARQUET_TROUBLE)
      return answer;
    if (answer == PARQUET_MAYBE)
      result = answer;
    first += chunk->rows;
  }
  if (fflush(stdout) != 0)
    return complain("standard output", strerror(errno));
  return result;
}

static int file_answer(const struct file *file, const char *column, char *const *values)
{
  struct footer footer;
  const char *wrong = footer_read(file->stream, column, &footer);

  if (wrong != NULL)
    return complain(file->path, wrong);
  const int result = footer_answer(file, &footer, values);
  free(footer.chunks);
  return result;
}

int main(int argc, char **argv)
{
  struct file file = {.path = argc < 4 ? NULL : argv[1]};

  if (argc < 4) {
    fprintf(stderr, "usage: parquet FILE COLUMN VALUE...\n"
                    "Prints for each row group of a Parquet file whether COLUMN may contain\n"
                    "VALUE, by the file's own Bloom filters: `no` is certain.  Exits with 0 if any\n"
                    "VALUE may be in the file, with 1 if none is, with 2 on an error.\n");
    return PARQUET_TROUBLE;
  }
  file.stream = fopen(file.path, "rb");
  if (file.stream == NULL)
    return complain(file.path, strerror(errno));
  const int result = file_answer(&file, argv[2], argv + 3);
  (void)fclose(file.stream);
  return result;
}
