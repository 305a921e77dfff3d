/*
 * products.c - see products.h.
 */
#define _POSIX_C_SOURCE 200809L
#include "examples/guard/products.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "examples/guard/report.h"

enum {
  PRODUCTS_BUSY_MS = 5000, /* how long to wait for a process that writes */
  PRODUCTS_BATCH = 1024,   /* ids passed at a time                       */
  PRODUCTS_SECOND_US = 1000000,
};

/* A connection and the one statement that it runs. */
struct door {
  sqlite3 *database;
  sqlite3_stmt *statement;
};

struct products {
  char *path;
  struct timespec delay;   /* of each query                         */
  pthread_mutex_t writing; /* guards `writer` */
  struct door writer;
  pthread_mutex_t reading; /* guards `idle` and idle_count */
  pthread_cond_t returned;
  unsigned reader_count;
  unsigned idle_count;
  struct door *readers;
  struct door **idle;
};

static bool door_complain(const struct door *door, const char *what)
{
  report("database: %s: %s", what,
         door->database == NULL ? "out of memory" : sqlite3_errmsg(door->database));
  return false;
}

static bool door_run(const struct door *door, const char *sql)
{
  return sqlite3_exec(door->database, sql, NULL, NULL, NULL) == SQLITE_OK ||
         door_complain(door, sql);
}

static void door_close(struct door *door)
{
  sqlite3_finalize(door->statement);
  sqlite3_close(door->database);
  *door = (struct door){NULL, NULL};
}

/* Opens a connection for one thread at a time. */
static bool door_connect(struct door *door, const char *path)
{
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;

  if (sqlite3_open_v2(path, &door->database, flags, NULL) != SQLITE_OK)
    return door_complain(door, path);
  (void)sqlite3_busy_timeout(door->database, PRODUCTS_BUSY_MS);
  return true;
}

static bool door_prepare(struct door *door, const char *sql)
{
  return sqlite3_prepare_v3(door->database, sql, -1, SQLITE_PREPARE_PERSISTENT,
                            &door->statement, NULL) == SQLITE_OK ||
         door_complain(door, sql);
}

/* Resets the statement; reports `last`, its last result, if that is an error. */
static bool door_end(struct door *door, int last)
{
  const bool fine = last == SQLITE_DONE || last == SQLITE_ROW ||
                    door_complain(door, sqlite3_sql(door->statement));

  (void)sqlite3_reset(door->statement);
  (void)sqlite3_clear_bindings(door->statement);
  return fine;
}

static bool products_open_writer(struct products *products)
{
  struct door *door = &products->writer;

  return door_connect(door, products->path) && door_run(door, "PRAGMA journal_mode=WAL") &&
         door_run(door, "PRAGMA synchronous=NORMAL") &&
         door_run(door,
                  "CREATE TABLE IF NOT EXISTS products"
                  "(id INTEGER PRIMARY KEY, body TEXT NOT NULL)") &&
         door_prepare(door,
                      "INSERT INTO products VALUES (?1, ?2)"
                      " ON CONFLICT (id) DO UPDATE SET body = excluded.body");
}

static bool products_open_readers(struct products *products)
{
  for (unsigned at = 0; at < products->reader_count; at++) {
    struct door *door = &products->readers[at];
    if (!door_connect(door, products->path) ||
        !door_prepare(door, "SELECT body FROM products WHERE id = ?1"))
      return false;
    products->idle[products->idle_count++] = door;
  }
  return true;
}

/* The delay of a database on another machine; a signal may end it early. */
static void products_wait(const struct products *products)
{
  if (products->delay.tv_sec != 0 || products->delay.tv_nsec != 0)
    (void)nanosleep(&products->delay, NULL);
}

struct products *products_open(const char *path, unsigned connections, unsigned delay_us)
{
  struct products *products = calloc(1, sizeof *products);

  if (products == NULL) {
    report("database: out of memory");
    return NULL;
  }
  pthread_mutex_init(&products->writing, NULL);
  pthread_mutex_init(&products->reading, NULL);
  pthread_cond_init(&products->returned, NULL);
  products->delay = (struct timespec){delay_us / PRODUCTS_SECOND_US,
                                      1000L * (delay_us % PRODUCTS_SECOND_US)};
  products->reader_count = connections;
  products->path = strdup(path);
  products->readers = calloc(connections, sizeof *products->readers);
  products->idle = calloc(connections, sizeof *products->idle);
  if (products->path != NULL && products->readers != NULL && products->idle != NULL &&
      products_open_writer(products) && products_open_readers(products))
    return products;
  products_close(products);
  return NULL;
}

void products_close(struct products *products)
{
  if (products == NULL)
    return;
  for (unsigned at = 0; products->readers != NULL && at < products->reader_count; at++)
    door_close(&products->readers[at]);
  door_close(&products->writer);
  pthread_cond_destroy(&products->returned);
  pthread_mutex_destroy(&products->reading);
  pthread_mutex_destroy(&products->writing);
  free(products->idle);
  free(products->readers);
  free(products->path);
  free(products);
}

static struct door *products_take_reader(struct products *products)
{
  pthread_mutex_lock(&products->reading);
  while (products->idle_count == 0)
    pthread_cond_wait(&products->returned, &products->reading);
  struct door *door = products->idle[--products->idle_count];
  pthread_mutex_unlock(&products->reading);
  return door;
}

static void products_give_reader(struct products *products, struct door *door)
{
  pthread_mutex_lock(&products->reading);
  products->idle[products->idle_count++] = door;
  pthread_cond_signal(&products->returned);
  pthread_mutex_unlock(&products->reading);
}

bool products_put(struct products *products, int64_t id, const char *body, size_t size)
{
  struct door *door = &products->writer;

  pthread_mutex_lock(&products->writing);
  (void)sqlite3_bind_int64(door->statement, 1, id);
  (void)sqlite3_bind_text64(door->statement, 2, body, size, SQLITE_STATIC, SQLITE_UTF8);
  const bool done = door_end(door, sqlite3_step(door->statement));
  pthread_mutex_unlock(&products->writing);
  products_wait(products);
  return done;
}

/* Copies the row's body, which is valid only until the statement is reset. */
static enum stage_answer products_take_body(struct door *door, struct lookup *lookup)
{
  const void *body = sqlite3_column_text(door->statement, 0);
  const size_t size = (size_t)sqlite3_column_bytes(door->statement, 0);

  lookup->body = body == NULL ? NULL : malloc(size + 1);
  if (lookup->body == NULL)
    return STAGE_FAILED;
  memcpy(lookup->body, body, size);
  lookup->size = size;
  return STAGE_FOUND;
}

static enum stage_answer products_lookup(void *self, struct lookup *lookup)
{
  struct products *products = self;
  struct door *door = products_take_reader(products);
  enum stage_answer answer = STAGE_ABSENT;

  (void)sqlite3_bind_int64(door->statement, 1, lookup->id);
  const int last = sqlite3_step(door->statement);
  if (last == SQLITE_ROW)
    answer = products_take_body(door, lookup);
  if (!door_end(door, last))
    answer = STAGE_FAILED;
  products_wait(products);
  products_give_reader(products, door);
  return answer;
}

/* Prepares a statement on a connection of its own, so that a long one blocks no other call. */
static bool products_ask(struct products *products, const char *sql, struct door *door)
{
  *door = (struct door){NULL, NULL};
  if (door_connect(door, products->path) && door_prepare(door, sql))
    return true;
  door_close(door);
  return false;
}

bool products_count(struct products *products, uint64_t *count)
{
  struct door door;

  if (!products_ask(products, "SELECT count(*) FROM products", &door))
    return false;
  const int last = sqlite3_step(door.statement);
  if (last == SQLITE_ROW)
    *count = (uint64_t)sqlite3_column_int64(door.statement, 0);
  const bool counted = door_end(&door, last);
  door_close(&door);
  return counted;
}

/* Passes the statement's ids to `give`; returns SQLITE_DONE, or the error that it ended with. */
static int products_give(struct door *door, products_fn give, void *to, bool *wanted)
{
  uint64_t ids[PRODUCTS_BATCH];
  size_t count = 0;
  int last;

  while ((last = sqlite3_step(door->statement)) == SQLITE_ROW) {
    ids[count++] = (uint64_t)sqlite3_column_int64(door->statement, 0);
    if (count < PRODUCTS_BATCH)
      continue;
    *wanted = give(to, ids, count);
    count = 0;
    if (!*wanted)
      return SQLITE_DONE;
  }
  if (last == SQLITE_DONE)
    *wanted = give(to, ids, count);
  return last;
}

bool products_each(struct products *products, products_fn give, void *to)
{
  struct door door;
  bool wanted = true;

  /* One statement is one transaction: it reads a snapshot, and blocks no other one. */
  if (!products_ask(products, "SELECT id FROM products", &door))
    return false;
  const bool fine = door_end(&door, products_give(&door, give, to, &wanted));
  door_close(&door);
  return fine && wanted;
}

struct stage products_stage(struct products *products)
{
  return (struct stage){.name = "database", .self = products, .lookup = products_lookup};
}
