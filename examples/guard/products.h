/*
 * products.h - the source of truth: a table of products in an SQLite database.
 *
 * Table     products(id INTEGER PRIMARY KEY, body TEXT NOT NULL), created if it is absent.
 * Slow      SQLite runs in this process and answers in microseconds.  It stands for a database
 *           server on another machine, which takes a round trip and has few connections.  Each
 *           lookup holds a connection for `delay_us` microseconds in addition; each put takes so
 *           much longer.
 * Threads   All calls except close may run concurrently.  Lookups share a pool of connections, and
 *           wait for one.  Writers wait for each other.  Readers and a writer do not wait for
 *           each other (write-ahead log).
 * Durable   A put that has returned survives the process.  The last puts may be lost in a power
 *           failure (synchronous=NORMAL), but the table stays consistent.
 */
#ifndef GUARD_PRODUCTS_H
#define GUARD_PRODUCTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "examples/guard/stages.h"

struct products;

/* Opens or creates the database, with so many connections for lookups; NULL after a report. */
struct products *products_open(const char *path, unsigned connections, unsigned delay_us);

/* Closes it; NULL is ignored. */
void products_close(struct products *products);

/* Inserts or replaces a product; false after a report: nothing has changed. */
bool products_put(struct products *products, int64_t id, const char *body, size_t size);

/* Counts the products; false after a report. */
bool products_count(struct products *products, uint64_t *count);

/* Receives ids; returns false to stop. */
typedef bool (*products_fn)(void *to, const uint64_t *ids, size_t count);

/*
 * Passes to `give` the id of every product that was present when the call began.
 *
 * Returns whether all were passed; false after a report, or if `give` stopped it.
 */
bool products_each(struct products *products, products_fn give, void *to);

/* Returns its row for the stages: the last one. */
struct stage products_stage(struct products *products);

#endif
