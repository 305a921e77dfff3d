/*
 * counting.h - counting filters: what must hold of any file that their reader is given.
 */
#ifndef LFB_FUZZ_COUNTING_H
#define LFB_FUZZ_COUNTING_H

#include "fuzz/readers.h"

enum { FUZZ_COUNTING_HEADER = 512 };

bool fuzz_counting_begins(const fuzz_bytes *file);

/* Makes checksums fit: those of both headers, or all. */
void fuzz_counting_mend(const fuzz_bytes *file, fuzz_mend what);

/* Whether all is the same but for when it was written. */
bool fuzz_counting_same(const fuzz_bytes *read, const fuzz_bytes *written);

/*
 * Counting filters.  As fuzz_check() has it for plain ones, but
 *   4. One that was read has figures that fit one another, those of the plain filter that it
 *      converts to, and the same answers; it takes keys, finds them, and gives each back; it is
 *      copied, and united with its copy.
 */
extern const fuzz_kind fuzz_counting;

#endif
