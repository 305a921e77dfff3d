/*
 * run.h - one run of exact.h: what is to be done, the figures, and what its parts share.
 */
#ifndef CLI_EXACT_RUN_H
#define CLI_EXACT_RUN_H

#include <lfbloom/filter.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "bloom/hashing/hash128.h"
#include "cli/exact/spill.h"
#include "cli/exact/table.h"
#include "cli/input/keys.h"

/* What a test changes; the tool takes exact_tuning_default(). */
struct exact_tuning {
  uint64_t table_most; /* the bytes of the table before the input is read twice, if it can be */
  double fpp;          /* of the filter that lines are claimed in  */
  uint64_t thread_bytes; /* of memory, which are for what each thread works on */
  void (*between)(void); /* called before the second read; NULL: nothing */
};

/* Which lines are printed. */
enum exact_which {
  EXACT_FIRST,    /* the first of each key                            */
  EXACT_REPEATED, /* the same, of the keys that come more than once   */
  EXACT_UNIQUE    /* those whose key comes once                       */
};

/* What earlier runs have printed: cli/exact/seen.h. */
struct seen;

struct exact {
  const struct keys_source *source;
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
  _Atomic(int) listing;          /* the next shard to be listed */
  _Atomic(lfb_filter *) doubted; /* keys that the table had no room for; NULL: it has all */
  pthread_mutex_t doubting;      /* for making it */
  uint64_t doubted_bytes;        /* what is kept free for it */
  struct exact_lines *lines;     /* the hashes of each thread's lines */
  struct keys_source reading;    /* the source, for this read */
  struct stat *files; /* as they were at the start */
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

/* Whether it has to be known how often a key comes. */
static inline bool exact_counts(const struct exact *exact)
{
  return exact->which != EXACT_FIRST || exact->numbered;
}

#endif
