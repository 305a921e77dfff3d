/*
 * reads.h - the reads of exact.h: each is a walk over the lines with a decider of its own.
 *
 * All return false after a report if the input could not be read.
 */
#ifndef CLI_EXACT_READS_H
#define CLI_EXACT_READS_H

#include "cli/exact/run.h"

/* Allocates what the threads need.  False after a report. */
bool exact_lines_create(struct exact *exact);
void exact_lines_free(struct exact *exact);

bool exact_read_table(struct exact *exact);   /* decides and prints, until the table is full */
bool exact_read_claims(struct exact *exact);  /* the first of two */
bool exact_read_doubts(struct exact *exact);  /* adds the lines in doubt to the spilled ones */
bool exact_read_again(struct exact *exact);   /* the last: prints; or those that wait */
bool exact_read_counts(struct exact *exact);  /* the second of three */
bool exact_read_counted(struct exact *exact); /* the third: prints   */
bool exact_read_store(struct exact *exact);   /* stores the text, to be read as standard input */

#endif
