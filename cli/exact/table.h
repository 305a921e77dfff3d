/*
 * exact_table.h - a set of hashes of 128 bits, each with a mark.
 *
 * A shard has the hashes that begin with the same bits: an array of buckets of one cache line,
 * which is searched from the bucket that the hash names.  A full shard moves to an array that is a
 * quarter larger, or of one more huge page: the table is never copied as a whole.
 *
 * Threads  table_insert(), table_insert_many() and table_prefetch() may run concurrently.  So may
 *          table_find() and table_meet(), of which one thread at a time marks, while nothing is
 *          inserted.
 */
#ifndef CLI_EXACT_TABLE_H
#define CLI_EXACT_TABLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exact_hash {
  uint64_t low, high;
};

/* An empty slot is all zero. */
struct table_slot {
  uint64_t low;
  _Atomic(uint64_t) high; /* the shard's bits are TABLE_USED, TABLE_MARK, TABLE_AGAIN */
};

enum { TABLE_SHARD_BITS = 4,
       TABLE_SHARDS = 1 << TABLE_SHARD_BITS,
       TABLE_BATCH = 4096,
       TABLE_AHEAD = 16 /* hashes that are prefetched */ };

struct table_shard {
  _Alignas(64) pthread_mutex_t lock; /* for inserting, and beside it */
  _Atomic(struct table_slot *) slots;
  _Atomic(uint64_t) buckets;
  uint64_t used; /* slots */
  uint64_t *times; /* of each slot; NULL before table_begin_times() */
};

struct exact_table {
  struct table_shard shards[TABLE_SHARDS];
  _Atomic(uint64_t) bytes; /* of all arrays, also while a shard moves */
  _Atomic(uint64_t) limit; /* on `bytes`    */
  uint64_t again; /* hashes that were found again, of those that table_empty() removed */
};

void table_init(struct exact_table *table, uint64_t limit);

/* Removes all hashes, and frees the memory. */
void table_clear(struct exact_table *table);

/* Removes all hashes, and keeps the memory. */
void table_empty(struct exact_table *table);

enum table_answer {
  TABLE_FOUND, /* with a mark: it now was found again */
  TABLE_NEW,   /* it was not there, or without a mark; now it is there */
  TABLE_FULL   /* there is no room for it below the limit, or no memory */
};

/* Inserts the hash, and marks it.  Without `room` one that lacks a mark stays so: TABLE_FULL. */
enum table_answer table_insert(struct exact_table *table, struct exact_hash hash, bool room);

enum table_step {
  TABLE_NOTES,  /* of a line that may have been met before: TABLE_FOUND says nothing of a mark */
  TABLE_MEETS,  /* what has a mark was found again */
  TABLE_DECIDES /* the same, and what has none gets it: of equal hashes the first */
};

/* Inserts the hashes numbered `which`, at most TABLE_BATCH; answers[i] is for which[i].  It locks
 * each shard once for many: with a lock for each hash, two threads took as long as one. */
void table_insert_many(struct exact_table *table, const uint64_t *low, const uint64_t *high,
                       const uint32_t *which, size_t count, enum table_step step, uint8_t *answers);

/* Returns where the hash is; NULL if it is not there. */
struct table_slot *table_find(const struct exact_table *table, struct exact_hash hash);

/* Returns whether the hash has a mark; then it was found again.  If not, `marks` gives it one. */
bool table_meet(struct table_slot *slot, bool marks);

/* How many hashes were found again since table_init() or table_clear(). */
uint64_t table_repeated(const struct exact_table *table);

/* How many hashes there are, and the low halves of those in a shard, at most `most` at a time:
 * `*at` begins as 0; 0 is returned at the end. */
uint64_t table_count(const struct exact_table *table);
size_t table_lows(const struct exact_table *table, int shard, uint64_t *at, uint64_t *lows,
                  size_t most);

/* Makes a number for each slot, 0.  Nothing is inserted from then on.  False: no memory. */
bool table_begin_times(struct exact_table *table);

/* The number of the slot that has the hash. */
uint64_t *table_times(const struct exact_table *table, struct exact_hash hash,
                      const struct table_slot *slot);

/* Brings the cache line near in which the hash is sought. */
void table_prefetch(const struct exact_table *table, struct exact_hash hash);

#endif
