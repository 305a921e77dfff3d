/* seen.c - what earlier runs of `lfbloom dedupe --seen FILE` have printed: opens and asks it. */
#define _GNU_SOURCE /* getrandom */
#include "cli/exact/seen.h"

#include <errno.h>
#include <lfbloom/filter_more.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "bloom/files/forms.h"
#include "cli/base/output.h"
#include "cli/base/report.h"
#include "cli/base/spared.h"
#include "cli/exact/seen_file.h"
#include "cli/filters/target.h"
#include "cli/input/start.h"

enum { SEEN_VERSION = 2 };

static const char seen_magic[8] = {'L', 'F', 'B', 'S', 'E', 'E', 'N', '\n'};

bool seen_failed(const struct seen *seen)
{
  return report_false_errno(seen->path);
}

bool seen_damaged(const struct seen *seen, const char *how)
{
  return report_false("%s: state of dedupe: %s: without it, lines that were printed are printed "
                      "again", seen->path, how);
}

uint64_t seen_checksum(const lfb_hash128 *hash, const void *bytes, size_t size)
{
  const lfb_key key = {bytes, size};
  uint64_t low, high;

  lfb_hash128_many(hash, &key, 1, &low, &high);
  return low;
}

bool seen_write(const struct seen *seen, const void *bytes, size_t size, uint64_t at)
{
  return output_write_to(seen->file, bytes, size, (off_t)at) || seen_failed(seen);
}

bool seen_write_head(struct seen *seen)
{
  seen->head.checksum =
      seen_checksum(seen->hash, &seen->head, offsetof(struct seen_head, checksum));
  return output_write_to(seen->file, &seen->head, sizeof seen->head, 0) && fsync(seen->file) == 0;
}

/* The bytes at an offset of a run. */
static const unsigned char *seen_at(const struct seen *seen, uint64_t at)
{
  return seen->bytes + at + (at < seen->head.moved ? 0 : seen->head.shift);
}

/* A piece is as long as the gap below it: what it overwrites was moved before, and the head on the
 * disk says so. */
bool seen_settle(struct seen *seen)
{
  struct seen_head *const head = &seen->head;
  const uint64_t end = seen_end(head);
  struct stat now;

  while (head->shift > 0) {
    const uint64_t left = end - head->moved, size = left < head->shift ? left : head->shift;
    if (!output_write_to(seen->file, seen_at(seen, head->moved), size, (off_t)head->moved) ||
        fsync(seen->file) != 0)
      return false;
    head->moved += size;
    if (head->moved == end)
      head->shift = 0;
    if (!seen_write_head(seen))
      return false;
  }
  return fstat(seen->file, &now) == 0 &&
         ((uint64_t)now.st_size <= end || ftruncate(seen->file, (off_t)end) == 0);
}

/* ---- opening ---------------------------------------------------------------------------- */

/* An lfb_read_fn: at most to the end of a page, since the next one may be elsewhere. */
static lfb_status seen_part_read(void *from, void *bytes, size_t size, size_t *got)
{
  struct seen_part *part = from;
  const uint64_t left = part->at < part->end ? SEEN_BLOCK - part->at % SEEN_BLOCK : 0;

  *got = size < left ? size : (size_t)left;
  memcpy(bytes, seen_at(part->seen, part->at), *got);
  part->at += *got;
  return LFB_OK;
}

lfb_status seen_read_filter(const struct seen *seen, const struct seen_run *run,
                            lfb_damage *damage, lfb_filter **filter)
{
  const uint64_t at = run->at + (uint64_t)run->blocks * SEEN_BLOCK;
  struct seen_part part = {seen, at, at + (uint64_t)run->filter_pages * SEEN_BLOCK};
  const lfb_reader reader = {seen_part_read, &part, {.damage = damage}, .at = at};
  void *made = NULL;
  const lfb_status status = lfb_form_read(&reader, &made);

  *filter = made;
  return status;
}

/* Reports why the file cannot be used. */
static bool seen_refuse(const struct seen *seen, lfb_status status)
{
  switch (status) {
  case LFB_ERROR_UNKNOWN_FORM:
    return report_false("%s: is not a state of dedupe: --seen makes a new file", seen->path);
  case LFB_ERROR_UNKNOWN_VERSION:
    return report_false("%s: is a state of dedupe of another version, or of a host with another "
                        "byte order", seen->path);
  case LFB_ERROR_NO_MEMORY:
    return report_false_status(seen->path, status);
  default:
    return seen_damaged(seen, "is damaged ('lfbloom verify' says where)");
  }
}

static bool seen_open_run(struct seen *seen, uint32_t i)
{
  const struct seen_run *const run = &seen->head.runs[i];

  seen->checked[i] = calloc(run->blocks / 64 + 1, sizeof *seen->checked[i]);
  if (seen->checked[i] == NULL)
    return seen_failed(seen);
  const lfb_status status = seen_read_filter(seen, run, NULL, &seen->filters[i]);
  return status == LFB_OK || seen_refuse(seen, status);
}

/* Writes the head of a new file. */
static bool seen_make(struct seen *seen)
{
  memcpy(seen->head.magic, seen_magic, sizeof seen_magic);
  seen->head.version = SEEN_VERSION;
  if (getrandom(seen->head.key, sizeof seen->head.key, 0) != (ssize_t)sizeof seen->head.key ||
      (seen->hash = lfb_hash128_create(seen->head.key)) == NULL || !seen_write_head(seen))
    return seen_failed(seen);
  return true;
}

static void seen_unmap(struct seen *seen)
{
  if (seen->bytes != NULL)
    (void)munmap(seen->bytes, seen->size);
  seen->bytes = NULL;
}

bool seen_map(struct seen *seen)
{
  struct stat now;

  seen_unmap(seen);
  if (fstat(seen->file, &now) != 0)
    return false;
  seen->size = (uint64_t)now.st_size;
  void *bytes = mmap(NULL, seen->size, PROT_READ, MAP_SHARED, seen->file, 0);
  seen->bytes = bytes == MAP_FAILED ? NULL : bytes;
  return seen->bytes != NULL;
}

/* Whether the runs are in the file, one after another. */
static bool seen_runs_are_there(const struct seen *seen)
{
  uint64_t end = SEEN_BLOCK;

  for (uint32_t i = 0; i < seen->head.run_count; i++) {
    const struct seen_run *const run = &seen->head.runs[i];
    if (run->blocks <= SEEN_SPARE || run->at < end || run->at > seen->size)
      return false;
    end = run->at + ((uint64_t)run->blocks + run->filter_pages) * SEEN_BLOCK;
  }
  return end <= seen->size && seen->head.shift <= seen->size - end;
}

lfb_status seen_read_head(struct seen *seen)
{
  struct seen_head *const head = &seen->head;

  memcpy(head, seen->bytes, seen->size < sizeof *head ? seen->size : sizeof *head);
  if (memcmp(head->magic, seen_magic, sizeof seen_magic) != 0)
    return LFB_ERROR_UNKNOWN_FORM;
  if (head->version != SEEN_VERSION)
    return LFB_ERROR_UNKNOWN_VERSION;
  free(seen->hash);
  if ((seen->hash = lfb_hash128_create(head->key)) == NULL)
    return LFB_ERROR_NO_MEMORY;
  if (head->run_count > SEEN_RUNS ||
      head->checksum != seen_checksum(seen->hash, head, offsetof(struct seen_head, checksum)))
    return LFB_ERROR_BAD_CHECKSUM;
  return head->run_count == 0 || seen_runs_are_there(seen) ? LFB_OK : LFB_ERROR_TRUNCATED;
}

static bool seen_read(struct seen *seen)
{
  if (!seen_map(seen))
    return seen_failed(seen);
  const lfb_status status = seen_read_head(seen);
  if (status != LFB_OK)
    return seen_refuse(seen, status);
  if (!seen_settle(seen))
    return seen_failed(seen);
  for (uint32_t i = 0; i < seen->head.run_count; i++)
    if (!seen_open_run(seen, i))
      return false;
  return true;
}

bool seen_lock(const struct seen *seen, int lock)
{
  if (flock(seen->file, lock | LOCK_NB) == 0)
    return true;
  if (errno == EWOULDBLOCK)
    report_note("%s: waits for another run that uses it", seen->path);
  while (flock(seen->file, lock) != 0)
    if (errno != EINTR)
      return seen_failed(seen);
  return true;
}

static bool seen_begin(struct seen *seen)
{
  seen->file = target_open_state(seen->path);
  if (seen->file < 0 || !seen_lock(seen, LOCK_EX))
    return false;
  if (fstat(seen->file, &seen->was) != 0)
    return seen_failed(seen);
  if (!S_ISREG(seen->was.st_mode))
    return report_false("%s: is no regular file", seen->path);
  if (!spared_from_state(seen->path, &seen->was))
    return false;
  /* Some file systems have no permissions. */
  if ((seen->was.st_mode & 077) != 0 && fchmod(seen->file, 0600) == 0)
    report_note("note: %s has the key of its hash: now only its owner may read it", seen->path);
  return (seen->was.st_size == 0 ? seen_make(seen) : seen_read(seen)) &&
         spill_begin(&seen->added, false);
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
  seen_unmap(seen);
  if (seen->file >= 0)
    (void)close(seen->file);
  spill_end(&seen->added);
  free(seen->hash);
  free(seen);
}

bool seen_is(const char *path)
{
  char magic[sizeof seen_magic];

  return start_read(path, magic, sizeof magic) == sizeof magic &&
         memcmp(magic, seen_magic, sizeof magic) == 0;
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

const struct seen_block *seen_block_at(const struct seen *seen, const struct seen_run *run,
                                       uint32_t number)
{
  return (const void *)seen_at(seen, run->at + (uint64_t)number * SEEN_BLOCK);
}

bool seen_block_is_good(const struct seen *seen, const struct seen_block *block, uint32_t number)
{
  return block->count <= SEEN_SLOTS && block->number == number &&
         block->checksum ==
             seen_checksum(seen->hash, &block->number, SEEN_BLOCK - sizeof block->checksum);
}

const struct seen_block *seen_find_block(const struct seen *seen, uint32_t run, uint32_t number)
{
  const struct seen_block *const block = seen_block_at(seen, &seen->head.runs[run], number);
  _Atomic(uint64_t) *const word = &seen->checked[run][number / 64];
  const uint64_t bit = UINT64_C(1) << (number % 64);

  /* relaxed, both: a thread that misses the bit finds the same again. */
  if ((atomic_load_explicit(word, memory_order_relaxed) & bit) != 0)
    return block;
  if (!seen_block_is_good(seen, block, number)) {
    (void)seen_refuse(seen, LFB_ERROR_BAD_CHECKSUM);
    return NULL;
  }
  atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
  return block;
}

/* Finds the hash in a run.  False after a report. */
static bool seen_find(const struct seen *seen, uint32_t run, struct exact_hash hash, bool *has)
{
  const uint32_t blocks = seen->head.runs[run].blocks;
  uint64_t number = seen_own_block(&seen->head.runs[run], hash);

  for (*has = false; !*has && number < blocks; number++) {
    const struct seen_block *const block = seen_find_block(seen, run, (uint32_t)number);
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

bool seen_ask(const struct seen *seen, const uint64_t *low, const uint64_t *high, size_t count,
              uint64_t *maybe, uint64_t *has)
{
  memset(has, 0, (count + 63) / 64 * sizeof *has);
  for (uint32_t run = 0; run < seen->head.run_count; run++) {
    (void)lfb_filter_might_contain_many_hash(seen->filters[run], low, count, maybe);
    for (size_t i = 0; i < count; i++) {
      bool found = false;
      if (!lfb_answer(maybe, i))
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
