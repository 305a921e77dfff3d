/*
 * guard.h - a guard in front of a table of products: a filter, a cache and a database.
 *
 * A request for a product asks one after the other, and stops at the first that answers:
 *
 *   gate.c      a filter of all ids: most ids that do not exist end here
 *   cache.c     Redis
 *   database.c  SQLite, the source of truth: what it has goes to the cache
 *
 * server.c asks them, and counts who answered.  All calls except open and close may run
 * concurrently.
 */
#ifndef GUARD_GUARD_H
#define GUARD_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What a stage knows about an id. */
enum answer {
  ANSWER_FOUND,  /* the product is there                      */
  ANSWER_NONE,   /* this stage does not have it               */
  ANSWER_BROKEN, /* the stage does not work: it may be there  */
};

/* The body of a product, malloc'd. */
struct body {
  char *bytes;
  size_t size;
};

/* Copies bytes into a body; false: no memory. */
bool body_copy(struct body *body, const void *bytes, size_t size);

/* Prints "guard: ..." and a newline on standard error. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- database.c -------------------------------------------------------------------------- */

struct database;

/* Opens it, with a table products(id INTEGER PRIMARY KEY, body BLOB NOT NULL).  If that fails, it
 * reports so, and each later call tries again.  Each lookup takes `delay_us` longer than SQLite
 * does, as if the database were on another machine.  NULL: no memory. */
struct database *database_open(const char *path, unsigned delay_us);
void database_close(struct database *database); /* NULL is ignored */

/* Each call uses a connection of the calling thread. */
enum answer database_get(struct database *database, int64_t id, struct body *body);

/* Inserts or replaces a product, and commits; false after a report. */
bool database_put(struct database *database, int64_t id, const void *bytes, size_t size);

/* Counts the products; false after a report. */
bool database_count(struct database *database, uint64_t *count);

/* Passes the id of every product that was present when the call began to `give`, until it returns
 * false.  Returns false after a report. */
bool database_each_id(struct database *database,
                      bool (*give)(void *to, const uint64_t *ids, size_t count), void *to);

/* ---- cache.c ----------------------------------------------------------------------------- */

/*
 * Fresh  When a product changes, an empty value takes the place of its body for some seconds, and a
 *        body is written only where there is no value: one read before the change stays out.
 * Down   A server that does not answer is not asked for a second.  A guard that could not tell it
 *        of a change uses other keys from then on: no old body comes back.
 */
struct cache;

/* Connects when it is first used; an entry lives for `seconds`.  NULL: no memory. */
struct cache *cache_open(const char *host, int port, unsigned seconds);
void cache_close(struct cache *cache); /* NULL is ignored */

/* Gives in `family` what cache_fill() takes for this request. */
enum answer cache_get(struct cache *cache, int64_t id, struct body *body, uint64_t *family);
void cache_fill(struct cache *cache, int64_t id, const struct body *body, uint64_t family);
void cache_forget(struct cache *cache, int64_t id);

/* ---- gate.c ------------------------------------------------------------------------------ */

/*
 * Maybe    Until the table has been read once, every id may be there, so none is refused.
 * Rebuild  While a new filter is filled from the table, the current one answers.  If the table
 *          cannot be read, the current one stays, and the next attempt is some seconds later.
 * Full     Where the rate of false positives is above twice the wanted one, it rebuilds itself.
 * Hostile  Clients choose the ids: the hash has a random key, a new one in each filter.
 */
struct gate;

/* Makes a filter for at least `expect` ids, and starts the thread that fills it from the table.
 * NULL after a report. */
struct gate *gate_open(struct database *database, uint64_t expect, double fpp);
void gate_close(struct gate *gate); /* NULL is ignored */

bool gate_may_have(const struct gate *gate, int64_t id);

/* Lets an id pass from now on.  Write it to the database before (lfbloom/versions.h, 3). */
void gate_put(struct gate *gate, int64_t id);

/* Requests a rebuild, and does not wait for it. */
void gate_rebuild(struct gate *gate);

/* Prints figures as Prometheus reads them. */
void gate_print(const struct gate *gate, FILE *to);

#endif
