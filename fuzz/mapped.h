/*
 * mapped.h - files that processes share, opened as such.
 */
#ifndef LFB_FUZZ_MAPPED_H
#define LFB_FUZZ_MAPPED_H

#include "fuzz/readers.h"

/*
 * Opens the file, to put and to query alone, and uses what opens.
 *
 * Takes   read, taken  what reading it as a form came to, and how much of it that took.
 * Aborts  where a property does not hold:
 *   1. Both ways to open agree; they open what is read as a form, if nothing follows it, its
 *      words are in this machine's byte order and it is of the newest version, and nothing else.
 *   2. Whatever the cells of claims say, the filter takes puts and claims, of which at most one
 *      wins, and finds them, in this mapping and in another, before and after it is closed.  It
 *      is counted, synced, copied and written, and its figures fit one another.
 *   3. Nothing but these is changed: the head is as it was.
 */
void fuzz_mapped_use(const fuzz_input *input, const lfb_read_limits *limits, lfb_status read,
                     size_t taken);

#endif
