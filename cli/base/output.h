/*
 * output.h - writes standard output, and checks every write.
 *
 * Figures are printed with printf and checked once, by output_close(); keys are written with
 * output_write().  A command uses one of the two.  A closed pipe ends the program without a
 * message, as SIGPIPE ends grep.
 */
#ifndef CLI_BASE_OUTPUT_H
#define CLI_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * To be called first.  Opens standard descriptors that are closed, so that no file gets their
 * numbers, and makes SIGPIPE and SIGXFSZ ordinary errors of write().
 */
void output_prepare(void);

/*
 * Writes `size` bytes.  If that fails, ends the program at once: other threads may be waiting for
 * input that never comes.
 */
void output_write(const void *bytes, size_t size);

/* Writes all bytes to an open file, at `offset` or, if that is below 0, after what was written.
 * False: errno has the cause. */
bool output_write_to(int file, const void *bytes, size_t size, off_t offset);

/* What output_write() calls standard output when it fails; NULL: so. */
void output_name(const char *name);

/* Ends the program with this status at once, from any thread.  Prints nothing more. */
_Noreturn void output_end_program(int status);

/*
 * Flushes and closes standard output.  Returns `status`, or CLI_NOT_DONE after a report if output
 * was lost.
 */
int output_close(int status);

#endif
