/*
 * target.h - the files that a command writes.
 *
 * For a filter, the path may be the address of an unused name on a Redis server.
 */
#ifndef CLI_FILTERS_TARGET_H
#define CLI_FILTERS_TARGET_H

#include <lfbloom/filter.h>
#include <lfbloom/redis.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether `path` is "-": standard output. */
bool target_is_standard(const char *path);

/*
 * Whether `path` can probably be written, and is none of the files that the command reads
 * (base/spared.h).  Checked before hours of work; the writing is checked as well.  False after a
 * report.
 */
bool target_check(const char *path);

/* The same for a file that may be one of those that are read, because it is replaced after that. */
bool target_check_replaced(const char *path);

/*
 * A state is a file that a command reads and changes, or makes.  It is none of the files that the
 * command reads, and not its output.  In a folder such as /tmp it is not another user's
 * (bloom/files/destination.h: the same for all that is written).
 *
 * Checks that of a state that is opened by its path, and opens one otherwise; a new one has mode
 * 0600.  False, and -1, after a report.
 */
bool target_check_state(const char *path);
int target_open_state(const char *path);

/* Whether `path` is a regular file with a shared filter, of any version. */
bool target_is_shared(const char *path);

/*
 * Whether a filter of this form may replace the file at `path`.  Other processes may be putting
 * into a shared filter: only form mapped replaces it, and nothing replaces a shared growing filter.
 * False after a report, which says what to do instead.
 */
bool target_spares_shared(const char *path, lfb_form form);

/*
 * Whether `form`, or Redis if `path` is an address, can hold a filter with these figures, which was
 * read from `from`.  False after a report, which says what to do instead.
 */
bool target_holds(const char *path, lfb_form form, const char *from, const lfb_stats *stats);

/*
 * Saves a filter as a whole or not at all: to standard output if `path` is "-", to a server if it
 * is an address, else as lfb_filter_save(); one that is not plain as lfb_any_save(), or as a key of
 * the module for Redis.
 *
 * Returns false after a report.  No temporary file is left, even if a signal comes.
 */
bool target_save(const char *path, const lfb_redis_module_value *value, lfb_form form);

/* Saves the delta from one filter to another in the same way, as lfb_delta_save().  No report. */
lfb_status target_save_delta(const char *path, const lfb_filter *earlier, const lfb_filter *later);

/*
 * Writes a file as a whole or not at all: all that is printed from target_redirect() to
 * target_settle(), which replaces `path` if the output is `whole`, or else leaves it as it was.
 * The new file has no name until then; on file systems without such files it has one, which is
 * removed also if SIGHUP, SIGINT or SIGTERM ends the program.  What is no regular file (a pipe,
 * /dev/stdout) is written to directly.
 *
 * Both return false after a report.
 */
bool target_redirect(const char *path);
bool target_settle(const char *path, bool whole);

#endif
