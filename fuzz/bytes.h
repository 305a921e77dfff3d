/*
 * bytes.h - bytes on the heap, numbers in them, and the check that ends a run with a finding.
 */
#ifndef LFB_FUZZ_BYTES_H
#define LFB_FUZZ_BYTES_H

#include <lfbloom/filter.h>

/* A serialised filter.  A reader gets exactly `size` allocated bytes, so that AddressSanitizer
 * finds an access past the end. */
typedef struct fuzz_bytes {
  unsigned char *at;
  size_t size;
} fuzz_bytes;

/* If `holds` is false, prints `what` and ends the process: a finding. */
void fuzz_must(bool holds, const char *what);

/* As malloc(), of at least one byte; ends the process if it fails. */
void *fuzz_memory(size_t size);

/* Returns `size` bytes: the first `given` are copied from `from`, the others are 0. */
fuzz_bytes fuzz_bytes_copy(const void *from, size_t given, size_t size);

/* A growing buffer, all 0 at first; fuzz_bytes_gather(), an lfb_write_fn, appends to it. */
typedef struct fuzz_gathered {
  fuzz_bytes bytes;
  size_t room;
} fuzz_gathered;

lfb_status fuzz_bytes_gather(void *to, const void *bytes, size_t size);

/* Returns the gathered bytes in memory of exactly their size, and frees the buffer; the caller
 * must free() them. */
fuzz_bytes fuzz_bytes_gathered(const fuzz_gathered *all);

/* Changes 1 to 64 of the bytes from `from` on, which must exist; each one really changes. */
void fuzz_bytes_damage(const fuzz_bytes *bytes, size_t from, uint64_t chance);

/* Load and store eight bytes as a little-endian number. */
uint64_t fuzz_load64(const unsigned char *at);
void fuzz_store64(unsigned char *at, uint64_t value);

/* A pseudo-random number from 0 to UINT64_MAX: MurmurHash3's finaliser. */
uint64_t fuzz_mix(uint64_t x);

#endif
