/*
 * outcomes.h - the outcome of one read of an input, and the properties that it must have for any
 * input.
 */
#ifndef LFB_FUZZ_OUTCOMES_H
#define LFB_FUZZ_OUTCOMES_H

#include "fuzz/readers.h"

/* The outcome of one read. */
typedef struct fuzz_outcome {
  lfb_status status;
  lfb_damage damage; /* all 0 if it was not asked for                             */
  void *made;        /* a filter of the reader's kind; NULL if the input was refused */
  size_t taken;
} fuzz_outcome;

/* The limits that an input asks for, except `damage`. */
lfb_read_limits fuzz_limits_of(const fuzz_input *input);

/* Reads an input in one way; aborts if a refusal writes the output, or a success does not. */
fuzz_outcome fuzz_outcome_of(const fuzz_reader *reader, const fuzz_way *way,
                             const fuzz_input *input);

/* Reads bytes that the library wrote, in the reader's first way, with the key. */
fuzz_outcome fuzz_outcome_again(const fuzz_reader *reader, fuzz_bytes bytes, bool open_damaged);

/* Aborts if the damage contradicts lfb_damage, or the reader's row. */
void fuzz_outcome_check_damage(const fuzz_reader *reader, const fuzz_input *input,
                               const fuzz_outcome *seen);

/* Aborts if a refusal has a status that is not in the reader's table. */
void fuzz_outcome_check_refused(const fuzz_reader *reader, const fuzz_outcome *seen);

/* Aborts if another way has another outcome than the first; does not compare `made`. */
void fuzz_outcome_check_same(const fuzz_way *way, const fuzz_input *input,
                             const fuzz_outcome *first, const fuzz_outcome *seen);

/* A filter of the reader's kind. */
lfb_any fuzz_outcome_any(const fuzz_reader *reader, const void *made);

/* Writes a filter, which must succeed, and returns the bytes; the caller must free() them. */
fuzz_bytes fuzz_outcome_written(const fuzz_reader *reader, const void *made);

/* Aborts with the message `what` if the filter, when written, is not the same as `other`, which
 * was read or written at about the same time. */
void fuzz_outcome_check_written(const fuzz_reader *reader, const void *made,
                                const fuzz_bytes *other, const char *what);

/* Reads bytes that the library wrote; aborts if they are not whole, or are then written
 * differently.  The reader's kind frees the result. */
void *fuzz_outcome_reread(const fuzz_reader *reader, const fuzz_bytes *written);

/* Opens damaged bytes; aborts if that fails, or if a form with checksums does not report the
 * damage.  The reader's kind frees the result. */
void *fuzz_outcome_damaged(const fuzz_reader *reader, const fuzz_bytes *damaged);

#endif
