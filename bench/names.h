/*
 * names.h - two-part names ("Vera Albury"), made from the capitalised words of
 * Debian's largest word list (package wamerican-insane).
 */
#ifndef LFB_BENCH_NAMES_H
#define LFB_BENCH_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LFB_NAME_WORD = 15, LFB_NAME_SIZE = 2 * LFB_NAME_WORD + 1 }; /* at most */

/* Reads the word list, once; false if it is missing. */
bool lfb_names_load(void);

void lfb_names_free(void);

/*
 * Writes name `i` of the stream, without a NUL, and returns its size.
 *
 * Different i have different names as long as i mod 2^40 is below the square of the number
 * of words, 6e9.  From 2^40 on (keys that are never put) a hyphen joins the parts.
 */
size_t lfb_name_write(uint64_t i, char name[LFB_NAME_SIZE]);

#endif
