/*
 * hashset.h - the memory of a hash set of the same strings.
 */
#ifndef CLI_HASHSET_H
#define CLI_HASHSET_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Measures the memory of the C library's hash table (hcreate_r, four fifths full) with UUIDs 0 to
 * count - 1 of the sequence, each string in its own malloc() block.  If there are more than
 * 200,000, the first 200,000 are measured and the rest is extrapolated.
 *
 * Returns false after a report.
 */
bool hashset_bytes(uint64_t seed, uint64_t count, uint64_t *bytes);

#endif
