/*
 * report.h - the tool's exit statuses and its one line on standard error.
 *
 * Threads  All functions may be called by any thread at any time.
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <lfbloom/filter.h>

/* As grep has them. */
enum { CLI_FOUND = 0, CLI_NOTHING = 1, CLI_TROUBLE = 2 };

/*
 * Prints "lfbloom: ..." as one line, control characters as '?'.  Of several
 * calls only the first prints: whatever follows an error follows from it.
 *
 * Returns CLI_TROUBLE, for the caller to return.  Keeps errno.
 */
int report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "lfbloom: `what`: text of the status", with errno's text where it is the cause. */
int report_status(const char *what, lfb_status status);

/* The same each time: for one of several files, the others of which are looked at yet. */
void report_status_note(const char *what, lfb_status status);

/* Prints "lfbloom: `what`: text of errno". */
int report_errno(const char *what);

/* Prints "lfbloom: ..." as one line, each time: for what is no error. */
void report_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Warns that more keys came than what, "filter was" or "filters were", was made for. */
void report_overfull(const char *what, const lfb_stats *stats);

/* Warns where guava-mitz64 would take less than half of what such a filter, of more than a
 * MiB, takes.  Of a configuration that cannot be, it says nothing. */
void report_oversized(const lfb_config *config);

#endif
