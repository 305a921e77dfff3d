/*
 * crew.h - runs one piece of work in several threads.
 */
#ifndef CLI_CREW_H
#define CLI_CREW_H

#include <stdbool.h>

/* One thread's part; threads are numbered from 0. */
typedef void (*crew_work)(void *context, unsigned number);

/*
 * Calls work(context, i) for each i from 0 to threads - 1, each in its own thread; the caller is
 * thread 0.  No part begins before all threads exist.  Returns when all parts have returned; the
 * caller then sees what they wrote.
 *
 * Returns false after a report if a thread could not be started; then no part has begun.
 */
bool crew_run(unsigned threads, crew_work work, void *context);

#endif
