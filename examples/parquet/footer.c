/* footer.c - reads the footer, which its length and "PAR1" follow at the end of the file. */
#define _POSIX_C_SOURCE 200809L /* fseeko */
#include "examples/parquet/footer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "examples/parquet/thrift.h"

enum { TAIL_SIZE = 8, MAGIC_SIZE = 4 };

static const char *const contradicts = "the footer contradicts itself";

/* A chunk, of any column, as it is read. */
struct described {
  struct chunk chunk;
  bool typed;
  bool wanted;    /* it is the wanted column */
  bool elsewhere; /* it is in another file   */
};

/* Reads a list of names; returns whether they are those of `column`, which joins them by dots. */
static bool path_matches(struct thrift *thrift, const char *column)
{
  const uint64_t names = thrift_list(thrift, THRIFT_BINARY);
  bool same = names > 0;

  for (uint64_t i = 0; i < names; i++) {
    const struct thrift_text name = thrift_text(thrift);
    if (i > 0)
      same = same && *column++ == '.';
    same = same && strlen(column) >= name.size && memcmp(column, name.bytes, name.size) == 0;
    column += same ? name.size : 0;
  }
  return same && !thrift->bad && *column == '\0';
}

/* ColumnMetaData */
static void column_read(struct thrift *thrift, const char *column, struct described *described)
{
  struct thrift_field field = {0};

  while (thrift_next(thrift, &field)) {
    if (thrift_is(thrift, &field, 1, THRIFT_I32)) {
      described->chunk.type = thrift_number(thrift);
      described->typed = true;
    } else if (thrift_is(thrift, &field, 3, THRIFT_LIST)) {
      described->wanted = path_matches(thrift, column);
    } else if (thrift_is(thrift, &field, 14, THRIFT_I64)) {
      described->chunk.filter_offset = thrift_number(thrift);
    } else {
      thrift_skip(thrift, field.type);
    }
  }
}

/* ColumnChunk */
static void chunk_read(struct thrift *thrift, const char *column, struct described *described)
{
  struct thrift_field field = {0};

  while (thrift_next(thrift, &field)) {
    if (thrift_is(thrift, &field, 1, THRIFT_BINARY))
      described->elsewhere = thrift_text(thrift).size > 0;
    else if (thrift_is(thrift, &field, 3, THRIFT_STRUCT))
      column_read(thrift, column, described);
    else
      thrift_skip(thrift, field.type);
  }
}

/* Reads the columns of a RowGroup; sets `found` to the wanted one. */
static void columns_read(struct thrift *thrift, const char *column, struct described *found)
{
  for (uint64_t left = thrift_list(thrift, THRIFT_STRUCT); left > 0; left--) {
    struct described described = {0};
    chunk_read(thrift, column, &described);
    if (described.wanted)
      *found = described;
  }
}

/* RowGroup; returns NULL, or an error message. */
static const char *group_read(struct thrift *thrift, const char *column, struct chunk *chunk)
{
  struct thrift_field field = {0};
  struct described found = {0};
  int64_t rows = -1;

  while (thrift_next(thrift, &field)) {
    if (thrift_is(thrift, &field, 1, THRIFT_LIST))
      columns_read(thrift, column, &found);
    else if (thrift_is(thrift, &field, 3, THRIFT_I64))
      rows = thrift_number(thrift);
    else
      thrift_skip(thrift, field.type);
  }
  if (thrift->bad || rows < 0 || (found.wanted && !found.typed) || found.chunk.filter_offset < 0)
    return contradicts;
  if (!found.wanted)
    return "there is no such column (name a nested one by its path, with dots)";
  if (found.elsewhere)
    return "the column is in another file";
  *chunk = found.chunk;
  chunk->rows = (uint64_t)rows;
  return NULL;
}

static const char *groups_read(struct thrift *thrift, const char *column, struct footer *footer)
{
  const uint64_t count = thrift_list(thrift, THRIFT_STRUCT);
  const char *wrong = thrift->bad ? contradicts : NULL;

  if (count == 0 || footer->chunks != NULL) /* none, or a second list of them */
    return count == 0 ? wrong : contradicts;
  footer->chunks = calloc((size_t)count, sizeof *footer->chunks);
  if (footer->chunks == NULL)
    return "out of memory";
  for (; footer->count < count && wrong == NULL; footer->count++)
    wrong = group_read(thrift, column, &footer->chunks[footer->count]);
  return wrong;
}

/* FileMetaData */
static const char *metadata_read(struct thrift *thrift, const char *column, struct footer *footer)
{
  struct thrift_field field = {0};
  const char *wrong = NULL;

  while (wrong == NULL && thrift_next(thrift, &field)) {
    if (thrift_is(thrift, &field, 4, THRIFT_LIST))
      wrong = groups_read(thrift, column, footer);
    else
      thrift_skip(thrift, field.type);
  }
  return wrong == NULL && thrift->bad ? contradicts : wrong;
}

/* Seeks to the start of the footer, and sets `size` to its size in bytes. */
static const char *footer_find(FILE *file, size_t *size)
{
  unsigned char tail[TAIL_SIZE];
  const off_t end = fseeko(file, 0, SEEK_END) == 0 ? ftello(file) : -1;

  if (end < 0)
    return "cannot seek to the end of the file";
  if (end < MAGIC_SIZE + TAIL_SIZE || fseeko(file, end - TAIL_SIZE, SEEK_SET) != 0 ||
      fread(tail, 1, sizeof tail, file) != sizeof tail)
    return "not a Parquet file";
  if (memcmp(tail + MAGIC_SIZE, "PARE", MAGIC_SIZE) == 0)
    return "its footer is encrypted";
  if (memcmp(tail + MAGIC_SIZE, "PAR1", MAGIC_SIZE) != 0)
    return "not a Parquet file";
  *size = tail[0] | (size_t)tail[1] << 8 | (size_t)tail[2] << 16 | (size_t)tail[3] << 24;
  if ((uint64_t)*size > (uint64_t)(end - TAIL_SIZE - MAGIC_SIZE))
    return "its footer is longer than the file";
  return fseeko(file, end - TAIL_SIZE - (off_t)*size, SEEK_SET) == 0 ? NULL : "cannot be read";
}

const char *footer_read(FILE *file, const char *column, struct footer *footer)
{
  size_t size = 0;
  struct footer read = {0};
  const char *wrong = footer_find(file, &size);

  if (wrong != NULL)
    return wrong;
  unsigned char *bytes = malloc(size + 1);
  if (bytes == NULL)
    return "out of memory";
  if (fread(bytes, 1, size, file) != size) {
    wrong = "cannot be read";
  } else {
    struct thrift thrift = {.at = bytes, .end = bytes + size};
    wrong = metadata_read(&thrift, column, &read);
  }
  free(bytes);
  if (wrong == NULL)
    *footer = read;
  else
    free(read.chunks);
  return wrong;
}
