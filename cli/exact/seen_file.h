/*
 * seen_file.h - the file of `lfbloom dedupe --seen`, for seen.c and seen_commit.c.
 * docs/formats.md describes it (state of dedupe).
 */
#ifndef CLI_EXACT_SEEN_FILE_H
#define CLI_EXACT_SEEN_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "bloom/hashing/hash128.h"
#include "cli/exact/spill.h"

enum {
  SEEN_RUNS = 14,
  SEEN_BLOCK = 4096, /* bytes: a block, and what all extents are multiples of */
  SEEN_SLOTS = 255,  /* hashes, at most, of a block */
  SEEN_SPARE = 1,    /* blocks at the end of a run: for what the last one has no room for */
};

/* A run in the file: its blocks, then its filter. */
struct seen_run {
  uint64_t count; /* hashes */
  uint64_t at;
  uint32_t blocks; /* the spare ones are among them */
  uint32_t filter_pages; /* each of SEEN_BLOCK bytes */
};

/* The first bytes of the file.  They are written at once, within one sector of a disk. */
struct seen_head {
  char magic[8];
  uint32_t version; /* in the byte order of the host, as all numbers */
  uint32_t run_count;
  uint8_t key[LFB_HASH128_KEY];
  struct seen_run runs[SEEN_RUNS]; /* as they follow one another in the file */
  uint64_t moved, shift; /* bytes from offset `moved` on are `shift` bytes later (seen_settle()) */
  uint64_t written; /* when, in seconds since 1970 */
  uint64_t reserved[14]; /* 0 */
  uint64_t checksum; /* the low half of the hash of all bytes before it */
};

_Static_assert(sizeof(struct seen_head) == 512, "one sector");

/* Hashes in their order: by the high half, then by the low one.  A hash is in the block that its
 * high half names among the first ones of its run, or in a later one, if all from that one on are
 * full. */
struct seen_block {
  uint64_t checksum; /* the low half of the hash of all bytes after it */
  uint32_t number;   /* in its run */
  uint32_t count;
  struct exact_hash hashes[SEEN_SLOTS]; /* those after `count` are 0 */
};

_Static_assert(sizeof(struct seen_block) == SEEN_BLOCK, "a block has no gaps");

struct seen {
  const char *path;
  int file;
  struct stat was;
  struct seen_head head;
  lfb_hash128 *hash;
  unsigned char *bytes; /* the file as it was, mapped */
  uint64_t size;
  lfb_filter *filters[SEEN_RUNS];
  _Atomic(uint64_t)
      *checked[SEEN_RUNS]; /* bit i % 64 of word i / 64: whether block i was found good */
  struct spill added;
};

/* What is left of a filter in the mapped file; or where it is written, without an end. */
struct seen_part {
  const struct seen *seen;
  uint64_t at, end;
};

static inline bool seen_is_less(struct exact_hash a, struct exact_hash b)
{
  return a.high != b.high ? a.high < b.high : a.low < b.low;
}

/* Where a hash belongs among `count` places, at most 2^32, that divide all hashes; `known` bits are
 * not asked. */
static inline uint64_t seen_place(struct exact_hash hash, uint64_t count, unsigned known)
{
  return ((hash.high << known >> 32) * count) >> 32;
}

/* Where the runs end. */
static inline uint64_t seen_end(const struct seen_head *head)
{
  if (head->run_count == 0)
    return SEEN_BLOCK;
  const struct seen_run *const last = &head->runs[head->run_count - 1];
  return last->at + ((uint64_t)last->blocks + last->filter_pages) * SEEN_BLOCK;
}

/* Both report, and return false: errno, and damage. */
bool seen_failed(const struct seen *seen);
bool seen_damaged(const struct seen *seen, const char *how);

/* Locks the file for this process, as flock() does.  False after a report. */
bool seen_lock(const struct seen *seen, int lock);

/* Maps the file as it is now.  False: errno. */
bool seen_map(struct seen *seen);

/* Reads the head of the mapped file.  LFB_ERROR_UNKNOWN_FORM, _UNKNOWN_VERSION, _TRUNCATED,
 * _BAD_CHECKSUM or _NO_MEMORY. */
lfb_status seen_read_head(struct seen *seen);

/* Reads the filter of a run, and adds its damage to that of the file, unless that is NULL. */
lfb_status seen_read_filter(const struct seen *seen, const struct seen_run *run,
                            lfb_damage *damage, lfb_filter **filter);

uint64_t seen_checksum(const lfb_hash128 *hash, const void *bytes, size_t size);

/* Writes to the file.  False after a report. */
bool seen_write(const struct seen *seen, const void *bytes, size_t size, uint64_t at);

/* Writes the head; it is on the disk then.  False: errno. */
bool seen_write_head(struct seen *seen);

/* Moves the last run to where the head says that it is, and cuts the file off after it, however an
 * earlier run was ended.  False: errno; the head then still says where everything is. */
bool seen_settle(struct seen *seen);

/* The block of a run, and whether it is good. */
const struct seen_block *seen_block_at(const struct seen *seen, const struct seen_run *run,
                                       uint32_t number);
bool seen_block_is_good(const struct seen *seen, const struct seen_block *block, uint32_t number);

/* The block of a run.  NULL after a report that it is damaged. */
const struct seen_block *seen_find_block(const struct seen *seen, uint32_t run, uint32_t number);

/* Which block of a run a hash belongs to, if it has room. */
static inline uint64_t seen_own_block(const struct seen_run *run, struct exact_hash hash)
{
  return seen_place(hash, run->blocks - SEEN_SPARE, 0);
}

#endif
