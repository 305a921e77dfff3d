/*
 * answers.h - what a filter says of some keys, asked in every way there is.
 */
#ifndef LFB_FUZZ_ANSWERS_H
#define LFB_FUZZ_ANSWERS_H

#include "fuzz/bytes.h"

enum { FUZZ_KEYS = 64 }; /* of each kind: bytes, numbers, hashes */

typedef struct fuzz_answers {
  uint64_t bytes, numbers, hashes; /* bit i: key i may be in */
} fuzz_answers;

/* Asks for the keys that `chance` chooses, one by one and many at a time. */
fuzz_answers fuzz_ask(const lfb_filter *filter, uint64_t chance);

/* Puts these keys, looking at what put says of each. */
void fuzz_put(lfb_filter *filter, uint64_t chance);

/* Whether every key that `less` says "maybe" to has a "maybe" of `more`. */
bool fuzz_answers_within(fuzz_answers less, fuzz_answers more);

bool fuzz_answers_equal(fuzz_answers a, fuzz_answers b);

/* Whether the answer is "maybe", or "no", to all keys. */
bool fuzz_answers_all(fuzz_answers answers, bool maybe);

#endif
