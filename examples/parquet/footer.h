/*
 * footer.h - what the footer of a Parquet file says of one column: in each row group its type,
 * and where its Bloom filter is.
 *
 * Source: apache/parquet-format, README.md and parquet.thrift.
 */
#ifndef PARQUET_FOOTER_H
#define PARQUET_FOOTER_H

#include <stdint.h>
#include <stdio.h>

/* Physical types of a column. */
enum parquet_type {
  PARQUET_BOOLEAN = 0,
  PARQUET_INT32 = 1,
  PARQUET_INT64 = 2,
  PARQUET_INT96 = 3,
  PARQUET_FLOAT = 4,
  PARQUET_DOUBLE = 5,
  PARQUET_BYTE_ARRAY = 6,
  PARQUET_FIXED = 7,
};

/* The column in one row group. */
struct chunk {
  uint64_t rows;
  int64_t filter_offset; /* in bytes, from the file's beginning; 0: it has no filter */
  int64_t type;          /* an enum parquet_type, or one that is not known here      */
};

struct footer {
  struct chunk *chunks; /* the owner's, to free(); NULL for none */
  size_t count;         /* of row groups                         */
};

/*
 * Reads it; `column` is the names on the way to it, with dots between.  Returns NULL, or why it
 * cannot be: a message that says the rest of "FILE: "; then `footer` is untouched.
 */
const char *footer_read(FILE *file, const char *column, struct footer *footer);

#endif
