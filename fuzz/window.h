/*
 * window.h - window filters: properties that must hold for any file given to their reader.
 */
#ifndef LFB_FUZZ_WINDOW_H
#define LFB_FUZZ_WINDOW_H

#include "fuzz/readers.h"

enum { FUZZ_WINDOW_HEADER = 512 };

/* Whether a file begins as a window does, but not as one that processes share: that has no
 * checksums of words. */
bool fuzz_window_begins(const fuzz_bytes *file);

/* Makes checksums fit: those of both headers, or all. */
void fuzz_window_mend(const fuzz_bytes *file, fuzz_mend what);

/* Whether two files are equal, except for the fields that differ in each writing. */
bool fuzz_window_same(const fuzz_bytes *read, const fuzz_bytes *written);

/*
 * Windows.  The properties of fuzz_check(), except
 *   4. A window that was read has consistent figures.  It answers one key and many alike.  It takes
 *      keys and claims, and finds them until G generations later.
 */
extern const fuzz_kind fuzz_window;

#endif
