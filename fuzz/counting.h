/*
 * counting.h - counting filters: properties that must hold for any file given to their reader.
 */
#ifndef LFB_FUZZ_COUNTING_H
#define LFB_FUZZ_COUNTING_H

#include "fuzz/readers.h"

enum { FUZZ_COUNTING_HEADER = 512 };

/* Whether a file begins as a counting filter does. */
bool fuzz_counting_begins(const fuzz_bytes *file);

/* Makes checksums fit: those of both headers, or all. */
void fuzz_counting_mend(const fuzz_bytes *file, fuzz_mend what);

/* Whether two files are equal, except for the fields that differ in each writing. */
bool fuzz_counting_same(const fuzz_bytes *read, const fuzz_bytes *written);

/*
 * Counting filters.  The properties of fuzz_check(), except
 *   4. A filter that was read has consistent figures, equal to those of the plain filter that it
 *      converts to, and the same answers.  It takes keys, finds them, and removes each again.  It
 *      can be copied, and merged with its copy.
 */
extern const fuzz_kind fuzz_counting;

#endif
