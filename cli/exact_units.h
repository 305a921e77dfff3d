/*
 * exact_units.h - the units of text that `lfbloom dedupe --unit` removes: paragraphs, by themselves or by their
 * n-grams.
 *
 * The records of a chunk are texts: of a JSON object that of the member, where a paragraph ends at a newline; a plain
 * text is one paragraph.  Instead of its lines, a chunk then has the hashes of its paragraphs, or of their n-grams, as those of
 * exact_lines.h, and what they belong to.  A paragraph of blanks is none.
 *
 * An n-gram is new if no earlier paragraph has it, whatever becomes of that one: so the result depends on the input
 * alone.  A paragraph with fewer words stays.
 */
#ifndef CLI_EXACT_UNITS_H
#define CLI_EXACT_UNITS_H

#include "cli/exact_lines.h"

enum { UNITS_NGRAM = 64 }; /* words, at most */

/* Finds all paragraphs of the chunk, and their hashes.  False after a report. */
bool units_find(struct exact_lines *lines, const struct exact_read *read, struct chunk *chunk);

/* Decides the open n-grams, all of which the table has, in their order. */
void units_decide(struct exact_lines *lines, struct exact_table *table);

/* Writes the records to lines->text: without the paragraphs that were there before, or with their places.  Adds to
 * the figures.  False after a report. */
bool units_write(struct exact_lines *lines, struct exact *exact);

#endif
