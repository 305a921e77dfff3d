/*
 * answers.h - a filter's answers for some keys, queried with every kind of call.
 */
#ifndef LFB_FUZZ_ANSWERS_H
#define LFB_FUZZ_ANSWERS_H

#include "fuzz/bytes.h"

enum { FUZZ_KEYS = 64 }; /* of each kind: bytes, numbers, hashes */

/* Bit i is 1 if the answer for key i is "maybe". */
typedef struct fuzz_answers {
  uint64_t bytes, numbers, hashes;
} fuzz_answers;

/* Queries the keys that `chance` chooses, one by one and many at a time. */
fuzz_answers fuzz_ask(const lfb_filter *filter, uint64_t chance);

/* Puts these keys, and checks what put returns for each. */
void fuzz_put(lfb_filter *filter, uint64_t chance);

/* Whether each "maybe" of `less` is also a "maybe" of `more`. */
bool fuzz_answers_within(fuzz_answers less, fuzz_answers more);

/* Whether all answers are equal. */
bool fuzz_answers_equal(fuzz_answers a, fuzz_answers b);

/* Whether the answers for all keys are "maybe", or all "no". */
bool fuzz_answers_all(fuzz_answers answers, bool maybe);

#endif
