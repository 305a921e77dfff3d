/*
 * others.h - the products that another machine has announced: a filter of their ids, whose newest
 * version on Redis is followed (lfbloom/redis_source.h).
 *
 * Whole     A version replaces the one before at once, while requests go on; until there is a
 *           first one, none is had.
 * Cut off   Without Redis it is the last version that answers, for as long as that lasts: no
 *           request waits for Redis, or fails.
 * Hostile   Publish with a keyed hash whose key is kept in the filter (publish.c does): else
 *           who asks may know which ids it is wrong about.
 * Threads   Any call beside any other, but create and free.
 */
#ifndef GUARD_OTHERS_H
#define GUARD_OTHERS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct others_config {
  const char *url;           /* redis://[[user]:password@]host[:port]/name; copied       */
  void (*changed)(void *to); /* told, on a thread of its own, of each version that came  */
  void *to;
};

struct others;

/* Follows from now on; what is published already is had when it returns, if Redis can be
 * reached.  NULL after a report. */
struct others *others_create(const struct others_config *config);

/* NULL is ignored. */
void others_free(struct others *others);

/* Whether somebody may have announced this id. */
bool others_have(struct others *others, int64_t id);

/* Prints how the following goes in Prometheus' exposition format. */
void others_print(struct others *others, FILE *to);

#endif
