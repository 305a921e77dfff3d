/*
 * growing.h - growing filters: properties that must hold for any file given to their reader.
 */
#ifndef LFB_FUZZ_GROWING_H
#define LFB_FUZZ_GROWING_H

#include "fuzz/readers.h"

enum { FUZZ_GROWING_HEADER = 256 };

/* Whether a file begins as a growing filter does. */
bool fuzz_growing_begins(const fuzz_bytes *file);

/* Makes checksums fit: those of the header and of the layers' headers, or all. */
void fuzz_growing_mend(const fuzz_bytes *file, fuzz_mend what);

/* Whether the header and the layers are equal, except for the fields that differ in each
 * writing. */
bool fuzz_growing_same(const fuzz_bytes *read, const fuzz_bytes *written);

/*
 * Growing filters.  The properties of fuzz_check(), except
 *   4. A filter that was read has consistent figures, and answers many keys at a time as it does
 *      one by one.  It takes puts and claims and finds them, also in layers added during the
 *      test.  It can be copied.
 */
extern const fuzz_kind fuzz_growing;

#endif
