/* seen.c - what earlier runs of `lfbloom dedupe --seen FILE` have printed. */
#define _GNU_SOURCE /* getrandom */
#include "cli/seen.h"

#include <errno.h>
#include <fcntl.h>
#include <lfbloom/filter_more.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bloom/hashing/wide.h"
#include "cli/exact_spill.h"
#include "cli/fitted.h"
#include "cli/report.h"

enum {
  SEEN_VERSION = 1,
  SEEN_RUNS = 14,     /* each has at least SEEN_RATIO times as many hashes as all later ones together */
  SEEN_RATIO = 4,
  SEEN_BLOCK = 4096,  /* bytes: a block, and what all extents are multiples of */
  SEEN_SLOTS = 255,   /* hashes, at most, of a block */
  SEEN_FILL = 204,    /* of a block, on average: so one in 20,000 hashes is not in its own block */
  SEEN_SPARE = 4,     /* blocks at the end of a run: for what the last ones have no room for */
  SEEN_WRITTEN = 64,  /* blocks that are written at once */
  SEEN_SORT_SPARE = 1024, /* slots, beyond two for each hash that is sorted */
};

/* The extents of a run in the file. */
struct seen_run {
  uint64_t count;  /* hashes */
  uint64_t blocks_at, filter_at;
  uint32_t blocks; /* those of the spare are among them */
  uint32_t filter_pages; /* each of SEEN_BLOCK bytes */
};

static const char seen_magic[8] = {'L', 'F', 'B', 'S', 'E', 'E', 'N', '\n'};

/* The first bytes of the file.  They are written at once, within one sector of a disk. */
struct seen_head {
  char magic[8];
  uint32_t version; /* in the byte order of the host, as all numbers */
  uint32_t run_count;
  uint8_t key[LFB_WIDE_KEY];
  struct seen_run runs[SEEN_RUNS];
  uint64_t reserved[3]; /* 0 */
  uint64_t checksum; /* the low half of the hash of all bytes before it */
};

_Static_assert(sizeof(struct seen_head) == 512, "one sector");

/* Hashes in their order: by the high half, then by the low one.  A hash is in the block that its high half names
 * among the first ones of its run, or in a later one, if all from that one on are full. */
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
  lfb_wide *hash;
  unsigned char *bytes; /* the file as it was, mapped */
  uint64_t size;
  lfb_filter *filters[SEEN_RUNS];
  _Atomic(uint64_t) *checked[SEEN_RUNS]; /* bit i % 64 of word i / 64: whether block i was found good */
  struct spill added;
};

static bool seen_is_less(struct exact_hash a, struct exact_hash b)
{
  return a.high != b.high ? a.high < b.high : a.low < b.low;
}

/* Where a hash belongs among `count` places, at most 2^32, that divide all hashes; `known` bits are not asked. */
static uint64_t seen_place(struct exact_hash hash, uint64_t count, unsigned known)
{
  return ((hash.high << known >> 32) * count) >> 32;
}

static bool seen_failed(const struct seen *seen)
{
  (void)report_errno(seen->path);
  return false;
}

static bool seen_damaged(const struct seen *seen, const char *how)
{
  (void)report_error("%s: state of dedupe: %s: without it, lines that were printed are printed again", seen->path,
                     how);
  return false;
}

static uint64_t seen_checksum(const lfb_wide *hash, const void *bytes, size_t size)
{
  const lfb_key key = {bytes, size};
  uint64_t low, high;

  lfb_wide_many(hash, &key, 1, &low, &high);
  return low;
}

static bool seen_write(const struct seen *seen, const void *bytes, size_t size, uint64_t at)
{
  return spill_write_file(seen->file, bytes, size, (off_t)at) || seen_failed(seen);
}

static bool seen_write_head(struct seen *seen)
{
  seen->head.checksum = seen_checksum(seen->hash, &seen->head, offsetof(struct seen_head, checksum));
  return seen_write(seen, &seen->head, sizeof seen->head, 0) && (fsync(seen->file) == 0 || seen_failed(seen));
}

/* ---- opening ---------------------------------------------------------------------------- */

/* What is left of a filter in the mapped file, or of what it may be written to. */
struct seen_part {
  const struct seen *seen;
  uint64_t at, end;
};

/* An lfb_read_fn. */
static lfb_status seen_part_read(void *from, void *bytes, size_t size, size_t *got)
{
  struct seen_part *part = from;
  const uint64_t left = part->end - part->at;

  *got = size < left ? size : (size_t)left;
  memcpy(bytes, part->seen->bytes + part->at, *got);
  part->at += *got;
  return LFB_OK;
}

static bool seen_open_run(struct seen *seen, uint32_t i)
{
  const struct seen_run *const run = &seen->head.runs[i];
  struct seen_part part = {seen, run->filter_at, run->filter_at + (uint64_t)run->filter_pages * SEEN_BLOCK};

  if (run->blocks <= SEEN_SPARE || run->blocks_at % SEEN_BLOCK != 0 || run->blocks_at > seen->size ||
      run->blocks > (seen->size - run->blocks_at) / SEEN_BLOCK || run->filter_at > seen->size ||
      part.end > seen->size)
    return seen_damaged(seen, "is damaged: it was cut short");
  seen->checked[i] = calloc(run->blocks / 64 + 1, sizeof *seen->checked[i]);
  if (seen->checked[i] == NULL)
    return seen_failed(seen);
  const lfb_status status = lfb_filter_read(seen_part_read, &part, NULL, &seen->filters[i]);
  if (status != LFB_OK && status != LFB_ERROR_NO_MEMORY)
    return seen_damaged(seen, "a filter in it is damaged");
  return status == LFB_OK || report_status(seen->path, status) == CLI_FOUND;
}

/* Writes the head of a new file. */
static bool seen_make(struct seen *seen)
{
  memcpy(seen->head.magic, seen_magic, sizeof seen_magic);
  seen->head.version = SEEN_VERSION;
  if (getrandom(seen->head.key, sizeof seen->head.key, 0) != (ssize_t)sizeof seen->head.key ||
      (seen->hash = lfb_wide_create(seen->head.key)) == NULL)
    return seen_failed(seen);
  return seen_write_head(seen);
}

static bool seen_read(struct seen *seen)
{
  struct seen_head *const head = &seen->head;

  seen->bytes = mmap(NULL, seen->size, PROT_READ, MAP_SHARED, seen->file, 0);
  if (seen->bytes == MAP_FAILED)
    return seen_failed(seen);
  memcpy(head, seen->bytes, seen->size < sizeof *head ? seen->size : sizeof *head);
  if (memcmp(head->magic, seen_magic, sizeof seen_magic) != 0) {
    (void)report_error("%s: is not a state of dedupe: --seen makes a new file", seen->path);
    return false;
  }
  if (head->version != SEEN_VERSION) {
    (void)report_error("%s: is a state of dedupe of another version, or of a host with another byte order",
                       seen->path);
    return false;
  }
  if ((seen->hash = lfb_wide_create(head->key)) == NULL)
    return seen_failed(seen);
  if (seen->size < sizeof *head || head->run_count > SEEN_RUNS ||
      head->checksum != seen_checksum(seen->hash, head, offsetof(struct seen_head, checksum)))
    return seen_damaged(seen, "its head is damaged");
  for (uint32_t i = 0; i < head->run_count; i++)
    if (!seen_open_run(seen, i))
      return false;
  return true;
}

/* Locks the file for this process. */
static bool seen_lock(const struct seen *seen)
{
  if (flock(seen->file, LOCK_EX | LOCK_NB) == 0)
    return true;
  if (errno == EWOULDBLOCK)
    report_note("%s: waits for another run that uses it", seen->path);
  while (flock(seen->file, LOCK_EX) != 0)
    if (errno != EINTR)
      return seen_failed(seen);
  return true;
}

static bool seen_begin(struct seen *seen)
{
  seen->file = open(seen->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
  if (seen->file < 0 || fstat(seen->file, &seen->was) != 0)
    return seen_failed(seen);
  if (!S_ISREG(seen->was.st_mode)) {
    (void)report_error("%s: is no regular file", seen->path);
    return false;
  }
  if (!seen_lock(seen))
    return false;
  if (fstat(seen->file, &seen->was) != 0)
    return seen_failed(seen);
  seen->size = (uint64_t)seen->was.st_size;
  return (seen->size == 0 ? seen_make(seen) : seen_read(seen)) && spill_begin(&seen->added, false);
}

struct seen *seen_open(const char *path, const char *temp)
{
  struct seen *seen = calloc(1, sizeof *seen);

  if (seen == NULL) {
    (void)report_errno(path);
    return NULL;
  }
  seen->path = path;
  seen->added.folder = temp;
  if (seen_begin(seen))
    return seen;
  seen_close(seen);
  return NULL;
}

void seen_close(struct seen *seen)
{
  if (seen == NULL)
    return;
  for (int i = 0; i < SEEN_RUNS; i++) {
    lfb_filter_free(seen->filters[i]);
    free((void *)seen->checked[i]);
  }
  if (seen->bytes != NULL && seen->bytes != MAP_FAILED)
    (void)munmap(seen->bytes, seen->size);
  if (seen->file >= 0)
    (void)close(seen->file);
  spill_end(&seen->added);
  free(seen->hash);
  free(seen);
}

const uint8_t *seen_key(const struct seen *seen)
{
  return seen->head.key;
}

uint64_t seen_bytes(const struct seen *seen)
{
  uint64_t bytes = (uint64_t)SPILL_PARTS * SPILL_BUFFER;

  for (uint32_t i = 0; i < seen->head.run_count; i++)
    bytes += (uint64_t)seen->head.runs[i].filter_pages * SEEN_BLOCK;
  return bytes;
}

/* ---- asking ------------------------------------------------------------------------------- */

/* The block of a run.  NULL after a report that it is damaged. */
static const struct seen_block *seen_block(const struct seen *seen, uint32_t run, uint32_t number)
{
  const struct seen_block *const blocks = (const void *)(seen->bytes + seen->head.runs[run].blocks_at);
  const struct seen_block *const block = blocks + number;
  _Atomic(uint64_t) *const word = &seen->checked[run][number / 64];
  const uint64_t bit = UINT64_C(1) << (number % 64);

  /* relaxed, both: a thread that misses the bit finds the same again. */
  if ((atomic_load_explicit(word, memory_order_relaxed) & bit) != 0)
    return block;
  if (block->count > SEEN_SLOTS || block->number != number ||
      block->checksum != seen_checksum(seen->hash, &block->number, SEEN_BLOCK - sizeof block->checksum)) {
    (void)seen_damaged(seen, "is damaged");
    return NULL;
  }
  atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
  return block;
}

/* Finds the hash in a run.  False after a report. */
static bool seen_find(const struct seen *seen, uint32_t run, struct exact_hash hash, bool *has)
{
  const uint32_t blocks = seen->head.runs[run].blocks;
  uint64_t number = seen_place(hash, blocks - SEEN_SPARE, 0);

  for (*has = false; !*has && number < blocks; number++) {
    const struct seen_block *const block = seen_block(seen, run, (uint32_t)number);
    if (block == NULL)
      return false;
    uint32_t low = 0, high = block->count;
    while (low < high) {
      const uint32_t middle = (low + high) / 2;
      if (seen_is_less(block->hashes[middle], hash))
        low = middle + 1;
      else
        high = middle;
    }
    *has = low < block->count && !seen_is_less(hash, block->hashes[low]);
    if (low < SEEN_SLOTS) /* it would be before the next one, or the block has room for it */
      break;
  }
  return true;
}

bool seen_ask(const struct seen *seen, const uint64_t *low, const uint64_t *high, size_t count, uint64_t *maybe,
              uint64_t *has)
{
  memset(has, 0, (count + 63) / 64 * sizeof *has);
  for (uint32_t run = 0; run < seen->head.run_count; run++) {
    (void)lfb_filter_might_contain_many_hash(seen->filters[run], low, count, maybe);
    for (size_t i = 0; i < count; i++) {
      bool found = false;
      if ((maybe[i / 64] >> (i % 64) & 1) == 0)
        continue;
      if (!seen_find(seen, run, (struct exact_hash){low[i], high[i]}, &found))
        return false;
      has[i / 64] |= (uint64_t)found << (i % 64);
    }
  }
  return true;
}

bool seen_add(struct seen *seen, struct exact_hash hash)
{
  return spill_add_to(&seen->added, (unsigned)seen_place(hash, SPILL_PARTS, 0), hash);
}

/* ---- committing --------------------------------------------------------------------------- */

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
    const struct seen_block *const block = seen_block(seen, merged->run, merged->block);
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

/* Ends the block that is being filled, and begins the next.  Writes the blocks when there are enough, or it was the
 * last one. */
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
      return seen_damaged(commit->seen, "its hashes are uneven"); /* never, unless the key was chosen */
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
  for (uint64_t i = seen_place(hash, commit->slot_count - SEEN_SORT_SPARE, known); i < commit->slot_count; i++) {
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

/* Puts the new hashes that begin with the `known` bits of `range`, and what the merged runs have before them. */
static bool commit_put_range(struct seen_commit *commit, uint64_t range, unsigned known)
{
  const struct spill *const added = &commit->seen->added;
  const struct spill_part *const part = &added->parts[seen_place((struct exact_hash){0, range << (64 - known)}, SPILL_PARTS, 0)];
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

  while (known < 32 && (2 * (added >> known) + SEEN_SORT_SPARE) * sizeof *commit->slots > memory / 4)
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

static bool extents_meet(uint64_t at, uint64_t size, uint64_t other, uint64_t other_size, uint64_t *end)
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
  const uint32_t pages = (uint32_t)((stats.bytes + stats.bytes / 1024) / SEEN_BLOCK) + 2; /* with its checksums */
  made->filter_at = commit_free(commit, (uint64_t)pages * SEEN_BLOCK);
  made->filter_pages = pages;
  struct seen_part part = {commit->seen, made->filter_at, made->filter_at + (uint64_t)pages * SEEN_BLOCK};
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
       *kept > 0 && (seen->head.runs[*kept - 1].count / SEEN_RATIO < commit->made.count || *kept == SEEN_RUNS);)
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
  if (stat(seen->path, &now) != 0 || now.st_dev != seen->was.st_dev || now.st_ino != seen->was.st_ino) {
    (void)report_error("%s: was removed or replaced while it was used: what was printed is not in it", seen->path);
    return false;
  }
  const bool done = spill_flush_all(&seen->added) && commit_run(&commit, memory);
  if (done)
    seen_trim(seen);
  lfb_filter_free(commit.filter);
  free(commit.blocks);
  free(commit.slots);
  return done;
}
