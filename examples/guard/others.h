/*
 * others.h - the products that another machine announces: follows the newest version of a filter
 * of their ids on Redis (lfbloom/redis_source.h).
 *
 * Whole     A version replaces the previous one at once, while requests continue.  Before the
 *           first version, every id is absent.
 * Cut off   While Redis cannot be reached, the last version answers: no request waits for Redis,
 *           or fails.
 * Hostile   Publish with a keyed hash and its key kept in the filter: the default, as in
 *           publish.c.  With another hash an attacker may learn which ids are false positives.
 * Threads   All calls except create and free may run concurrently.
 */
#ifndef GUARD_OTHERS_H
#define GUARD_OTHERS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What to follow. */
struct others_config {
  const char *url;           /* redis://[[user]:password@]host[:port]/name; copied */
  void (*changed)(void *to); /* called after each new version, on the follower's thread or in
                                others_create() */
  void *to;
};

struct others;

/* Starts to follow.  If Redis can be reached, the version already published is loaded when it
 * returns.  NULL after a report. */
struct others *others_create(const struct others_config *config);

/* Stops and frees it; NULL is ignored. */
void others_free(struct others *others);

/* Whether the other machine may have announced this id. */
bool others_have(struct others *others, int64_t id);

/* Prints the follower's figures in Prometheus' exposition format. */
void others_print(struct others *others, FILE *to);

#endif
