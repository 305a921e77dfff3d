/*
 * help.h - what --help prints: as it is written where programs read it, filled to the width of
 * the window where people do.
 *
 * Where standard output is no terminal an option is one line, however long: completion and the
 * manual page are made of these.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

/* Prints one option, "-o, --output=OUT", and what it is for. */
void help_option(const char *option, const char *text);

/*
 * Prints paragraphs, in lines that end in '\n'.  A sentence that ends a line ends it in a
 * narrower window too; lines that begin with two spaces are examples, and stay as they are.
 */
void help_text(const char *text);

#endif
