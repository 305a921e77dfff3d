/* seen_commit.c - adds what a run of `lfbloom dedupe --seen FILE` has printed to the file. */
#define _POSIX_C_SOURCE 200809L /* fsync, ftruncate */
#include <lfbloom/filter_more.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/report.h"
#include "cli/exact/seen.h"
#include "cli/exact/seen_file.h"
#include "cli/filters/fitted.h"

enum {
  SEEN_RATIO = 4,    /* a run is merged if it has fewer hashes than so many times those after it */
  SEEN_FILL = 204,   /* of a block, on average: so one in 20,000 hashes is not in its own block */
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
                    commit->made.blocks_at + (uint64_t)first * SEEN_BLOCK))
      return false;
  }
  commit_block(commit)->count = 0;
  return true;
}

static bool commit_put(struct seen_commit *commit, struct exact_hash hash)
{
  const uint64_t own = seen_place(hash, commit->made.blocks - SEEN_SPARE, 0);

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

static bool extents_meet(uint64_t at, uint64_t size, uint64_t other, uint64_t other_size,
                         uint64_t *end)
{
  const bool meet = at < other + other_size && other < at + size;

  if (meet)
    *end = other + other_size;
  return meet;
}

/* Returns where so many bytes are free in the file: what it has now, and the new run, stay. */
static uint64_t commit_free(const struct seen_commit *commit, uint64_t size)
{
  uint64_t at = SEEN_BLOCK;

  for (uint32_t i = 0; i <= commit->seen->head.run_count;) {
    const struct seen_run *const run =
        i < commit->seen->head.run_count ? &commit->seen->head.runs[i] : &commit->made;
    const bool meets =
        extents_meet(at, size, run->blocks_at, (uint64_t)run->blocks * SEEN_BLOCK, &at) ||
        extents_meet(at, size, run->filter_at, (uint64_t)run->filter_pages * SEEN_BLOCK, &at);
    i = meets ? 0 : i + 1;
  }
  return at;
}

/* An lfb_write_fn. */
static lfb_status commit_write_part(void *to, const void *bytes, size_t size)
{
  struct seen_part *part = to;

  if (size > part->end - part->at)
    return LFB_ERROR_OVER_LIMIT; /* never: the room was estimated with plenty */
  if (!seen_write(part->seen, bytes, size, part->at))
    return LFB_ERROR_WRITE;
  part->at += size;
  return LFB_OK;
}

static bool commit_write_filter(struct seen_commit *commit)
{
  struct seen_run *const made = &commit->made;
  lfb_stats stats;

  lfb_filter_stats_recent(commit->filter, &stats);
  /* With its checksums. */
  const uint32_t pages = (uint32_t)((stats.bytes + stats.bytes / 1024) / SEEN_BLOCK) + 2;
  made->filter_at = commit_free(commit, (uint64_t)pages * SEEN_BLOCK);
  made->filter_pages = pages;
  struct seen_part part = {commit->seen, made->filter_at,
                           made->filter_at + (uint64_t)pages * SEEN_BLOCK};
  const lfb_status status =
      lfb_filter_write(commit->filter, LFB_FORM_NATIVE, commit_write_part, &part);
  if (status != LFB_OK && status != LFB_ERROR_WRITE)
    (void)report_status(commit->seen->path, status);
  /* All of its pages are in the file, which is checked when it is opened. */
  return status == LFB_OK && seen_write(commit->seen, "", 1, part.end - 1);
}

/* Cuts off what is after the last run; if that fails, the file is only longer. */
static void seen_trim(const struct seen *seen)
{
  uint64_t end = SEEN_BLOCK;

  for (uint32_t i = 0; i < seen->head.run_count; i++) {
    const struct seen_run *const run = &seen->head.runs[i];
    const uint64_t ends[] = {run->blocks_at + (uint64_t)run->blocks * SEEN_BLOCK,
                             run->filter_at + (uint64_t)run->filter_pages * SEEN_BLOCK};
    for (int j = 0; j < 2; j++)
      end = ends[j] > end ? ends[j] : end;
  }
  (void)!ftruncate(seen->file, (off_t)end);
}

/* Makes the new run, and then the head that has it. */
static bool commit_run(struct seen_commit *commit, uint64_t memory)
{
  struct seen *const seen = commit->seen;
  uint32_t *const kept = &commit->kept;

  commit->made.count = seen->added.count;
  for (*kept = seen->head.run_count;
       *kept > 0 && (seen->head.runs[*kept - 1].count / SEEN_RATIO < commit->made.count ||
                     *kept == SEEN_RUNS);)
    commit->made.count += seen->head.runs[--*kept].count;
  if (commit->made.count / SEEN_FILL > UINT32_MAX - 2 * SEEN_SPARE)
    return seen_damaged(seen, "has no room for more");
  const uint32_t blocks = (uint32_t)(commit->made.count / SEEN_FILL) + 1 + SEEN_SPARE;
  commit->made.blocks_at = commit_free(commit, (uint64_t)blocks * SEEN_BLOCK);
  commit->made.blocks = blocks;
  if (!fitted_filter(0.01, LFB_DEFAULT, commit->made.count, memory / 2, &commit->filter) ||
      !commit_put_all(commit, memory) || !commit_write_filter(commit))
    return false;
  if (fsync(seen->file) != 0)
    return seen_failed(seen);
  seen->head.runs[*kept] = commit->made;
  memset(&seen->head.runs[*kept + 1], 0, (SEEN_RUNS - 1 - *kept) * sizeof *seen->head.runs);
  seen->head.run_count = *kept + 1;
  return seen_write_head(seen);
}

bool seen_commit(struct seen *seen, uint64_t memory)
{
  struct seen_commit commit = {.seen = seen};
  struct stat now;

  if (seen->added.count == 0)
    return true;
  if (stat(seen->path, &now) != 0 || now.st_dev != seen->was.st_dev ||
      now.st_ino != seen->was.st_ino)
    return report_false("%s: was removed or replaced while it was used: what was printed is not in "
                        "it", seen->path);
  const bool done = spill_flush_all(&seen->added) && commit_run(&commit, memory);
  if (done)
    seen_trim(seen);
  lfb_filter_free(commit.filter);
  free(commit.blocks);
  free(commit.slots);
  return done;
}
