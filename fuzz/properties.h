/*
 * properties.h - what must hold of any file that a reader is given.
 *
 * Seen to fail with bugs planted in the readers, one at a time: docs/verify.md has the
 * list.
 */
#ifndef LFB_FUZZ_PROPERTIES_H
#define LFB_FUZZ_PROPERTIES_H

#include "fuzz/readers.h"

/*
 * Reads the file in each of the reader's ways and, if it opens, uses the filter.
 *
 * Gives   *status  what the reader said.
 * Returns whether the file was this reader's to read.
 * Aborts  where a property does not hold:
 *   1. All ways agree: on the status, on what is damaged, on the filter.
 *   2. What is refused leaves the output untouched, for a reason that is in the table;
 *      bytes behind a filter are refused where they must be, and else left unread.
 *   3. Damage lies within the file, in order, none where it was opened as whole.
 *   4. A filter that was read has figures that fit one another, answers as they say,
 *      takes keys and finds them, and copies and merges.
 *   5. What it writes in its form is what was read (docs/formats.md), reads again,
 *      answers alike, and is then written alike.
 *   6. Any damage to its words is found; opened all the same, it never says no where
 *      the whole said maybe.
 *   7. What else the reader's row asks of it: fuzz/mapped.h.
 * Of other kinds than plain filters, growing.h and counting.h say what 4 is.
 */
bool fuzz_check(const fuzz_reader *reader, const fuzz_input *input, lfb_status *status);

/* Plain filters. */
extern const fuzz_kind fuzz_plain;

#endif
