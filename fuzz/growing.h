/*
 * growing.h - growing filters: what must hold of any file that their reader is given.
 */
#ifndef LFB_FUZZ_GROWING_H
#define LFB_FUZZ_GROWING_H

#include "fuzz/readers.h"

enum { FUZZ_GROWING_HEADER = 256 };

bool fuzz_growing_begins(const fuzz_bytes *file);

/* Makes checksums fit: the header's and the layers' headers', or all. */
void fuzz_growing_mend(const fuzz_bytes *file, fuzz_mend what);

/* Whether the header and the layers are the same but for when they were written. */
bool fuzz_growing_same(const fuzz_bytes *read, const fuzz_bytes *written);

/*
 * Growing filters.  As fuzz_check() has it for plain ones, but
 *   4. One that was read has figures that fit one another, answers many keys as one by one,
 *      takes puts and claims and finds them, also in layers that it adds then, and is copied.
 */
extern const fuzz_kind fuzz_growing;

#endif
