/*
 * typed.h - what the text of a key stands for: a filter may hold numbers, or other bytes than the
 * text's.
 */
#ifndef CLI_INPUT_TYPED_H
#define CLI_INPUT_TYPED_H

#include <lfbloom/sink.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/base/options.h"

enum typed {
  TYPED_TEXT,  /* its bytes                                                              */
  TYPED_I64,   /* a number, as the _u64 functions take it; in 8 bytes Guava's longFunnel */
  TYPED_I32,   /* 4 bytes, little-endian: Guava's integerFunnel, Parquet's INT32         */
  TYPED_F32,   /* a float's 4 bytes, little-endian: Parquet's FLOAT                      */
  TYPED_F64,   /* a double's 8 bytes, little-endian: Parquet's DOUBLE                    */
  TYPED_UTF16, /* UTF-16, little-endian: Guava's unencodedCharsFunnel                    */
  TYPED_HEX,   /* the bytes that these digits stand for                                  */
};

/* Bytes of room per byte of text that typed_of() may need. */
enum { TYPED_ROOM = 8 };

struct option_row typed_row(enum typed *to);

/* Converts the text of a key into room.  NULL, or why it cannot be. */
const char *typed_of(enum typed type, lfb_key text, char *room, lfb_key *key);

/* The numbers of keys of type TYPED_I64. */
void typed_numbers(const lfb_key *keys, size_t count, uint64_t *numbers);

#endif
