/*
 * help.h - what --help prints: lines of at most 80 columns.
 *
 * completion/ and man/ are made from this output.  There the usage line has "[OPTIONS]", an
 * option's row begins in column 2 or 6 with "-", and its text continues in column 25.
 */
#ifndef CLI_BASE_HELP_H
#define CLI_BASE_HELP_H

#include <stddef.h>

/* Prints the summary as a sentence, `purpose` unless it is NULL, and the first `most` lines of the
 * examples. */
void help_begin(const char *summary, const char *purpose, const char *examples, size_t most);

/* Prints one option, "-o, --output=OUT", and its purpose. */
void help_option(const char *option, const char *text);

/*
 * Prints paragraphs: lines of any length, each with '\n' at its end.  Lines that begin with two
 * spaces are examples, which are never broken; those like "word    text" explain a word.
 */
void help_text(const char *text);

#endif
