/*
 * target.h - what libFuzzer, or replay.c in its place, calls.
 */
#ifndef LFB_FUZZ_TARGET_H
#define LFB_FUZZ_TARGET_H

#include "fuzz/readers.h"

/* Checks one input; 0, or -1 if it is not worth keeping, being another reader's. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The reader that this program is for. */
const fuzz_reader *fuzz_target(void);

/* How many inputs came to this status so far, of those that were the reader's. */
uint64_t fuzz_reached(lfb_status status);

#endif
