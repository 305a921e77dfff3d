/*
 * progress.h - the one progress bar, on standard error.
 *
 * Threads  progress_add() may be called by any number of threads at once; the
 *          first to come when a tenth of a second is over draws.  The others
 *          are for the thread that leads the work, progress_clear() and
 *          progress_end() for any.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum progress_when { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

enum progress_unit { PROGRESS_KEYS, PROGRESS_BYTES };

/* Whether there is to be a bar; by default where standard error is a terminal. */
bool progress_wanted(enum progress_when when);

/* Begins a bar at 0 of `total`, 0 where that is unknown.  Not shown, it costs nothing. */
void progress_begin(bool shown, const char *label, uint64_t total, enum progress_unit unit);

/* Adds to what is done. */
void progress_add(uint64_t amount);

/* Wipes the bar away, if there is one, until the next progress_add() that draws. */
void progress_clear(void);

/* Wipes the bar away, if there is one; a later progress_add() draws none. */
void progress_end(void);

#endif
