/*
 * bytes.h - bytes on the heap, numbers in them, and what ends a run that found something.
 */
#ifndef LFB_FUZZ_BYTES_H
#define LFB_FUZZ_BYTES_H

#include <lfbloom/filter.h>

/* A serialised filter.  Exactly `size` bytes long where a reader gets it, so that
 * AddressSanitizer sees one byte too many. */
typedef struct fuzz_bytes {
  unsigned char *at;
  size_t size;
} fuzz_bytes;

/* Ends the process as a finding, after a line that says what did not hold. */
void fuzz_must(bool holds, const char *what);

/* As malloc(), which must not fail; at least a byte. */
void *fuzz_memory(size_t size);

/* `size` bytes, of which the first are copied from `from`, and the others 0. */
fuzz_bytes fuzz_bytes_copy(const void *from, size_t given, size_t size);

/* Bytes to which more come: an lfb_write_fn; begins as zeros. */
typedef struct fuzz_gathered {
  fuzz_bytes bytes;
  size_t room;
} fuzz_gathered;

lfb_status fuzz_bytes_gather(void *to, const void *bytes, size_t size);

/* What was gathered, exactly as long as it is, and nothing else any more; free() it. */
fuzz_bytes fuzz_bytes_gathered(const fuzz_gathered *all);

/* Changes some of the bytes from `from` on, of which there must be one, each of the changed
 * ones surely. */
void fuzz_bytes_damage(const fuzz_bytes *bytes, size_t from, uint64_t chance);

/* The little-endian number of eight bytes, and back. */
uint64_t fuzz_load64(const unsigned char *at);
void fuzz_store64(unsigned char *at, uint64_t value);

/* A number from 0 to UINT64_MAX that looks like chance: MurmurHash3's finaliser. */
uint64_t fuzz_mix(uint64_t x);

#endif
