/*
 * uuid.h - a sequence of pseudo-random UUIDs, computed when needed.
 */
#ifndef CLI_UUID_H
#define CLI_UUID_H

#include <stdint.h>

enum { UUID_SIZE = 36 };

/*
 * Writes UUID number `index` of the sequence `seed`: version 4, 36 characters, no NUL.  The result
 * depends on the arguments alone; 122 of 128 bits are mixed.
 */
void uuid_write(uint64_t seed, uint64_t index, char *text);

/* Maps 64 bits to 64 bits, one to one; every output bit depends on every input bit. */
uint64_t uuid_mix(uint64_t value);

#endif
