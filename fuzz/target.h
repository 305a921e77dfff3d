/*
 * target.h - the functions that libFuzzer, or replay.c in its place, calls.
 */
#ifndef LFB_FUZZ_TARGET_H
#define LFB_FUZZ_TARGET_H

#include "fuzz/readers.h"

/* Checks one input.  Returns 0, or -1 if it is of another form and not worth keeping. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns the reader that this program is for. */
const fuzz_reader *fuzz_target(void);

/* Returns how many inputs of the reader's form have reached this status so far. */
uint64_t fuzz_reached(lfb_status status);

#endif
