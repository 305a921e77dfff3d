/*
 * progress.h - the one progress bar, on standard error.
 *
 * Threads  Any number of threads may call progress_add() at once; the first call after each tenth
 *          of a second draws.  progress_clear() and progress_end() are for any thread, the other
 *          functions for the main thread.
 */
#ifndef CLI_BASE_PROGRESS_H
#define CLI_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum progress_when { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

enum progress_unit { PROGRESS_KEYS, PROGRESS_BYTES };

/* Whether to show a bar; by default only if standard error is a terminal. */
bool progress_wanted(enum progress_when when);

/* Begins a bar at 0 of `total` (0: unknown).  A bar that is not shown only counts. */
void progress_begin(bool shown, const char *label, uint64_t total, enum progress_unit unit);

/* Adds to the amount that is done. */
void progress_add(uint64_t amount);

/* The amount that is done, shown or not, until the next bar begins. */
uint64_t progress_done(void);

/* Wipes the bar, if there is one; the next progress_add() that draws shows it again. */
void progress_clear(void);

/* Wipes the bar, if there is one, and ends it. */
void progress_end(void);

#endif
