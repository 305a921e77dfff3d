/*
 * thrift.h - reading Thrift's compact protocol: the fields of a structure, one after
 * another, and skipping unknown fields.
 *
 * A structure is a sequence of fields, each with a number and a type, and a stop.  A reader skips
 * fields with unknown numbers: later versions add them.  The input is hostile: at most `left` bytes
 * are read, and skipped values may nest LFB_THRIFT_DEPTH structures or collections deep.
 *
 * Fails  A function returns no status: the first failure is kept in `status`.  After it every
 *        structure ends, numbers mean nothing, and nothing more is read.
 *
 * Source: apache/thrift, doc/specs/thrift-compact-protocol.md.
 */
#ifndef LFB_BLOOM_THRIFT_H
#define LFB_BLOOM_THRIFT_H

#include "bloom/files/forms.h"

enum {
  LFB_THRIFT_BYTES = 4096, /* of a filter's header, at most */
  LFB_THRIFT_DEPTH = 16,
};

/* The types that readers of a field ask for. */
enum {
  LFB_THRIFT_STOP = 0, /* no field: the end of a structure */
  LFB_THRIFT_I32 = 5,
  LFB_THRIFT_I64 = 6,
  LFB_THRIFT_BINARY = 8, /* text, too */
  LFB_THRIFT_LIST = 9,
  LFB_THRIFT_STRUCT = 12,
};

/* The state of reading. */
typedef struct lfb_thrift {
  const lfb_reader *reader;
  const unsigned char *head; /* bytes that were read already */
  uint32_t head_left;
  uint32_t left;  /* bytes that may still be read, including `head` */
  uint32_t depth; /* nesting of the value that is being skipped     */
  lfb_status status; /* LFB_ERROR_BAD_HEADER, _TRUNCATED, or what the reader returned */
} lfb_thrift;

/* A field of a structure; all 0 before the first. */
typedef struct lfb_thrift_field {
  uint8_t type;
  int64_t number;
} lfb_thrift_field;

/* Reads the beginning of the next field.  Its value follows.  Returns false at the end of the
 * structure. */
bool lfb_thrift_next(lfb_thrift *thrift, lfb_thrift_field *field);

/* Reads a number of 16, 32 or 64 bits.  A wider one is refused. */
int64_t lfb_thrift_number(lfb_thrift *thrift);

/* Skips the value of a field. */
void lfb_thrift_skip(lfb_thrift *thrift, uint8_t type);

#endif
