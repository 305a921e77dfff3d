/* exact_spill.c - lines that memory has no room to decide. */
#define _GNU_SOURCE /* O_TMPFILE, mkostemp */
#include "cli/exact/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bloom/files/disk.h"
#include "cli/base/figure.h"
#include "cli/base/output.h"
#include "cli/base/progress.h"
#include "cli/base/report.h"
#include "cli/input/crew.h"

enum {
  SPILL_BITS = 8 * SPILL_BUFFER, /* in a buffer */
  SPILL_LEAST = 256 * 1024,      /* bytes of a table: some pages for each shard */
};

static unsigned spill_part(struct exact_hash hash)
{
  return (hash.high >> (64 - TABLE_SHARD_BITS - 6)) % SPILL_PARTS;
}

static const char *spill_folder(const struct spill *spill)
{
  const char *given = getenv("TMPDIR");

  if (spill->folder != NULL)
    return spill->folder;
  return given != NULL && *given != '\0' ? given : "/tmp";
}

static bool spill_failed(const struct spill *spill)
{
  return report_false("%s: temporary file: %s", spill_folder(spill), strerror(errno));
}

/* Opens a file without a name; where there are none, with one for a moment, which stays if the
 * process is killed then. */
static bool spill_open(const struct spill *spill, int *file)
{
  const char *folder = spill_folder(spill);
  char *name = NULL;

  *file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (*file < 0 && (errno == EOPNOTSUPP || errno == EISDIR) &&
      asprintf(&name, "%s/lfbloom.XXXXXX", folder) >= 0) {
    if ((*file = mkostemp(name, O_CLOEXEC)) >= 0)
      (void)unlink(name);
    free(name);
  }
  return *file >= 0 || spill_failed(spill);
}

bool spill_check(const struct spill *spill)
{
  int file = -1;
  const bool opened = spill_open(spill, &file);

  if (opened)
    (void)close(file);
  return opened;
}

static bool spill_write(const struct spill *spill, int file, const void *bytes, size_t size,
                        off_t offset)
{
  return output_write_to(file, bytes, size, offset) || spill_failed(spill);
}

static bool spill_read(const struct spill *spill, int file, void *bytes, size_t size, off_t offset)
{
  size_t got;

  if (lfb_disk_read_at(file, (uint64_t)offset, bytes, size, &got) != LFB_OK)
    return spill_failed(spill);
  errno = EIO; /* it was written */
  return got == size || spill_failed(spill);
}

bool spill_begin(struct spill *spill, bool text)
{
  spill->begun = true;
  for (int i = 0; i < SPILL_PARTS; i++) {
    spill->parts[i].buffer = malloc(SPILL_BUFFER);
    if (spill->parts[i].buffer == NULL)
      return spill_failed(spill);
  }
  return spill_open(spill, &spill->file) && (!text || spill_open(spill, &spill->text));
}

static off_t spill_offset(const struct spill_part *part, size_t block)
{
  return (off_t)part->blocks[block] * SPILL_BUFFER;
}

/* Adds a block to a partition. */
static bool spill_add_block(struct spill *spill, struct spill_part *part)
{
  const size_t count = part->block_count;

  if ((count & (count - 1)) == 0) { /* no room is left: 0, 1, 2, 4 .. blocks */
    uint32_t *grown = realloc(part->blocks, (count == 0 ? 1 : 2 * count) * sizeof *grown);
    if (grown == NULL)
      return spill_failed(spill);
    part->blocks = grown;
  }
  part->blocks[part->block_count++] = spill->blocks++;
  return true;
}

/* Writes what is in the buffer. */
static bool spill_flush(struct spill *spill, struct spill_part *part)
{
  const size_t size = part->filled;

  figure_add(&spill->bytes, size);
  part->filled = 0;
  return size == 0 || (spill_add_block(spill, part) &&
                       spill_write(spill, spill->file, part->buffer, size,
                                   spill_offset(part, part->block_count - 1)));
}

bool spill_flush_all(struct spill *spill)
{
  for (int i = 0; i < SPILL_PARTS; i++)
    if (!spill_flush(spill, &spill->parts[i]))
      return false;
  return true;
}

bool spill_add(struct spill *spill, struct exact_hash hash)
{
  return spill_add_to(spill, spill_part(hash), hash);
}

bool spill_add_to(struct spill *spill, unsigned number, struct exact_hash hash)
{
  struct spill_part *const part = &spill->parts[number];

  if (part->filled == SPILL_BUFFER && !spill_flush(spill, part))
    return false;
  memcpy(part->buffer + part->filled, &hash, sizeof hash);
  part->filled += sizeof hash;
  part->count++;
  spill->count++;
  return true;
}

bool spill_add_text(struct spill *spill, const char *bytes, size_t size)
{
  figure_add(&spill->bytes, size);
  return spill_write(spill, spill->text, bytes, size, -1);
}

bool spill_hashes(const struct spill *spill, const struct spill_part *part, uint64_t at,
                  struct exact_hash *hashes, size_t *count)
{
  *count = part->count - at < SPILL_HASHES ? (size_t)(part->count - at) : SPILL_HASHES;
  return spill_read(spill, spill->file, hashes, *count * sizeof *hashes,
                    spill_offset(part, at / SPILL_HASHES));
}

/* ---- deciding ------------------------------------------------------------------- */

/* A partition while it is decided: bit i % 8 of byte i / 8 is hash i. */
struct spill_deciding {
  const struct spill *spill;
  struct spill_part *part;
  struct exact_table table; /* of the hashes that are first */
  unsigned char *decided, *first;
  uint64_t left; /* to be decided by the next round */
  bool full;     /* the table, in this round */
};

static bool bit_is_set(const unsigned char *bits, uint64_t i)
{
  return (bits[i / 8] >> (i % 8) & 1) != 0;
}

static void bit_set(unsigned char *bits, uint64_t i)
{
  bits[i / 8] = (unsigned char)(bits[i / 8] | 1U << (i % 8));
}

/* Decides hash i, unless it is decided.  When the table is full, a hash that is not in it is left,
 * and so are all that equal it. */
static void deciding_one(struct spill_deciding *deciding, struct exact_hash hash, uint64_t i)
{
  if (bit_is_set(deciding->decided, i))
    return;
  const enum table_answer answer = table_insert(&deciding->table, hash, !deciding->full);
  deciding->full |= answer == TABLE_FULL;
  deciding->left += answer == TABLE_FULL;
  if (answer != TABLE_FULL)
    bit_set(deciding->decided, i);
  if (answer == TABLE_NEW)
    bit_set(deciding->first, i);
}

/* Decides, in their order, as many hashes of the partition as the table has room for. */
static bool deciding_round(struct spill_deciding *deciding)
{
  struct spill_part *const part = deciding->part;
  struct exact_hash hashes[SPILL_HASHES];
  size_t count;

  table_empty(&deciding->table);
  deciding->full = false;
  deciding->left = 0;
  for (uint64_t at = 0; at < part->count; at += count) {
    if (!spill_hashes(deciding->spill, part, at, hashes, &count))
      return false;
    for (size_t i = 0; i < count; i++) {
      if (i + TABLE_AHEAD < count)
        table_prefetch(&deciding->table, hashes[i + TABLE_AHEAD]);
      deciding_one(deciding, hashes[i], at + i);
    }
  }
  return true;
}

/* Writes the bits in place of the hashes. */
static bool deciding_write(const struct spill_deciding *deciding)
{
  const struct spill_part *const part = deciding->part;
  const size_t size = (size_t)((part->count + 7) / 8);
  bool written = true;

  for (size_t at = 0; written && at < size; at += SPILL_BUFFER)
    written = spill_write(deciding->spill, deciding->spill->file, deciding->first + at,
                          size - at < SPILL_BUFFER ? size - at : (size_t)SPILL_BUFFER,
                          spill_offset(part, at / SPILL_BUFFER));
  return written;
}

/* Decides the partition. */
static bool deciding_part(struct spill_deciding *deciding)
{
  const size_t size = (size_t)(deciding->part->count / 8 + 1);
  uint64_t before = UINT64_MAX;

  deciding->decided = calloc(1, size);
  deciding->first = calloc(1, size);
  bool good = deciding->decided != NULL && deciding->first != NULL;
  if (!good)
    (void)report_errno("dedupe");
  deciding->left = deciding->part->count;
  while (good && deciding->left > 0) {
    errno = ENOMEM;
    good = deciding->left < before || report_false_errno("dedupe");
    before = deciding->left;
    good = good && deciding_round(deciding);
  }
  good = good && deciding_write(deciding);
  free(deciding->decided);
  free(deciding->first);
  return good;
}

struct spill_crew {
  struct spill *spill;
  uint64_t memory; /* of one thread */
  _Atomic(unsigned) next;
  _Atomic(bool) failed;
};

static void spill_work(void *context, unsigned thread)
{
  struct spill_crew *crew = context;
  struct spill_deciding deciding = {.spill = crew->spill};
  unsigned next;

  (void)thread;
  table_init(&deciding.table, crew->memory);
  /* relaxed, all: the number is the message, and the threads are joined before `failed` is read. */
  while ((next = atomic_fetch_add_explicit(&crew->next, 1, memory_order_relaxed)) < SPILL_PARTS &&
         !atomic_load_explicit(&crew->failed, memory_order_relaxed)) {
    deciding.part = &crew->spill->parts[next];
    if (!deciding_part(&deciding))
      atomic_store_explicit(&crew->failed, true, memory_order_relaxed);
    progress_add(deciding.part->count);
  }
  figure_add(&crew->spill->repeated, table_repeated(&deciding.table));
  table_clear(&deciding.table);
}

bool spill_decide(struct spill *spill, unsigned threads, uint64_t memory)
{
  struct spill_crew crew = {.spill = spill, .memory = memory / threads};

  if (crew.memory < SPILL_LEAST)
    crew.memory = SPILL_LEAST;
  if (!spill_flush_all(spill) || !crew_run(threads, CREW_ANY, spill_work, &crew))
    return false;
  return !atomic_load_explicit(&crew.failed, memory_order_relaxed);
}

/* ---- afterwards ------------------------------------------------------------------ */

bool spill_read_text(const struct spill *spill)
{
  return (lseek(spill->text, 0, SEEK_SET) == 0 && dup2(spill->text, STDIN_FILENO) >= 0) ||
         spill_failed(spill);
}

bool spill_next(struct spill *spill, struct exact_hash hash, bool *first)
{
  struct spill_part *const part = &spill->parts[spill_part(hash)];
  const uint64_t at = part->next % SPILL_BITS;

  if (part->next == part->count)
    return report_false("dedupe: the input has changed while it was read");
  if (at == 0) {
    const uint64_t left = part->count - part->next;
    const size_t size = left < SPILL_BITS ? (size_t)(left + 7) / 8 : SPILL_BUFFER;
    if (!spill_read(spill, spill->file, part->buffer, size,
                    spill_offset(part, part->next / SPILL_BITS)))
      return false;
  }
  *first = bit_is_set(part->buffer, at);
  part->next++;
  return true;
}

void spill_end(struct spill *spill)
{
  for (int i = 0; spill->begun && i < SPILL_PARTS; i++) {
    free(spill->parts[i].buffer);
    free(spill->parts[i].blocks);
  }
  if (spill->file > STDERR_FILENO)
    (void)close(spill->file);
  if (spill->text > STDERR_FILENO)
    (void)close(spill->text);
}
