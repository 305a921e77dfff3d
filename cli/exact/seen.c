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

#include "cli/base/output.h"
#include "cli/base/report.h"
#include "cli/base/spared.h"
#include "cli/exact/seen_file.h"
#include "cli/filters/target.h"

enum { SEEN_VERSION = 1 };

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
  return seen_write(seen, &seen->head, sizeof seen->head, 0) &&
         (fsync(seen->file) == 0 || seen_failed(seen));
}

/* ---- opening ---------------------------------------------------------------------------- */

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
  struct seen_part part = {seen, run->filter_at,
                           run->filter_at + (uint64_t)run->filter_pages * SEEN_BLOCK};

  if (run->blocks <= SEEN_SPARE || run->blocks_at % SEEN_BLOCK != 0 ||
      run->blocks_at > seen->size || run->blocks > (seen->size - run->blocks_at) / SEEN_BLOCK ||
      run->filter_at > seen->size || part.end > seen->size)
    return seen_damaged(seen, "is damaged: it was cut short");
  seen->checked[i] = calloc(run->blocks / 64 + 1, sizeof *seen->checked[i]);
  if (seen->checked[i] == NULL)
    return seen_failed(seen);
  const lfb_status status = lfb_filter_read(seen_part_read, &part, NULL, &seen->filters[i]);
  if (status != LFB_OK && status != LFB_ERROR_NO_MEMORY)
    return seen_damaged(seen, "a filter in it is damaged");
  return status == LFB_OK || report_false_status(seen->path, status);
}

/* Writes the head of a new file. */
static bool seen_make(struct seen *seen)
{
  memcpy(seen->head.magic, seen_magic, sizeof seen_magic);
  seen->head.version = SEEN_VERSION;
  if (getrandom(seen->head.key, sizeof seen->head.key, 0) != (ssize_t)sizeof seen->head.key ||
      (seen->hash = lfb_hash128_create(seen->head.key)) == NULL)
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
  if (memcmp(head->magic, seen_magic, sizeof seen_magic) != 0)
    return report_false("%s: is not a state of dedupe: --seen makes a new file", seen->path);
  if (head->version != SEEN_VERSION)
    return report_false("%s: is a state of dedupe of another version, or of a host with another "
                        "byte order", seen->path);
  if ((seen->hash = lfb_hash128_create(head->key)) == NULL)
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
  seen->file = target_open_state(seen->path);
  if (seen->file < 0)
    return false;
  if (fstat(seen->file, &seen->was) != 0)
    return seen_failed(seen);
  if (!S_ISREG(seen->was.st_mode))
    return report_false("%s: is no regular file", seen->path);
  if (!spared_from_state(seen->path, &seen->was) || !seen_lock(seen))
    return false;
  /* Some file systems have no permissions. */
  if ((seen->was.st_mode & 077) != 0 && fchmod(seen->file, 0600) == 0)
    report_note("note: %s has the key of its hash: now only its owner may read it", seen->path);
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

const struct seen_block *seen_find_block(const struct seen *seen, uint32_t run, uint32_t number)
{
  const struct seen_block *const blocks =
      (const void *)(seen->bytes + seen->head.runs[run].blocks_at);
  const struct seen_block *const block = blocks + number;
  _Atomic(uint64_t) *const word = &seen->checked[run][number / 64];
  const uint64_t bit = UINT64_C(1) << (number % 64);

  /* relaxed, both: a thread that misses the bit finds the same again. */
  if ((atomic_load_explicit(word, memory_order_relaxed) & bit) != 0)
    return block;
  if (block->count > SEEN_SLOTS || block->number != number ||
      block->checksum !=
          seen_checksum(seen->hash, &block->number, SEEN_BLOCK - sizeof block->checksum)) {
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
