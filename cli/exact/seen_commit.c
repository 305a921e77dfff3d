/* seen_commit.c - adds what a run of `lfbloom dedupe --seen FILE` has printed to the file. */
#define _POSIX_C_SOURCE 200809L /* fsync, ftruncate */
#include <errno.h>
#include <lfbloom/filter_more.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/report.h"
#include "cli/exact/seen.h"
#include "cli/exact/seen_file.h"
#include "cli/filters/fitted.h"

enum {
  SEEN_RATIO = 4,    /* a run is merged if it has fewer hashes than so many times those after it */
  SEEN_SMALL = 1024, /* hashes: a run of fewer is always merged */
  SEEN_GAP = 16,     /* a gap below a run is closed from one part in so many of it on */
  SEEN_FILL = 224,   /* of a block, on average: so one in 1,500 hashes is not in its own block */
  SEEN_WRITTEN = 64, /* blocks that are written at once */
  SEEN_SORT_SPARE = 1024, /* slots, beyond two for each hash that is sorted */
};

/* A run that is merged: the next hash of it. */
struct seen_merged {
  uint32_t run;
  uint32_t block, next; /* after it */
  struct exact_hash hash;
  bool ended;
};

struct seen_commit {
  struct seen *seen;
  struct seen_run made;
  struct seen_merged merged[SEEN_RUNS];
  uint32_t kept; /* runs that stay */
  lfb_filter *filter;

  struct seen_block *blocks; /* SEEN_WRITTEN, for those of the new run that are not written yet */
  uint32_t block;            /* the one that is being filled */

  struct exact_hash *slots; /* hashes of a part of all, in their order; an empty slot is all zero */
  uint64_t slot_count;
};

/* Goes to the next hash of a run.  False after a report. */
static bool merged_next(const struct seen *seen, struct seen_merged *merged)
{
  const uint32_t blocks = seen->head.runs[merged->run].blocks;

  for (; merged->block < blocks; merged->block++, merged->next = 0) {
    const struct seen_block *const block = seen_find_block(seen, merged->run, merged->block);
    if (block == NULL)
      return false;
    if (merged->next < block->count) {
      merged->hash = block->hashes[merged->next++];
      return true;
    }
  }
  merged->ended = true;
  return true;
}

static struct seen_block *commit_block(const struct seen_commit *commit)
{
  return &commit->blocks[commit->block % SEEN_WRITTEN];
}

/* Ends the block that is being filled, and begins the next.  Writes the blocks when there are
 * enough, or it was the last one. */
static bool commit_end_block(struct seen_commit *commit)
{
  struct seen_block *const block = commit_block(commit);
  const uint32_t first = commit->block / SEEN_WRITTEN * SEEN_WRITTEN;
  uint64_t lows[SEEN_SLOTS], answers[SEEN_SLOTS / 64 + 1];

  block->number = commit->block;
  memset(&block->hashes[block->count], 0, (SEEN_SLOTS - block->count) * sizeof *block->hashes);
  block->checksum =
      seen_checksum(commit->seen->hash, &block->number, SEEN_BLOCK - sizeof block->checksum);
  for (uint32_t i = 0; i < block->count; i++)
    lows[i] = block->hashes[i].low;
  (void)lfb_filter_put_many_hash(commit->filter, lows, block->count, answers);
  commit->block++;
  if (commit->block % SEEN_WRITTEN == 0 || commit->block == commit->made.blocks) {
    const size_t count = commit->block - first;
    if (!seen_write(commit->seen, commit->blocks, count * sizeof *block,
                    commit->made.at + (uint64_t)first * SEEN_BLOCK))
      return false;
  }
  commit_block(commit)->count = 0;
  return true;
}

static bool commit_put(struct seen_commit *commit, struct exact_hash hash)
{
  const uint64_t own = seen_own_block(&commit->made, hash);

  while (commit->block < own || commit_block(commit)->count == SEEN_SLOTS) {
    if (!commit_end_block(commit))
      return false;
    if (commit->block == commit->made.blocks)
      /* Never, unless the key was chosen. */
      return seen_damaged(commit->seen, "its hashes are uneven");
  }
  struct seen_block *const block = commit_block(commit);
  block->hashes[block->count++] = hash;
  return true;
}

/* Puts what the merged runs have before `*until`; if that is NULL, all. */
static bool commit_put_merged(struct seen_commit *commit, const struct exact_hash *until)
{
  const uint32_t count = commit->seen->head.run_count - commit->kept;

  for (;;) {
    struct seen_merged *least = NULL;
    for (uint32_t i = 0; i < count; i++)
      if (!commit->merged[i].ended &&
          (least == NULL || seen_is_less(commit->merged[i].hash, least->hash)))
        least = &commit->merged[i];
    if (least == NULL || (until != NULL && seen_is_less(*until, least->hash)))
      return true;
    if (!commit_put(commit, least->hash) || !merged_next(commit->seen, least))
      return false;
  }
}

/* Puts a hash into its place among the slots, which are in order, and moves those after it. */
static bool commit_sort_one(struct seen_commit *commit, struct exact_hash hash, unsigned known)
{
  for (uint64_t i = seen_place(hash, commit->slot_count - SEEN_SORT_SPARE, known);
       i < commit->slot_count; i++) {
    const struct exact_hash there = commit->slots[i];
    if (there.low == 0 && there.high == 0) {
      commit->slots[i] = hash;
      return true;
    }
    if (seen_is_less(hash, there)) {
      commit->slots[i] = hash;
      hash = there;
    }
  }
  return seen_damaged(commit->seen, "its hashes are uneven"); /* as above */
}

/* Puts the new hashes that begin with the `known` bits of `range`, and what the merged runs have
 * before them. */
static bool commit_put_range(struct seen_commit *commit, uint64_t range, unsigned known)
{
  const struct spill *const added = &commit->seen->added;
  const struct spill_part *const part =
      &added->parts[seen_place((struct exact_hash){0, range << (64 - known)}, SPILL_PARTS, 0)];
  struct exact_hash hashes[SPILL_HASHES];
  size_t count;

  memset(commit->slots, 0, commit->slot_count * sizeof *commit->slots);
  for (uint64_t at = 0; at < part->count; at += count) {
    if (!spill_hashes(added, part, at, hashes, &count))
      return false;
    for (size_t i = 0; i < count; i++)
      if (hashes[i].high >> (64 - known) == range && !commit_sort_one(commit, hashes[i], known))
        return false;
  }
  for (uint64_t i = 0; i < commit->slot_count; i++) {
    const struct exact_hash hash = commit->slots[i];
    if ((hash.low != 0 || hash.high != 0) &&
        (!commit_put_merged(commit, &hash) || !commit_put(commit, hash)))
      return false;
  }
  return true;
}

/* Puts all hashes into the blocks and the filter of the new run. */
static bool commit_put_all(struct seen_commit *commit, uint64_t memory)
{
  const uint64_t added = commit->seen->added.count;
  unsigned known = 6; /* bits: as many ranges as SPILL_PARTS */

  while (known < 32 &&
         (2 * (added >> known) + SEEN_SORT_SPARE) * sizeof *commit->slots > memory / 4)
    known++;
  commit->slot_count = 2 * (added >> known) + SEEN_SORT_SPARE + 1;
  commit->slots = malloc(commit->slot_count * sizeof *commit->slots);
  commit->blocks = calloc(SEEN_WRITTEN, sizeof *commit->blocks);
  if (commit->slots == NULL || commit->blocks == NULL)
    return seen_failed(commit->seen);
  for (uint32_t i = commit->kept; i < commit->seen->head.run_count; i++) {
    struct seen_merged *const merged = &commit->merged[i - commit->kept];
    merged->run = i;
    if (!merged_next(commit->seen, merged))
      return false;
  }
  for (uint64_t range = 0; range >> known == 0; range++)
    if (!commit_put_range(commit, range, known))
      return false;
  if (!commit_put_merged(commit, NULL))
    return false;
  while (commit->block < commit->made.blocks)
    if (!commit_end_block(commit))
      return false;
  return true;
}

/* An lfb_write_fn. */
static lfb_status commit_write_part(void *to, const void *bytes, size_t size)
{
  struct seen_part *part = to;

  if (!seen_write(part->seen, bytes, size, part->at))
    return LFB_ERROR_WRITE;
  part->at += size;
  return LFB_OK;
}

static bool commit_write_filter(struct seen_commit *commit)
{
  const struct seen *const seen = commit->seen;
  struct seen_run *const made = &commit->made;
  const uint64_t at = made->at + (uint64_t)made->blocks * SEEN_BLOCK;
  struct seen_part part = {.seen = seen, .at = at};
  const lfb_status status =
      lfb_filter_write(commit->filter, LFB_FORM_NATIVE, commit_write_part, &part);

  if (status != LFB_OK && status != LFB_ERROR_WRITE)
    (void)report_status(seen->path, status);
  made->filter_pages = (uint32_t)((part.at - at + SEEN_BLOCK - 1) / SEEN_BLOCK);
  /* All of its pages are in the file, which is checked when it is opened. */
  return status == LFB_OK &&
         (ftruncate(seen->file, (off_t)(at + (uint64_t)made->filter_pages * SEEN_BLOCK)) == 0 ||
          seen_failed(seen));
}

/* Puts the new run into the head, in place of those that are merged; and where they were, if it is
 * worth to move it there. */
static void commit_place(struct seen_commit *commit)
{
  struct seen_head *const head = &commit->seen->head;

  head->run_count = commit->kept;
  memset(&head->runs[commit->kept], 0, (SEEN_RUNS - commit->kept) * sizeof *head->runs);
  const uint64_t low = seen_end(head), gap = commit->made.at - low;
  head->runs[head->run_count++] = commit->made;
  if (gap > 0 && gap >= (seen_end(head) - commit->made.at) / SEEN_GAP) {
    head->runs[commit->kept].at = head->moved = low;
    head->shift = gap;
  }
  head->written = (uint64_t)time(NULL);
}

/* Writes the new run after all others, and then the head that has it. */
static bool commit_run(struct seen_commit *commit, uint64_t memory)
{
  struct seen *const seen = commit->seen;
  const struct seen_run *const runs = seen->head.runs;
  struct seen_run *const made = &commit->made;
  uint32_t *const kept = &commit->kept;

  made->at = seen_end(&seen->head);
  made->count = seen->added.count;
  for (*kept = seen->head.run_count;
       *kept > 0 && (runs[*kept - 1].count < SEEN_SMALL || *kept == SEEN_RUNS ||
                     runs[*kept - 1].count / SEEN_RATIO < made->count);)
    made->count += runs[--*kept].count;
  if (made->count / SEEN_FILL > UINT32_MAX - 2 * SEEN_SPARE)
    return seen_damaged(seen, "has no room for more");
  made->blocks = (uint32_t)(made->count / SEEN_FILL) + 1 + SEEN_SPARE;
  if (!fitted_filter(0.01, made->count, memory / 2, &commit->filter) ||
      !commit_put_all(commit, memory) || !commit_write_filter(commit))
    return false;
  if (fsync(seen->file) != 0)
    return seen_failed(seen);
  commit_place(commit);
  return seen_write_head(seen) || seen_failed(seen);
}

/* Commits, or leaves the file as it was. */
static bool commit_all(struct seen *seen, uint64_t memory)
{
  struct seen_commit commit = {.seen = seen};
  const struct seen_head before = seen->head;
  const bool done = spill_flush_all(&seen->added) && commit_run(&commit, memory);

  if (!done) {
    seen->head = before; /* maybe the new one was written, but not to the disk */
    (void)(seen_write_head(seen) && seen_settle(seen));
  } else if (!seen_map(seen) || !seen_settle(seen)) {
    report_note("warning: %s: is longer than it has to be until the next run: %s", seen->path,
                strerror(errno));
  }
  lfb_filter_free(commit.filter);
  free(commit.blocks);
  free(commit.slots);
  return done;
}

bool seen_is_at(const struct seen *seen, const char *path)
{
  struct stat now;

  return stat(path, &now) == 0 && now.st_dev == seen->was.st_dev && now.st_ino == seen->was.st_ino;
}

bool seen_commit(struct seen *seen, uint64_t memory)
{
  if (seen->added.count == 0)
    return true;
  if (seen_is_at(seen, seen->path))
    return commit_all(seen, memory);
  return report_false("%s: was removed or replaced while it was used: what was printed is not in "
                      "it", seen->path);
}
