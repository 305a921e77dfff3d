/*
 * report.h - the tool's exit statuses, and its messages on standard error.
 *
 * Threads  All functions may be called by any thread at any time.
 */
#ifndef CLI_BASE_REPORT_H
#define CLI_BASE_REPORT_H

#include <lfbloom/filter.h>
#include <stdbool.h>

/* Done; done, but not as asked; not done: `lfbloom help status` has the cases. */
enum { CLI_DONE = 0, CLI_OTHERWISE = 1, CLI_NOT_DONE = 2 };

/*
 * Prints "lfbloom: ..." as one line, control characters as '?'.  Only the first call prints: later
 * errors are consequences of the first.
 *
 * Returns CLI_NOT_DONE, for the caller to return.  Keeps errno.
 */
int report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ": " and errno's text if errno has the cause of the status, or "". */
const char *report_cause(lfb_status status);

/* Prints "lfbloom: `what`: text of the status", with errno's text if errno has the cause. */
int report_status(const char *what, lfb_status status);

/* Prints "lfbloom: `what`: text of errno". */
int report_errno(const char *what);

/* The same three, false, for functions that return it after a report. */
#define report_false(...) ((void)report_error(__VA_ARGS__), false)
#define report_false_status(what, status) ((void)report_status(what, status), false)
#define report_false_errno(what) ((void)report_errno(what), false)

/* Prints "lfbloom: ..." as one line; every call prints.  For messages that are not errors. */
void report_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What "out of memory" was about, as text: the bytes that were wanted, and those that there are; ""
 * for another status, or if `bytes` is 0. */
struct report_room {
  char text[160];
} report_room(lfb_status status, uint64_t bytes);

/* Reports why `command` cannot make a filter of this configuration, of so many bytes (0: unknown);
 * returns CLI_NOT_DONE. */
int report_unmade(const char *command, const lfb_config *config, uint64_t bytes, lfb_status status);

/* Warns that there were more keys than `what`, "filter was" or "filters were", made for. */
void report_overfull(const char *what, const lfb_stats *stats);

/* ": what to do" about two filters that do not fit together, or "". */
const char *report_misfit_advice(lfb_status status);

#endif
