/*
 * exact.h - prints each line the first time only, without loss: as awk '!seen[$0]++', but by keyed
 * hashes of 128 bits, by all threads, and in bounded memory.
 *
 * Table      The hashes of all lines go into a table (exact_table.h) in the order of the input, and
 *            a line whose hash is new is printed at once.
 * Two reads  If the table grows large, and the input can be read again, what comes after is not put
 *            into it.  A read by all threads, in any order, claims each hash in a Bloom filter.  At
 *            most one claim of a key wins, so if a line does not win, its key may come twice: its
 *            hash goes into the table, without a mark.  A key that is not in the table then comes
 *            once.  The second read prints: a line that is not in the table; and of those that are
 *            in it, in their order, the first, which sets the mark.  A false positive of the filter
 *            costs a place in the table, and never a line.  A second filter has what the table has:
 *            most lines are asked there alone.
 * Spilling   If the table is full, hashes that would go into it go into a third filter.  A line
 *            that is in this and not in the table is in doubt: exact_spill.h decides it.  An input
 *            that cannot be read again has its lines kept in a file from then on.
 * Counting   How often a key comes is known after the input was read: the first read claims, the
 *            second counts the keys that are in the table (all others come once), the third prints.
 *            An input that cannot be read again is stored first.  A table without room is an error.
 * Seen       Each read asks seen.h, if it is given, before anything else: a line that it has is
 *            neither printed nor claimed.  A line that was printed is added to it.
 *
 * exact_reads.c has the reads, exact_lines.c the lines of a chunk.
 */
#ifndef CLI_EXACT_EXACT_H
#define CLI_EXACT_EXACT_H

#include <lfbloom/filter.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bloom/hashing/hash128.h"
#include "cli/exact/spill.h"
#include "cli/exact/table.h"
#include "cli/input/keys.h"

/* What a test changes; the tool takes exact_tuning_default(). */
struct exact_tuning {
  uint64_t table_most; /* the bytes of the table before the input is read twice, if it can be */
  double fpp;          /* of the filter that lines are claimed in  */
  lfb_strategy_id strategy;
  uint64_t thread_bytes; /* of memory, which are for what each thread works on */
  void (*between)(void); /* called before the second read; NULL: nothing */
};

/* Which lines are printed. */
enum exact_which {
  EXACT_FIRST,    /* the first of each key                            */
  EXACT_REPEATED, /* the same, of the keys that come more than once   */
  EXACT_UNIQUE    /* those whose key comes once                       */
};

/* A file as it was at the start. */
struct exact_file;

/* What earlier runs have printed: cli/exact/seen.h. */
struct seen;

struct exact {
  const struct keys_source *source; /* with `empty` */
  struct exact_tuning tuning;
  uint64_t memory;
  bool prints;
  enum exact_which which;
  bool numbered; /* each line after how often its key comes */
  struct seen *seen; /* has what is left out, gets what is printed; not with counts.  May be NULL */

  /* The figures. */
  _Atomic(uint64_t) in, out;
  _Atomic(uint64_t) repeated; /* keys that come more than once */
  uint64_t reads;     /* how often the input was read, at least in part */
  struct spill spill; /* the caller has set its folder */

  /* Private. */
  uint64_t room; /* of the memory, what is not the threads' */
  lfb_hash128 *hash;
  struct exact_table table;
  lfb_filter *claimed;           /* by the lines of the first read                            */
  lfb_filter *listed;            /* what the table has, so that few lines are sought there     */
  _Atomic(lfb_filter *) doubted; /* keys that the table had no room for; NULL: it has all */
  pthread_mutex_t doubting;      /* for making it */
  uint64_t doubted_bytes;        /* what is kept free for it */
  struct exact_lines *lines;     /* one per thread */
  struct exact_file *files;
  struct keys_source stored;      /* what was stored, as a source */
  _Atomic(uint64_t) stored_keys; /* how many lines that were      */
  off_t standard_at; /* where standard input began */
  bool rereadable;
  uint64_t settled; /* the bytes of text that are decided */
  bool waiting;     /* the lines that are read were stored, and all are in doubt */
  bool ended;       /* what comes later is not decided by this read */
  _Atomic(bool) enough;
  struct chunk refused; /* the line without a key that ended the reading while others waited */
};

struct exact_tuning exact_tuning_default(void);

/* The least memory with which this many threads can work. */
uint64_t exact_memory_least(const struct exact_tuning *tuning, unsigned threads);

/* Does it all.  The caller has set the fields before the figures, and zeroed the others.  False
 * after a report. */
bool exact_run(struct exact *exact);

/* Whether it has to be known how often a key comes. */
static inline bool exact_counts(const struct exact *exact)
{
  return exact->which != EXACT_FIRST || exact->numbered;
}

/* ---- exact_reads.c --------------------------------------------------------------- */

/* Allocates what the threads need.  False after a report. */
bool exact_lines_create(struct exact *exact);
void exact_lines_free(struct exact *exact);

/* The reads, which return false after a report if the input could not be read. */
bool exact_read_table(struct exact *exact);   /* decides and prints, until the table is full */
bool exact_read_claims(struct exact *exact);  /* the first of two */
bool exact_read_doubts(struct exact *exact);  /* adds the lines in doubt to the spilled ones */
bool exact_read_again(struct exact *exact);   /* the last: prints; or those that wait */
bool exact_read_counts(struct exact *exact);  /* the second of three */
bool exact_read_counted(struct exact *exact); /* the third: prints   */
bool exact_read_store(struct exact *exact);   /* stores the text, to be read as standard input */

#endif
