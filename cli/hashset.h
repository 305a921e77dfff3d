/*
 * hashset.h - what a hash set of the same strings would take.
 */
#ifndef CLI_HASHSET_H
#define CLI_HASHSET_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Measures the bytes that the C library's hash table (hcreate_r, four fifths
 * full) and its strings, one malloc() each, take for UUIDs 0 .. count-1 of the
 * sequence.  More than 200,000 are computed from as many.
 *
 * Returns false after a report.
 */
bool hashset_bytes(uint64_t seed, uint64_t count, uint64_t *bytes);

#endif
