/*
 * products.h - the source of truth: a table of products in an SQLite database.
 *
 * Table     products(id INTEGER PRIMARY KEY, body TEXT NOT NULL), made if it is not there.
 * Threads   Any call beside any other, but close.  A connection for each reader that was
 *           promised; further ones wait, and so do writers for each other.  Readers and a
 *           writer do not wait (write-ahead log).
 * Durable   A put that has returned survives the process; the last ones may not survive
 *           the power (synchronous=NORMAL), but the table is whole.
 */
#ifndef GUARD_PRODUCTS_H
#define GUARD_PRODUCTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "examples/guard/stages.h"

struct products;

/* Opens or makes the database; NULL after a report. */
struct products *products_open(const char *path, unsigned readers);

/* NULL is ignored. */
void products_close(struct products *products);

/* Writes one, whether it is there or not; false after a report: nothing has changed. */
bool products_put(struct products *products, int64_t id, const char *body, size_t size);

/* How many there are; false after a report. */
bool products_count(struct products *products, uint64_t *count);

/* Is given ids; false: wants no more of them. */
typedef bool (*products_fn)(void *to, const uint64_t *ids, size_t count);

/*
 * Gives the id of every product that was there when it began.
 *
 * Returns whether all were given; false after a report, or where `give` wanted no more.
 */
bool products_each(struct products *products, products_fn give, void *to);

/* Its row among the stages: the last one. */
struct stage products_stage(struct products *products);

#endif
