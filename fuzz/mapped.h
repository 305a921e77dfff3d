/*
 * mapped.h - opens an input as a mapped file, as processes that share it do, and files of other
 * forms in place.
 */
#ifndef LFB_FUZZ_MAPPED_H
#define LFB_FUZZ_MAPPED_H

#include "fuzz/readers.h"

/*
 * Opens the file for writing and read-only, and uses it if it opens.
 *
 * Takes   read, taken  the status of reading the file as a form, and how many bytes that took.
 * Aborts  if a property does not hold:
 *   1. Both ways to open agree.  The file opens if and only if it can be read as a form, nothing
 *      follows it, and its words are in this host's byte order.
 *   2. Regardless of the contents of the claim cells, the filter takes puts and claims, and at
 *      most one claim of a key wins.  It finds the keys in this mapping and in another, before
 *      and after it is closed.  It can be counted, synced, copied and written, and its figures
 *      are consistent.
 *   3. The head of the file is unchanged.
 */
void fuzz_mapped_use(const fuzz_input *input, const lfb_read_limits *limits, lfb_status read,
                     size_t taken);

/*
 * Opens a file of another form in place.
 *
 * Takes   as fuzz_mapped_use().
 * Aborts  if a file that can be loaded cannot be opened in place, or answers otherwise.
 */
void fuzz_in_place_use(const fuzz_input *input, const lfb_read_limits *limits, lfb_status read,
                       size_t taken);

#endif
