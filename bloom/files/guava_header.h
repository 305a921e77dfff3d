/*
 * guava_header.h - the header of the form that Guava's BloomFilter.writeTo writes: six bytes.
 *
 * Byte 0 is the strategy's ordinal, byte 1 the number of probes (1 to 255), bytes 2 to 5 the
 * number of words (a big-endian int).
 */
#ifndef LFB_BLOOM_GUAVA_HEADER_H
#define LFB_BLOOM_GUAVA_HEADER_H

#include "bloom/filter/description.h"

LFB_EXTERN_C_BEGIN

enum { LFB_GUAVA_HEADER = 6 }; /* bytes */

/* Whether Guava's form can hold filters of this strategy. */
bool lfb_guava_holds(const lfb_strategy *strategy);

/* Writes the header. */
void lfb_guava_encode(const lfb_description *description,
                              unsigned char header[LFB_GUAVA_HEADER]);

/* Reads the header.  Fails: LFB_ERROR_BAD_STRATEGY, _BAD_PROBES, _BAD_WORD_COUNT. */
lfb_status lfb_guava_decode(const unsigned char header[LFB_GUAVA_HEADER],
                                    lfb_description *description);

LFB_EXTERN_C_END

#endif
