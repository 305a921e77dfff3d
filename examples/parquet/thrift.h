/*
 * thrift.h - Thrift's compact protocol, in which a Parquet file describes itself, read from
 * memory: as much as the example needs.  The bytes are not trusted.  Where they contradict
 * themselves or end too early `bad` is set, and from then on there are no fields, no elements,
 * and all numbers are 0: it is enough to look at `bad` in the end.
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

struct thrift {
  const unsigned char *at;
  const unsigned char *end;
  unsigned depth; /* of what is being skipped */
  bool bad;
};

/* A field of a structure; all 0 before its first. */
struct thrift_field {
  unsigned type;
  int64_t number;
};

struct thrift_text {
  const char *bytes; /* in what is being read, without a NUL */
  size_t size;
};

/* Goes to the next field, whose value must be read or skipped then; false: there is none. */
bool thrift_next(struct thrift *thrift, struct thrift_field *field);

/* Whether a field is that one; then its type must be that. */
bool thrift_is(struct thrift *thrift, const struct thrift_field *field, int64_t number,
               unsigned type);

/* Values of fields, and of elements; of a list, the number of its elements, which must be of
 * that type and come next. */
int64_t thrift_number(struct thrift *thrift);
struct thrift_text thrift_text(struct thrift *thrift);
uint64_t thrift_list(struct thrift *thrift, unsigned type);

/* Reads over the value of a field. */
void thrift_skip(struct thrift *thrift, unsigned type);

#endif
