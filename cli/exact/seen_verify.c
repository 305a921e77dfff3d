/* seen_verify.c - compares all of a file of `lfbloom dedupe --seen`. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>

#include "bloom/files/forms.h"
#include "cli/exact/seen.h"
#include "cli/exact/seen_file.h"

/* Whether the hashes of a block belong there, after `*last`. */
static bool verify_order(const struct seen_run *run, const struct seen_block *block,
                         struct exact_hash *last)
{
  for (uint32_t i = 0; i < block->count; i++) {
    const struct exact_hash hash = block->hashes[i];
    if (!seen_is_less(*last, hash) || seen_own_block(run, hash) > block->number)
      return false;
    *last = hash;
  }
  return true;
}

static void verify_run(const struct seen *seen, const struct seen_run *run,
                       const lfb_reader *reader)
{
  const uint64_t end = run->at + (uint64_t)run->blocks * SEEN_BLOCK;
  struct exact_hash last = {0, 0}; /* an empty slot: no key has this hash */
  lfb_filter *filter = NULL;

  for (uint32_t i = 0; i < run->blocks; i++) {
    const struct seen_block *const block = seen_block_at(seen, run, i);
    lfb_form_compared(reader, run->at + (uint64_t)i * SEEN_BLOCK, SEEN_BLOCK,
                      seen_block_is_good(seen, block, i) && verify_order(run, block, &last));
  }
  const uint64_t found = reader->limits.damage->count;
  const lfb_status status = seen_read_filter(seen, run, reader->limits.damage, &filter);
  if (status != LFB_OK && reader->limits.damage->count == found)
    lfb_form_compared(reader, end, (uint64_t)run->filter_pages * SEEN_BLOCK, false);
  lfb_filter_free(filter);
}

static void verify_all(const struct seen *seen, lfb_status of_head, lfb_damage *damage)
{
  const lfb_reader reader = {.limits = {.damage = damage}};

  lfb_form_compared(&reader, 0, sizeof seen->head, of_head != LFB_ERROR_BAD_CHECKSUM);
  for (uint32_t i = 0; of_head == LFB_OK && i < seen->head.run_count; i++)
    verify_run(seen, &seen->head.runs[i], &reader);
}

lfb_status seen_verify(const char *path, lfb_damage *damage)
{
  struct seen *const seen = calloc(1, sizeof *seen);

  if (seen == NULL)
    return LFB_ERROR_NO_MEMORY;
  seen->path = path;
  lfb_status status = LFB_ERROR_OPEN;
  seen->file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (seen->file >= 0 && seen_lock(seen, LOCK_SH))
    status = seen_map(seen) ? seen_read_head(seen) : LFB_ERROR_MAP;
  verify_all(seen, status, damage);
  seen_close(seen);
  return damage->count > 0 ? LFB_ERROR_BAD_CHECKSUM : status;
}
