/*
 * crew.h - threads that do one piece of work together.
 */
#ifndef CLI_CREW_H
#define CLI_CREW_H

#include <stdbool.h>

/* One thread's part; `number` counts from 0. */
typedef void (*crew_work)(void *context, unsigned number);

/*
 * Calls work(context, 0 .. threads-1), each in a thread of its own, the caller's
 * being number 0, and returns when all have returned.  None begins before all
 * exist.
 *
 * Returns false, after a report and with nothing begun, where a thread could not
 * be started.  What the parts wrote is visible to the caller afterwards.
 */
bool crew_run(unsigned threads, crew_work work, void *context);

#endif
