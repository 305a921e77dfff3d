/*
 * target.h - files that a command writes.
 *
 * A filter's may be a Redis server's address: a name there that nothing has yet.
 */
#ifndef CLI_TARGET_H
#define CLI_TARGET_H

#include <lfbloom/filter.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether it is "-". */
bool target_is_standard(const char *path);

/*
 * Whether `path` looks as if it could be written, and is none of the inputs: asked
 * before hours of work, not instead of checking the writing.  False after a report.
 */
bool target_check(const char *path, char *const *inputs, size_t input_count);

/* The same of a shared filter that was not there just now: on a server, where it was looked
 * for, another process may have made it since. */
bool target_check_shared(const char *path, char *const *inputs, size_t input_count);

/*
 * Whether a filter of this form may take the place of what is at `path`.  Other processes may be
 * putting into a shared filter: only one of form mapped replaces it, and nothing replaces a
 * growing one.  False after a report that says what to do instead.
 */
bool target_spares_shared(const char *path, lfb_form form);

/*
 * Whether `form`, or the server where `path` is on one, holds such a filter, which was read
 * from `from`; false after a report that says what to do instead.
 */
bool target_holds(const char *path, lfb_form form, const char *from, const lfb_stats *stats);

/*
 * Saves a filter: to standard output where `path` is "-", to a server where it is an
 * address, else as lfb_filter_save() does; whole or not at all.
 *
 * Returns false after a report; no temporary file is left, whatever signals come.
 */
bool target_save(const char *path, const lfb_filter *filter, lfb_form form);

/*
 * Writes a file whole or not at all: a temporary file beside it, renamed.  What is
 * no regular file (a pipe, /dev/stdout) is written to as it is.
 *
 * Returns false after a report; `path` is as it was and no temporary file left.
 */
bool target_replace(const char *path, const void *bytes, size_t size);

#endif
