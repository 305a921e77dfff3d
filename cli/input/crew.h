/*
 * crew.h - runs one piece of work in several threads.
 */
#ifndef CLI_INPUT_CREW_H
#define CLI_INPUT_CREW_H

#include <stdbool.h>

/* One thread's part; threads are numbered from 0. */
typedef void (*crew_work)(void *context, unsigned number);

/* Whether each part must run, or fewer do: then they share the work among themselves. */
enum crew_need { CREW_ALL, CREW_ANY };

/*
 * Calls work(context, i) for each i from 0 to threads - 1, each in its own thread; the caller is
 * thread 0.  No part begins before all threads exist.  Returns when all parts have returned; the
 * caller then sees what they wrote.
 *
 * If a thread cannot be started: with CREW_ANY the parts before it run, after a note; with CREW_ALL
 * none runs.  Returns false after a report if none ran.
 */
bool crew_run(unsigned threads, enum crew_need need, crew_work work, void *context);

#endif
