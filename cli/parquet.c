/* parquet.c - finds and asks the Bloom filters in a Parquet file. */
#define _POSIX_C_SOURCE 200809L /* fseeko */
#include "cli/parquet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bloom/files/thrift.h"
#include "bloom/hashing/murmur.h"
#include "cli/report.h"
#include "cli/start.h"

enum { PARQUET_MARK = 4, PARQUET_TAIL = 8 }; /* "PAR1"; the footer's size and "PAR1" */

/* Types of values.   Source  parquet.thrift, Type. */
enum { PARQUET_INT32 = 1, PARQUET_INT64 = 2, PARQUET_FLOAT = 4, PARQUET_DOUBLE = 5 };

bool parquet_is(const char *path)
{
  char head[PARQUET_MARK];

  return start_read(path, head, sizeof head) == sizeof head && memcmp(head, "PAR1", sizeof head) == 0;
}

/* ---- the footer -------------------------------------------------------------------- */

/* Whether a field has this number; then its type must be this one. */
static bool field_is(lfb_thrift *thrift, const lfb_thrift_field *field, int64_t number, uint8_t type)
{
  if (field->number == number && field->type != type)
    thrift->status = LFB_ERROR_BAD_HEADER;
  return field->number == number && thrift->status == LFB_OK;
}

/* Reads a list of names, and joins them by dots.  NULL after a failure, or if there is none. */
static char *names_read(lfb_thrift *thrift)
{
  char *joined = NULL;
  size_t size = 0;

  for (uint64_t left = lfb_thrift_list(thrift, LFB_THRIFT_BINARY); left > 0; left--) {
    uint32_t more;
    const unsigned char *name = lfb_thrift_text(thrift, &more);
    char *longer = realloc(joined, size + more + 2);
    if (longer == NULL) {
      free(joined);
      thrift->status = LFB_ERROR_NO_MEMORY;
      return NULL;
    }
    joined = longer;
    memcpy(joined + size, name, more);
    size += more + 1;
    joined[size - 1] = left > 1 ? '.' : '\0';
    if (thrift->status != LFB_OK) { /* no further name can be read */
      joined[size - 1] = '\0';
      break;
    }
  }
  return joined;
}

/* ColumnMetaData */
static void metadata_read(lfb_thrift *thrift, struct parquet_chunk *chunk)
{
  lfb_thrift_field field = {0};

  while (lfb_thrift_next(thrift, &field))
    if (field_is(thrift, &field, 1, LFB_THRIFT_I32))
      chunk->type = lfb_thrift_number(thrift);
    else if (chunk->column == NULL && field_is(thrift, &field, 3, LFB_THRIFT_LIST))
      chunk->column = names_read(thrift);
    else if (field_is(thrift, &field, 14, LFB_THRIFT_I64))
      chunk->offset = lfb_thrift_number(thrift);
    else if (field_is(thrift, &field, 15, LFB_THRIFT_I32))
      chunk->length = lfb_thrift_number(thrift);
    else
      lfb_thrift_skip(thrift, field.type);
}

/* ColumnChunk.  If it is in another file, there is no filter here. */
static void chunk_read(lfb_thrift *thrift, struct parquet_chunk *chunk)
{
  lfb_thrift_field field = {0};
  uint32_t elsewhere = 0;

  while (lfb_thrift_next(thrift, &field))
    if (field_is(thrift, &field, 1, LFB_THRIFT_BINARY))
      (void)lfb_thrift_text(thrift, &elsewhere);
    else if (field_is(thrift, &field, 3, LFB_THRIFT_STRUCT))
      metadata_read(thrift, chunk);
    else
      lfb_thrift_skip(thrift, field.type);
  if (elsewhere > 0)
    chunk->offset = 0;
}

/* Reads the chunks of a row group.  If the description of one is encrypted, it has no name, and is left out. */
static void chunks_read(lfb_thrift *thrift, struct parquet *parquet)
{
  for (uint64_t left = lfb_thrift_list(thrift, LFB_THRIFT_STRUCT); thrift->status == LFB_OK && left > 0;
       left--) {
    const size_t count = parquet->count;
    if ((count & (count - 1)) == 0) { /* 0 or a power of two: there is no more room */
      struct parquet_chunk *more = realloc(parquet->chunks, (2 * count + 1) * sizeof *more);
      if (more == NULL) {
        thrift->status = LFB_ERROR_NO_MEMORY;
        return;
      }
      parquet->chunks = more;
    }
    parquet->chunks[count] = (struct parquet_chunk){.group = parquet->groups};
    chunk_read(thrift, &parquet->chunks[count]);
    parquet->count += parquet->chunks[count].column != NULL;
  }
}

/* RowGroup */
static void group_read(lfb_thrift *thrift, struct parquet *parquet)
{
  const size_t first = parquet->count;
  lfb_thrift_field field = {0};
  int64_t rows = -1;

  while (lfb_thrift_next(thrift, &field))
    if (field_is(thrift, &field, 1, LFB_THRIFT_LIST))
      chunks_read(thrift, parquet);
    else if (field_is(thrift, &field, 3, LFB_THRIFT_I64))
      rows = lfb_thrift_number(thrift);
    else
      lfb_thrift_skip(thrift, field.type);
  if (rows < 0 && thrift->status == LFB_OK)
    thrift->status = LFB_ERROR_BAD_HEADER;
  for (size_t i = first; i < parquet->count; i++)
    parquet->chunks[i].rows = (uint64_t)rows;
  parquet->groups++;
}

/* FileMetaData.  All of its bytes are in memory. */
static lfb_status footer_read(const unsigned char *bytes, uint32_t size, struct parquet *parquet)
{
  lfb_thrift thrift = {.head = bytes, .head_left = size, .left = size};
  lfb_thrift_field field = {0};

  while (lfb_thrift_next(&thrift, &field))
    if (field_is(&thrift, &field, 4, LFB_THRIFT_LIST))
      for (uint64_t left = lfb_thrift_list(&thrift, LFB_THRIFT_STRUCT);
           thrift.status == LFB_OK && left > 0; left--)
        group_read(&thrift, parquet);
    else
      lfb_thrift_skip(&thrift, field.type);
  return thrift.status;
}

static bool file_take(const struct parquet *parquet, uint64_t at, void *bytes, size_t size)
{
  return fseeko(parquet->file, (off_t)at, SEEK_SET) == 0 &&
         fread(bytes, 1, size, parquet->file) == size;
}

/* Finds and reads the footer.  NULL, or what is wrong. */
static const char *footer_load(struct parquet *parquet, bool *damaged)
{
  unsigned char tail[PARQUET_TAIL];
  const off_t end = fseeko(parquet->file, 0, SEEK_END) == 0 ? ftello(parquet->file) : -1;

  if (end < PARQUET_MARK + PARQUET_TAIL ||
      !file_take(parquet, (uint64_t)end - PARQUET_TAIL, tail, sizeof tail) ||
      memcmp(tail + PARQUET_MARK, "PAR", PARQUET_MARK - 1) != 0 || (tail[7] != '1' && tail[7] != 'E'))
    return "it has no footer: it was cut short, or its writer did not finish";
  const uint32_t size = lfb_load_le32(tail);
  if (tail[7] == 'E')
    return "its footer is encrypted";
  if (size > (uint64_t)end - PARQUET_TAIL - PARQUET_MARK)
    return "its footer is longer than the file";
  parquet->end = (uint64_t)end - PARQUET_TAIL - size;
  unsigned char *bytes = malloc((size_t)size + 1);
  const lfb_status status = bytes == NULL                                     ? LFB_ERROR_NO_MEMORY
                            : !file_take(parquet, parquet->end, bytes, size) ? LFB_ERROR_READ
                                                                             : footer_read(bytes, size, parquet);
  free(bytes);
  *damaged = status != LFB_ERROR_NO_MEMORY;
  return status == LFB_OK ? NULL : *damaged ? "its footer contradicts itself" : lfb_status_text(status);
}

const char *parquet_open(const char *path, struct parquet *parquet, bool *damaged)
{
  struct parquet opened = {.file = fopen(path, "rb")};

  *damaged = opened.file != NULL;
  if (opened.file == NULL)
    return strerror(errno);
  const char *wrong = footer_load(&opened, damaged);
  if (wrong == NULL)
    *parquet = opened;
  else
    parquet_close(&opened);
  return wrong;
}

void parquet_close(struct parquet *parquet)
{
  for (size_t i = 0; i < parquet->count; i++)
    free(parquet->chunks[i].column);
  free(parquet->chunks);
  (void)fclose(parquet->file);
}

/* ---- filters ----------------------------------------------------------------------- */

/* What may be read of a file. */
struct extent {
  FILE *file;
  uint64_t left;
};

/* An lfb_read_fn. */
static lfb_status extent_read(void *from, void *bytes, size_t size, size_t *got)
{
  struct extent *extent = from;

  *got = fread(bytes, 1, size < extent->left ? size : (size_t)extent->left, extent->file);
  extent->left -= *got;
  return ferror(extent->file) ? LFB_ERROR_READ : LFB_OK;
}

/* Reads the filter of a chunk, which has one, and its figures. */
static lfb_status chunk_filter(const struct parquet *parquet, const struct parquet_chunk *chunk,
                               lfb_filter **filter, lfb_stats *stats)
{
  const uint64_t at = (uint64_t)chunk->offset;
  const bool within = at >= PARQUET_MARK && at < parquet->end;
  struct extent extent = {parquet->file, within ? parquet->end - at : 0};
  lfb_filter *read;

  if (within && fseeko(parquet->file, (off_t)at, SEEK_SET) != 0)
    return LFB_ERROR_READ;
  const lfb_status status = lfb_filter_read(extent_read, &extent, NULL, &read);
  if (status != LFB_OK)
    return status;
  lfb_filter_stats(read, stats);
  if (stats->form == LFB_FORM_SBBF &&
      (chunk->length == 0 || chunk->length == (int64_t)(parquet->end - at - extent.left))) {
    *filter = read;
    return LFB_OK;
  }
  lfb_filter_free(read);
  return LFB_ERROR_BAD_HEADER;
}

const char *parquet_place(const struct parquet_chunk *chunk, char *text, size_t size)
{
  (void)snprintf(text, size, "row group %zu, column %s", chunk->group, chunk->column);
  for (char *at = text; *at != '\0'; at++)
    if ((unsigned char)*at < ' ' || *at == 0x7f)
      *at = '?';
  return text;
}

/* The same, and reports in `problem` what is wrong. */
static lfb_status chunk_load(const struct parquet *parquet, const struct parquet_chunk *chunk,
                             lfb_filter **filter, lfb_stats *stats, char *problem)
{
  char place[PARQUET_PROBLEM / 2];
  const lfb_status status = chunk_filter(parquet, chunk, filter, stats);

  if (status != LFB_OK)
    (void)snprintf(problem, PARQUET_PROBLEM, "%s: %s", parquet_place(chunk, place, sizeof place),
                   lfb_status_text(status));
  return status;
}

lfb_status parquet_look(const struct parquet *parquet, lfb_stats *stats, char *problem)
{
  lfb_status status = LFB_OK;

  for (size_t i = 0; status == LFB_OK && i < parquet->count; i++) {
    lfb_filter *filter = NULL;
    lfb_stats one = {.bit_count = 0};
    if (parquet->chunks[i].offset != 0)
      status = chunk_load(parquet, &parquet->chunks[i], &filter, &one, problem);
    if (filter != NULL && stats != NULL)
      stats[i] = one;
    lfb_filter_free(filter);
  }
  return status;
}

/* ---- a column ---------------------------------------------------------------------- */

static enum typed column_type(int64_t type)
{
  return type == PARQUET_INT32    ? TYPED_I32
         : type == PARQUET_INT64  ? TYPED_I64
         : type == PARQUET_FLOAT  ? TYPED_F32
         : type == PARQUET_DOUBLE ? TYPED_F64
                                  : TYPED_TEXT;
}

/* Adds the filters of all chunks that are wanted.  False after a report. */
static bool column_fill(struct parquet_column *column, const char *path, const struct parquet *parquet,
                        const char *name, const struct options_count *group)
{
  char problem[PARQUET_PROBLEM];
  lfb_stats stats;
  size_t found = 0;

  for (size_t i = 0; i < parquet->count; i++) {
    const struct parquet_chunk *chunk = &parquet->chunks[i];
    if (strcmp(chunk->column, name) != 0 || (group->given && chunk->group != group->value))
      continue;
    found++;
    column->type = column_type(chunk->type);
    column->everything |= chunk->offset == 0;
    if (chunk->offset != 0 && chunk_load(parquet, chunk, &column->filters[column->count++], &stats,
                                         problem) != LFB_OK)
      return report_false("%s: %s", path, problem);
  }
  if (group->given && group->value >= parquet->groups)
    (void)report_error("%s: it has %zu row groups, numbered from 0 on", path, parquet->groups);
  else if (found == 0)
    (void)report_error("%s: there is no column '%s' (see 'lfbloom info')", path, name);
  else if (column->count == 0)
    (void)report_error("%s: column '%s' has no filter (see 'lfbloom info')", path, name);
  return column->count > 0;
}

struct parquet_column *parquet_column_open(const char *path, const char *name,
                                           const struct options_count *group)
{
  struct parquet parquet = {0};
  bool damaged;
  const char *wrong = parquet_open(path, &parquet, &damaged);

  if (wrong != NULL) {
    (void)report_error("%s: %s", path, wrong);
    return NULL;
  }
  struct parquet_column *column = calloc(1, sizeof *column);
  if (column != NULL)
    column->filters = calloc(parquet.count + 1, sizeof *column->filters);
  if (column == NULL || column->filters == NULL ||
      !column_fill(column, path, &parquet, name, group)) {
    (void)report_status(path, LFB_ERROR_NO_MEMORY); /* if nothing was reported */
    parquet_column_close(column);
    column = NULL;
  }
  parquet_close(&parquet);
  return column;
}

void parquet_column_close(struct parquet_column *column)
{
  for (size_t i = 0; column != NULL && i < column->count; i++)
    lfb_filter_free(column->filters[i]);
  if (column != NULL)
    free(column->filters);
  free(column);
}

static bool column_has(const struct parquet_column *column, const void *bytes, size_t size)
{
  bool has = column->everything;

  for (size_t i = 0; !has && i < column->count; i++)
    has = lfb_filter_might_contain(column->filters[i], bytes, size);
  return has;
}

/* If the key is a zero, turns its sign in a copy. */
static bool column_other_zero(lfb_key key, unsigned char other[8])
{
  if (key.size == 0 || key.size > 8)
    return false;
  memcpy(other, key.bytes, key.size);
  other[key.size - 1] ^= 0x80;
  unsigned any = other[key.size - 1] & 0x7fU;
  for (size_t i = 0; i + 1 < key.size; i++)
    any |= other[i];
  return any == 0;
}

size_t parquet_column_ask(const struct parquet_column *column, const lfb_key *keys, size_t count,
                          uint64_t *answers)
{
  const bool reals = column->type == TYPED_F32 || column->type == TYPED_F64;
  unsigned char other[8];
  size_t yes = 0;

  memset(answers, 0, (count + 63) / 64 * sizeof *answers);
  for (size_t i = 0; i < count; i++) {
    const bool has = column_has(column, keys[i].bytes, keys[i].size) ||
                     (reals && column_other_zero(keys[i], other) &&
                      column_has(column, other, keys[i].size));
    answers[i / 64] |= (uint64_t)has << (i % 64);
    yes += has;
  }
  return yes;
}
