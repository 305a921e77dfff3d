/*
 * thrift.h - reads Thrift's compact protocol, the encoding of Parquet's metadata, from memory: as
 * much as the example needs.
 *
 * The bytes are not trusted.  If they are inconsistent or end too early, `bad` is set.  From then
 * on there are no fields and no elements, and all numbers are 0, so one check of `bad` at the end
 * is enough.
 *
 * Source: apache/thrift, doc/specs/thrift-compact-protocol.md.
 */
#ifndef PARQUET_THRIFT_H
#define PARQUET_THRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types of values. */
enum { THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_BINARY = 8, THRIFT_LIST = 9, THRIFT_STRUCT = 12 };

/* A reader of bytes in memory. */
struct thrift {
  const unsigned char *at;
  const unsigned char *end;
  unsigned depth; /* of the nested values that are being skipped */
  bool bad;
};

/* A field of a structure; all 0 before its first. */
struct thrift_field {
  unsigned type;
  int64_t number;
};

struct thrift_text {
  const char *bytes; /* points into the input; no NUL at the end */
  size_t size;
};

/* Goes to the next field; the caller must then read or skip its value.  False if there is none. */
bool thrift_next(struct thrift *thrift, struct thrift_field *field);

/* Whether a field has number `number`; if so, its type must be `type`, else `bad` is set. */
bool thrift_is(struct thrift *thrift, const struct thrift_field *field, int64_t number,
               unsigned type);

/* Read the value of a field or an element.  thrift_list() returns the number of elements, which
 * must be of `type`; the caller reads them next. */
int64_t thrift_number(struct thrift *thrift);
struct thrift_text thrift_text(struct thrift *thrift);
uint64_t thrift_list(struct thrift *thrift, unsigned type);

/* Skips the value of a field. */
void thrift_skip(struct thrift *thrift, unsigned type);

#endif
