/*
 * parquet.h - the Bloom filters in a Parquet file, which is only read: finds them, and asks those of a
 * column.
 *
 * A file consists of row groups; each has a chunk of each column.  A chunk may have a filter, of strategy
 * sbbf in the sbbf form.  The footer says where it is, and of which type the column's values are.  The file
 * is not trusted: each length, offset and count is checked, and memory grows only with bytes that are there.
 *
 * Source: apache/parquet-format, README.md, parquet.thrift and BloomFilter.md.
 */
#ifndef CLI_PARQUET_H
#define CLI_PARQUET_H

#include <stdio.h>

#include "cli/typed.h"

/* A column in a row group. */
struct parquet_chunk {
  size_t group;   /* the row group, from 0 on                                 */
  uint64_t rows;  /* of the row group                                         */
  char *column;   /* the names of its path, joined by dots                    */
  int64_t type;   /* of its values, as the footer numbers it                  */
  int64_t offset; /* of the filter, in bytes from the start; 0: there is none */
  int64_t length; /* of the filter and its header, in bytes; 0: not recorded  */
};

struct parquet {
  FILE *file;
  uint64_t end; /* of the data, in bytes from the start: there the footer begins */
  struct parquet_chunk *chunks;
  size_t count;
  size_t groups;
};

enum { PARQUET_PROBLEM = 320 }; /* bytes of a message */

/* Whether the regular file at `path` begins as a Parquet file does. */
bool parquet_is(const char *path);

/* Reads the footer.  Returns NULL, or why not, for the file's fault or not.
 * Owner  the caller, until parquet_close(). */
const char *parquet_open(const char *path, struct parquet *parquet, bool *damaged);
void parquet_close(struct parquet *parquet);

/* Reads all filters, and writes the figures of chunk i to stats[i]; NULL: not wanted.  Fails as
 * lfb_filter_read(), and tells where in `problem`. */
lfb_status parquet_look(const struct parquet *parquet, lfb_stats *stats, char *problem);

/* "row group 0, column name"; control characters as '?'. */
const char *parquet_place(const struct parquet_chunk *chunk, char *text, size_t size);

/* The filters of a column, in memory. */
struct parquet_column {
  lfb_filter **filters;
  size_t count;
  enum typed type; /* of the values; TYPED_TEXT also for what has no type here */
  bool everything; /* a row group has no filter: each key may be present       */
};

/* Reads the filters of a column, in one row group if `group` is given.  NULL after a report.
 * Owner  the caller, until parquet_column_close(), which ignores NULL. */
struct parquet_column *parquet_column_open(const char *path, const char *name,
                                           const struct options_count *group);
void parquet_column_close(struct parquet_column *column);

/* As lfb_filter_might_contain_many(): what may be present in any of the row groups.  0.0 and -0.0 are one
 * value with two keys: for either, both are asked. */
size_t parquet_column_ask(const struct parquet_column *column, const lfb_key *keys, size_t count,
                          uint64_t *answers);

#endif
