/* database.c - the products in SQLite; see guard.h. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "examples/guard/guard.h"

enum {
  DATABASE_BUSY_MS = 5000, /* how long to wait for another process that writes */
  DATABASE_BATCH = 1024,   /* ids passed at a time                             */
  DATABASE_SECOND_US = 1000000,
};

struct database {
  char *path;
  struct timespec delay;
  pthread_key_t own; /* a thread's connection: closed when the thread ends, or the query failed */
};

static bool complain(sqlite3 *connection, const char *what)
{
  report("database: %s: %s", what,
         connection == NULL ? "out of memory" : sqlite3_errmsg(connection));
  return false;
}

static void connection_close(void *connection)
{
  (void)sqlite3_close_v2(connection);
}

/* Opens a connection, for one thread at a time; NULL after a report. */
static sqlite3 *connect_to(const struct database *database, int more_flags)
{
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | more_flags;
  sqlite3 *connection = NULL;

  if (sqlite3_open_v2(database->path, &connection, flags, NULL) == SQLITE_OK) {
    (void)sqlite3_busy_timeout(connection, DATABASE_BUSY_MS);
    if (sqlite3_exec(connection, "PRAGMA synchronous=NORMAL", NULL, NULL, NULL) == SQLITE_OK)
      return connection;
  }
  (void)complain(connection, database->path);
  connection_close(connection);
  return NULL;
}

/* Returns a statement on the calling thread's connection, which is opened first if it has none;
 * NULL after a report.  SQLite's functions take no statement as one that fails. */
static sqlite3_stmt *database_prepare(const struct database *database, const char *sql)
{
  sqlite3 *connection = pthread_getspecific(database->own);
  sqlite3_stmt *statement = NULL;

  if (connection == NULL) {
    connection = connect_to(database, 0);
    if (connection != NULL && pthread_setspecific(database->own, connection) != 0) {
      connection_close(connection);
      connection = NULL;
    }
  }
  if (connection != NULL &&
      sqlite3_prepare_v2(connection, sql, -1, &statement, NULL) != SQLITE_OK)
    (void)complain(connection, sql);
  return statement;
}

/* Frees the statement, whose last step returned `last`; false after a report, if that failed.  A
 * connection that failed is closed: the next call opens the file anew. */
static bool database_end(const struct database *database, sqlite3_stmt *statement, int last)
{
  const bool fine = statement != NULL && (last == SQLITE_DONE || last == SQLITE_ROW);
  sqlite3 *connection = pthread_getspecific(database->own);

  if (statement != NULL && !fine)
    (void)complain(connection, sqlite3_sql(statement));
  (void)sqlite3_finalize(statement);
  if (!fine && connection != NULL) {
    (void)pthread_setspecific(database->own, NULL);
    connection_close(connection);
  }
  return fine;
}

struct database *database_open(const char *path, unsigned delay_us)
{
  static const char table[] = "PRAGMA journal_mode=WAL; CREATE TABLE IF NOT EXISTS products"
                              "(id INTEGER PRIMARY KEY, body BLOB NOT NULL)";
  struct database *database = calloc(1, sizeof *database);

  if (database == NULL || pthread_key_create(&database->own, connection_close) != 0) {
    free(database);
    return NULL;
  }
  database->delay = (struct timespec){delay_us / DATABASE_SECOND_US,
                                      1000L * (delay_us % DATABASE_SECOND_US)};
  database->path = strdup(path);
  sqlite3 *connection =
      database->path == NULL ? NULL : connect_to(database, SQLITE_OPEN_CREATE);
  if (connection != NULL && sqlite3_exec(connection, table, NULL, NULL, NULL) != SQLITE_OK)
    (void)complain(connection, table);
  connection_close(connection);
  if (database->path != NULL)
    return database;
  database_close(database);
  return NULL;
}

void database_close(struct database *database)
{
  if (database == NULL)
    return;
  (void)pthread_key_delete(database->own);
  free(database->path);
  free(database);
}

enum answer database_get(struct database *database, int64_t id, struct body *body)
{
  sqlite3_stmt *statement =
      database_prepare(database, "SELECT body FROM products WHERE id = ?1");
  enum answer answer = ANSWER_NONE;

  (void)sqlite3_bind_int64(statement, 1, id);
  const int last = sqlite3_step(statement);
  if (last == SQLITE_ROW) {
    const void *bytes = sqlite3_column_blob(statement, 0);
    const size_t size = (size_t)sqlite3_column_bytes(statement, 0);
    answer = body_copy(body, bytes, size) ? ANSWER_FOUND : ANSWER_BROKEN;
  }
  if (!database_end(database, statement, last))
    answer = ANSWER_BROKEN;
  (void)nanosleep(&database->delay, NULL);
  return answer;
}

bool database_put(struct database *database, int64_t id, const void *bytes, size_t size)
{
  sqlite3_stmt *statement = database_prepare(
      database, "INSERT INTO products VALUES (?1, ?2)"
                " ON CONFLICT (id) DO UPDATE SET body = excluded.body");

  (void)sqlite3_bind_int64(statement, 1, id);
  (void)sqlite3_bind_blob64(statement, 2, bytes, size, SQLITE_STATIC);
  return database_end(database, statement, sqlite3_step(statement));
}

bool database_count(struct database *database, uint64_t *count)
{
  sqlite3_stmt *statement = database_prepare(database, "SELECT count(*) FROM products");
  const int last = sqlite3_step(statement);

  if (last == SQLITE_ROW)
    *count = (uint64_t)sqlite3_column_int64(statement, 0);
  return database_end(database, statement, last);
}

bool database_each_id(struct database *database,
                      bool (*give)(void *to, const uint64_t *ids, size_t count), void *to)
{
  /* One statement reads a snapshot, and keeps no writer waiting. */
  sqlite3_stmt *statement = database_prepare(database, "SELECT id FROM products");
  uint64_t ids[DATABASE_BATCH];
  size_t count = 0;
  bool wanted = true;
  int last;

  while (wanted && (last = sqlite3_step(statement)) == SQLITE_ROW) {
    ids[count++] = (uint64_t)sqlite3_column_int64(statement, 0);
    if (count == DATABASE_BATCH) {
      wanted = give(to, ids, count);
      count = 0;
    }
  }
  if (wanted && last == SQLITE_DONE)
    (void)give(to, ids, count);
  return database_end(database, statement, last);
}
