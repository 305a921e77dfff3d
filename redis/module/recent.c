/* recent.c - the ring of the hashes of the newest keys. */
#define _DEFAULT_SOURCE /* endian.h */
#include "redis/module/recent.h"

#include <endian.h>
#include <stdlib.h>

#include "bloom/filter/description.h"
#include "redis/module/memory.h"

enum {
  WORDS_LEAST = 1 << 10, /* of a log: 8 KiB  */
  WORDS_MOST = 1 << 21,  /* of a log: 16 MiB */
  BYTES_PER_WORD = 64,   /* bytes of the filter; a word of the log has 8 */
  /* Not for hashes: the log's other fields, and the allocator's (memory.c).  With a byte more, Redis'
   * allocator would take a quarter more. */
  WORDS_BEFORE = 16,
};

_Static_assert(sizeof(lfb_recent) + 32 <= WORDS_BEFORE * sizeof(uint64_t), "there is room for both");

static uint64_t recent_room(uint64_t bytes)
{
  uint64_t words = WORDS_LEAST;

  while (words < WORDS_MOST && 2 * words <= bytes / BYTES_PER_WORD)
    words *= 2;
  return words - WORDS_BEFORE;
}

lfb_status lfb_recent_create(uint64_t bytes, lfb_recent **recent)
{
  const uint64_t room = recent_room(bytes), before = lfb_memory_tally();
  uint64_t random;

  const lfb_status status = lfb_random_bytes(&random, sizeof random);
  if (status != LFB_OK)
    return status;
  /* The ring is not zeroed: a place is read only after it was written. */
  lfb_recent *made = malloc(sizeof *made + (size_t)room * sizeof *made->ring);
  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  *made = (lfb_recent){
      .epoch = random >> 11 | 1, /* 53 bits, not 0 */
      .room = room,
      .memory = lfb_memory_tally() - before,
  };
  *recent = made;
  return LFB_OK;
}

void lfb_recent_free(lfb_recent *recent)
{
  free(recent);
}

void lfb_recent_add(lfb_recent *recent, uint64_t hash)
{
  recent->ring[recent->at++] = htole64(hash);
  if (recent->at == recent->room)
    recent->at = 0;
  recent->count++;
}

bool lfb_recent_is_idle(const lfb_recent *recent)
{
  return recent->count - recent->asked > recent->room;
}

bool lfb_recent_find(lfb_recent *recent, uint64_t since, size_t most, const uint64_t **hashes,
                     size_t *count)
{
  const uint64_t at = since % recent->room, to_end = recent->room - at;

  recent->asked = recent->count;
  if (since > recent->count || recent->count - since > recent->room)
    return false;
  uint64_t found = recent->count - since;
  if (found > to_end)
    found = to_end;
  *hashes = recent->ring + at;
  *count = found < most ? (size_t)found : most;
  return true;
}
