/*
 * spared.h - the files that a command reads, which it must not replace.
 *
 * By device and inode: so a file is spared under each of its names, through links, and as standard
 * input.
 */
#ifndef CLI_BASE_SPARED_H
#define CLI_BASE_SPARED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Notes that the command reads the file; "-" is standard input.  What is no regular file need not
 * be spared.  Ends the program after a report if there is no memory. */
void spared_add(const char *path);

/* The same for a command's operands; none means standard input. */
void spared_add_operands(char *const *paths, size_t count);

/* Whether `path`, which is to be written, is one of them; "-" is standard output. */
bool spared_has(const char *path);

/* Whether the open file, which the command reads and changes, is none of them, and not its standard
 * output: what is printed would destroy it.  False after a report. */
bool spared_from_state(const char *path, const struct stat *found);

#endif
