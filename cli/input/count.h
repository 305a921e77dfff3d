/*
 * count.h - counts the keys of files.
 */
#ifndef CLI_INPUT_COUNT_H
#define CLI_INPUT_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Counts the keys of regular files, as chunk_keys() of input.h finds them, and adds to the progress
 * what was read.  Several threads read different pieces of a file.
 *
 * "-", or no path, is standard input: counted once, from where it is to be read next, which stays.
 *
 * Returns false after a report if a file could not be read to its end.
 */
bool count_keys(char *const *paths, size_t path_count, char delimiter, unsigned threads,
                uint64_t *keys);

#endif
