/*
 * uuid.h - a sequence of random-looking UUIDs that need not be kept.
 */
#ifndef CLI_UUID_H
#define CLI_UUID_H

#include <stdint.h>

enum { UUID_SIZE = 36 };

/*
 * Writes UUID number `index` of the sequence `seed`, version 4, 36 characters and
 * no NUL: always the same.  Pure; 122 of 128 bits are mixed.
 */
void uuid_write(uint64_t seed, uint64_t index, char *text);

/* The mixer: 64 bits to 64 bits, one to one, every bit depending on every one. */
uint64_t uuid_mix(uint64_t value);

#endif
