/*
 * properties.h - the properties that must hold for any file given to a reader.
 *
 * Seen to fail with bugs planted in the readers, one at a time: docs/verify.md has the list.
 */
#ifndef LFB_FUZZ_PROPERTIES_H
#define LFB_FUZZ_PROPERTIES_H

#include "fuzz/readers.h"

/*
 * Reads the file in each of the reader's ways and, if it opens, uses the filter.
 *
 * Gives   *status  the reader's status.
 * Returns whether the file begins as the reader's form does.
 * Aborts  if a property does not hold:
 *   1. All ways agree on the status, the damage and the filter.
 *   2. A refusal leaves the output untouched, and its status is in the table.  Bytes after a
 *      filter are refused where they must be, else left unread.
 *   3. Damaged parts are within the file, in order; a file opened as whole has none.
 *   4. A filter that was read has consistent figures, and its answers agree with them.  It takes
 *      keys and finds them.  It can be copied and merged.
 *   5. The bytes that it writes in its form are the bytes that were read (docs/formats.md).  Read
 *      again, they give the same answers, and are then written the same.
 *   6. Any damage to its words is found.  Opened nevertheless, it never answers no where the
 *      whole filter answered maybe.
 *   7. The further checks of the reader's row: fuzz/mapped.h.
 * For growing and counting filters, growing.h and counting.h define property 4.
 */
bool fuzz_check(const fuzz_reader *reader, const fuzz_input *input, lfb_status *status);

/* Plain filters. */
extern const fuzz_kind fuzz_plain;

#endif
