/*
 * outcomes.h - what reading an input once came to, and what must hold of that whatever is read.
 */
#ifndef LFB_FUZZ_OUTCOMES_H
#define LFB_FUZZ_OUTCOMES_H

#include "fuzz/readers.h"

typedef struct fuzz_outcome {
  lfb_status status;
  lfb_damage damage; /* all 0 if it was not asked for                              */
  void *made;        /* a filter, as the way gives it; NULL where it was refused   */
  size_t taken;
} fuzz_outcome;

/* How an input says that it is to be read, damage apart. */
lfb_read_limits fuzz_limits_of(const fuzz_input *input);

/* Reads an input in one way; aborts where a refusal writes an output, or the reverse. */
fuzz_outcome fuzz_outcome_of(const fuzz_way *way, const fuzz_input *input);

/* Reads bytes that the library wrote, in the reader's first way, with the key. */
fuzz_outcome fuzz_outcome_again(const fuzz_reader *reader, fuzz_bytes bytes, bool open_damaged);

/* Aborts where the damage is not as readers.h and lfb_damage have it. */
void fuzz_outcome_check_damage(const fuzz_reader *reader, const fuzz_input *input,
                               const fuzz_outcome *seen);

/* Aborts where a refusal is for no reason that is in the reader's table. */
void fuzz_outcome_check_refused(const fuzz_reader *reader, const fuzz_outcome *seen);

/* Aborts where another way does not come to what the first came to, what was made apart. */
void fuzz_outcome_check_same(const fuzz_way *way, const fuzz_input *input,
                             const fuzz_outcome *first, const fuzz_outcome *seen);

/* What something made of a file is when written, which must succeed; free() it. */
fuzz_bytes fuzz_outcome_written(const fuzz_reader *reader, const void *made);

/* Aborts, saying what, where it is not written as it should be for the bytes that were read, at
 * about the same time. */
void fuzz_outcome_check_written(const fuzz_reader *reader, const void *made,
                                const fuzz_bytes *other, const char *what);

/* What is made of bytes that the library wrote; aborts where these do not read as whole, or it is
 * not written alike.  The reader's kind frees it. */
void *fuzz_outcome_reread(const fuzz_reader *reader, const fuzz_bytes *written);

/* What is made of bytes that are damaged, opened all the same; aborts where they cannot be, or
 * where a form with checksums does not tell.  The reader's kind frees it. */
void *fuzz_outcome_damaged(const fuzz_reader *reader, const fuzz_bytes *damaged);

#endif
