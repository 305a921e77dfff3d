/*
 * names.h - two-part names, "Vera Albury" say, made of the capitalised words of
 * Debian's largest word list (package wamerican-insane).
 */
#ifndef LFB_BENCH_NAMES_H
#define LFB_BENCH_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LFB_NAME_WORD = 15, LFB_NAME_SIZE = 2 * LFB_NAME_WORD + 1 }; /* at most */

/* Reads the list, once; false if it is not there. */
bool lfb_names_load(void);

void lfb_names_free(void);

/*
 * Writes name `i` of the stream, without a NUL; its size.
 *
 * Names are different for different i as long as i mod 2^40 is below the square of
 * the number of words, 6e9: beyond 2^40 (what is never put) they are joined by a
 * hyphen.
 */
size_t lfb_name_write(uint64_t i, char name[LFB_NAME_SIZE]);

#endif
