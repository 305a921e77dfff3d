/*
 * footer.h - reads one column's description from the footer of a Parquet file: its type in each
 * row group, and where its Bloom filter is.
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
  int64_t filter_offset; /* in bytes from the start of the file; 0: no filter */
  int64_t type;          /* an enum parquet_type, or an unknown number        */
};

/* The column in all row groups. */
struct footer {
  struct chunk *chunks; /* the owner must free() it; NULL if there are none */
  size_t count;         /* of row groups                                    */
};

/*
 * Reads the footer; `column` is the column's path, its names joined by dots.  Returns NULL, or a
 * message to print after "FILE: "; `footer` is then untouched.
 */
const char *footer_read(FILE *file, const char *column, struct footer *footer);

#endif
