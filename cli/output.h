/*
 * output.h - standard output, where every write can fail.
 *
 * Figures are printed with printf and checked once, by output_close(); keys go
 * by output_write().  A command uses one of the two.  A closed pipe ends the
 * program without a word, as SIGPIPE ends grep.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stddef.h>

/*
 * To be called first.  Fills closed standard descriptors, so that no file takes
 * their numbers, and makes SIGPIPE and SIGXFSZ ordinary errors of write().
 */
void output_prepare(void);

/*
 * Writes `size` bytes.  Ends the program where it cannot, at once: other
 * threads may be waiting for input that never comes.
 */
void output_write(const void *bytes, size_t size);

/* Ends the program, after a report, with CLI_TROUBLE: at once, from any thread. */
_Noreturn void output_end_program(void);

/*
 * Flushes and closes standard output.  Returns `status`, or CLI_TROUBLE after a
 * report where something printed did not arrive.
 */
int output_close(int status);

#endif
