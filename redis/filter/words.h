/*
 * words.h - a filter in memory: its description, and its words as a stream of bytes in the order of
 * Redis strings, big-endian or with the bits of each byte reversed.
 *
 * Only the calls of lfbloom/filter.h are used.  liblfbloom made the filter and may be of another
 * version, so nothing here may look into it.
 */
#ifndef LFB_REDIS_WORDS_H
#define LFB_REDIS_WORDS_H

#include "bloom/filter/description.h"

LFB_EXTERN_C_BEGIN

/* BIG: bit i of a filter is bit i XOR 63 of the stream; bit 0 of the stream is the highest of
 * its first byte.  TURNED: bit i of a filter is bit i of the stream. */
typedef enum lfb_words_order { LFB_WORDS_BIG,
                               LFB_WORDS_TURNED } lfb_words_order;

/* Describes a filter in memory.  Fails: as lfb_native_decode(), if this library does not know its
 * strategy. */
lfb_status lfb_words_describe(const lfb_filter *filter, lfb_description *description);

/*
 * Makes a filter of this description from the words that `read` delivers, all of them.  With
 * LFB_WORDS_TURNED, bits beyond the last one are ignored.
 *
 * Fails  LFB_ERROR_OVER_LIMIT: more than `max_bytes`, unless that is 0; LFB_ERROR_NO_MEMORY,
 *        _BAD_HEADER: bits beyond the last one; what `read` returned.
 */
lfb_status lfb_words_read(const lfb_description *description, lfb_words_order order,
                          uint64_t max_bytes, lfb_read_fn read, void *from, lfb_filter **filter);

/* Writes a filter's words, in pieces of a multiple of 8 bytes.  Fails: LFB_ERROR_NO_MEMORY;
 * what `write` returned. */
lfb_status lfb_words_write(const lfb_filter *filter, lfb_words_order order, lfb_write_fn write,
                           void *to);

LFB_EXTERN_C_END

#endif
