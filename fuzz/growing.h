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
 * As fuzz_check(), of growing filters.
 *
 * Aborts  where a property does not hold:
 *   1. All ways agree: on the status, on what is damaged, on the filter.
 *   2. What is refused leaves the output untouched, for a reason that is in the table.
 *   3. Damage lies within the file, in order, none where it was opened as whole.
 *   4. One that was read has figures that fit one another, answers many keys as one by one,
 *      takes puts and claims and finds them, also in layers that it adds then.
 *   5. What it writes is what was read (docs/formats.md), reads again, answers alike, and is
 *      then written alike, as is what a copy writes.
 *   6. Damage to its layers is found; opened all the same, it never says no where the whole
 *      said maybe.
 */
bool fuzz_growing_check(const fuzz_reader *reader, const fuzz_input *input, lfb_status *status);

#endif
