/*
 * walk.h - the one walk over the lines of an input: finds the key of each line, has the lines
 * decided, and prints those that are wanted, in the order of the input.
 *
 * A decider says which lines are wanted, by a table, a filter, a window or a server.  All threads
 * take lines at once.  What they leave open is decided one chunk at a time, in the order of the
 * input: then the first of several lines with one key is known.
 */
#ifndef CLI_INPUT_WALK_H
#define CLI_INPUT_WALK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/input/keys.h"

enum { WALK_BATCH = CHUNK_PARTS }; /* the most lines that are taken at once */

/* Lines of a thread's chunk.  Bit i % 64 of word i / 64 is that of line i. */
struct walk_lines {
  lfb_key *records;    /* the whole lines */
  const lfb_key *keys; /* if the decider keeps them */
  uint64_t *wanted;  /* whether it is printed */
  uint64_t *passing; /* whether it has no key and is printed as it stands, which nothing decides */
  uint32_t *open;    /* the lines that are left to be decided, in their order */
  size_t count;
  size_t open_count;
  size_t capacity; /* a multiple of 64 */
  struct chunk *chunk;
  unsigned thread; /* its number, from 0 */

  /* Private. */
  lfb_key *copies; /* of keys that are not the records */
};

/* Takes the lines from `first` on, which were found last, with their keys.  So far, those that pass
 * are wanted. */
typedef bool (*walk_taker)(void *context, struct walk_lines *lines, size_t first,
                           const lfb_key *keys);

/* All but emit() are called for many chunks at once, decide() for one.  Those that return false
 * have reported why; the program then ends, after the output of what was decided. */
struct decider {
  size_t batch; /* the most lines for one take(), from 64 to WALK_BATCH */
  bool keeps_keys;
  walk_taker take; /* NULL: nothing is done with them */
  /* NULL, or called once all lines of the chunk were taken, and no chunk is printed before it.
   * Without it and decide(), the lines of each take() are kept or forgotten at once. */
  bool (*ask)(void *context, struct walk_lines *lines);
  /* NULL, or decides the open lines, in the order of the input.  It may cut lines->count: what
   * follows is not printed. */
  bool (*decide)(void *context, struct walk_lines *lines);
  /* What is called after deciding; NULL: walk_keep(). */
  void (*finish)(void *context, struct walk_lines *lines);
  /* One call at a time, in the order of the input.  NULL: prints what was kept. */
  void (*emit)(void *context, const struct walk_lines *lines);
};

struct walk_figures {
  _Atomic(uint64_t) keys, bytes; /* that were read */
};

struct walk {
  const struct keys_source *source;
  const char *label; /* of the progress bar */
  const struct decider *decider;
  void *context; /* its first argument */
  bool prints;
  bool unordered; /* decide() is called as take() is: in any order, many at once */
  struct walk_figures *figures; /* may be NULL */

  /* For one of several reads of an input: as in records.h. */
  bool crlf, plain;
  uint64_t skip;
  const _Atomic(bool) *enough;
};

/* Walks over all lines once.  False after a report if the input could not be read to its end. */
bool walk_run(const struct walk *walk);

/*
 * Sets `*expected` to the number given, or else counts the keys, which must be readable twice.  If
 * it is only a `guess`, it is 0 for keys that are not.
 *
 * Returns false after a report, which names the command.
 */
bool walk_expected(const struct keys_source *source, const char *command, bool guess,
                   const struct options_count *given, uint64_t *expected);

/* Cuts the chunk to the lines that are wanted. */
void walk_keep(const struct keys_source *source, const struct walk_lines *lines);

static inline bool walk_passes(const struct walk_lines *lines, size_t i)
{
  return lines->passing[i / 64] >> (i % 64) & 1;
}

static inline void walk_want(struct walk_lines *lines, size_t i, bool wanted)
{
  const uint64_t bit = UINT64_C(1) << (i % 64);

  lines->wanted[i / 64] = wanted ? lines->wanted[i / 64] | bit : lines->wanted[i / 64] & ~bit;
}

static inline void walk_open(struct walk_lines *lines, size_t i)
{
  lines->open[lines->open_count++] = (uint32_t)i;
}

/* How many of the first `count` bits are set. */
size_t walk_sum(const uint64_t *bits, size_t count);

#endif
