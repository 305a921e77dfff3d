/*
 * words.h - a filter's words as a stream of bytes, as they are in Redis strings: big-endian,
 * or each 8 bytes with their bits the other way round.
 */
#ifndef LFB_REDIS_WORDS_H
#define LFB_REDIS_WORDS_H

#include "bloom/filter/create.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bit i of a filter is bit i XOR 63 of the stream, whose bit 0 is the highest of its first
 * byte; or bit i. */
typedef enum lfb_words_order { LFB_WORDS_BIG, LFB_WORDS_TURNED } lfb_words_order;

/*
 * Makes a filter of this description of the words that `read` gives, all of which are there;
 * bits beyond its last one are ignored where they are turned.
 *
 * Fails  LFB_ERROR_OVER_LIMIT: more than `max_bytes`, unless that is 0; LFB_ERROR_NO_MEMORY,
 *        _BAD_HEADER: bits beyond the last one; what `read` returned.
 */
lfb_status lfb_words_read(const lfb_description *description, lfb_words_order order,
                          uint64_t max_bytes, lfb_read_fn read, void *from, lfb_filter **filter);

/* Writes a filter's words; the pieces are of 8 bytes each, or more of them.  Fails:
 * LFB_ERROR_NO_MEMORY; what `write` returned. */
lfb_status lfb_words_write(const lfb_filter *filter, lfb_words_order order, lfb_write_fn write,
                           void *to);

#ifdef __cplusplus
}
#endif

#endif
