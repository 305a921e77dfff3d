/*
 * chunk.h - what BF.SCANDUMP gives and BF.LOADCHUNK takes: cursors, and the word before each piece
 * of a body.
 *
 * The first chunk is the head.  Each of the others begins with two words of 8 bytes, little-endian.
 * The first is the chunk's offset in the body times 2, and 1 for the last chunk, which is empty.
 * The second is the mark of the dump (head.h): BF.LOADCHUNK refuses a chunk of another dump, and of
 * a filter that has changed since cursor 0.  Bytes of the body follow.
 */
#ifndef LFB_REDIS_DUMP_CHUNK_H
#define LFB_REDIS_DUMP_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bloom/hashing/murmur.h"

/*
 * A cursor has at most 53 bits, the integers that a double holds: JavaScript has no others.
 *
 *   bits 0 to 43   1 + the offset in the body after the chunk that it comes with; 1: the head
 *   bit 44         that chunk was the last
 *   bits 45 to 52  the low bits of the value's count of changes; ignored by BF.LOADCHUNK
 */
enum {
  LFB_CURSOR_LAST = 44,
  LFB_CURSOR_CHANGES = 45,
};

static inline uint64_t lfb_cursor(uint64_t offset, bool last)
{
  return (1 + offset) | (uint64_t)last << LFB_CURSOR_LAST;
}

enum { LFB_CHUNK_WORDS = 16 }; /* bytes */

static inline void lfb_chunk_put_words(char chunk[LFB_CHUNK_WORDS], uint64_t offset, bool last,
                                       uint64_t mark)
{
  lfb_store_le64((unsigned char *)chunk, offset << 1 | last);
  lfb_store_le64((unsigned char *)chunk + 8, mark);
}

/* Word 0 or 1. */
static inline uint64_t lfb_chunk_word(const char chunk[LFB_CHUNK_WORDS], int number)
{
  return lfb_load_le64((const unsigned char *)chunk + 8 * (size_t)number);
}

/* A chunk of BF.SCANDUMP has at least so many bytes, but for the last ones, and at most
 * LFB_DUMP_CHUNK_MORE more.  BF.LOADCHUNK of 16 MiB holds up other clients for 50 ms; but each
 * chunk of a window reads the whole window. */
enum {
  LFB_DUMP_CHUNK = 4 << 20,
  LFB_DUMP_CHUNK_WINDOW = 16 << 20,
  LFB_DUMP_CHUNK_MORE = 4 << 20,
};

/* The name of the module's type, as TYPE tells it. */
#define LFB_MODULE_TYPE "lfbloom-v"

/* Prefixes of the errors that clients distinguish. */
#define LFB_SAYS_CHANGED "ERR the filter has changed"
#define LFB_SAYS_INCOMPLETE "ERR the filter is incomplete"
#define LFB_SAYS_TOO_LARGE "ERR the filter would be larger than lfbloom.max-bytes"
#define LFB_SAYS_ABSENT "ERR not found"
#define LFB_SAYS_EXISTS "ERR item exists"
#define LFB_SAYS_NOT_NEXT "ERR received bad data: it is not the chunk"
#define LFB_SAYS_NOT_OURS \
  "ERR received bad data: it is no chunk of this module, perhaps one of RedisBloom, " \
  "which cannot be loaded"
#define LFB_SAYS_NO_MEMORY "ERR Insufficient memory"
/* A status's text follows. */
#define LFB_SAYS_DELETED "ERR received bad data, and the key is deleted: "

#endif
