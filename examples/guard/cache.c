/*
 * cache.c - see cache.h: sets of eight entries, each with a clock hand.
 */
#define _POSIX_C_SOURCE 200809L
#include "examples/guard/cache.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_WAYS = 8, CACHE_PARTS = 64 };

struct entry {
  int64_t id;
  char *body; /* NULL: empty */
  size_t size;
  bool asked; /* used since the hand last passed */
};

struct set {
  struct entry ways[CACHE_WAYS];
  unsigned hand;
};

/* Shared by the sets with the same number modulo CACHE_PARTS; in a cache line of its own. */
struct part {
  _Alignas(64) pthread_mutex_t mutex;
  uint64_t forgotten; /* number of forget calls; a ticket is its value */
};

struct cache {
  struct part parts[CACHE_PARTS];
  uint64_t set_count; /* a power of two, at least CACHE_PARTS */
  struct set sets[];
};

/* splitmix64's finisher: spreads neighbouring ids over the sets. */
static uint64_t cache_mix(uint64_t x)
{
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static uint64_t cache_set_of(const struct cache *cache, int64_t id)
{
  return cache_mix((uint64_t)id) & (cache->set_count - 1);
}

static struct part *cache_lock(struct cache *cache, uint64_t set)
{
  struct part *part = &cache->parts[set % CACHE_PARTS];

  pthread_mutex_lock(&part->mutex);
  return part;
}

static struct entry *set_find(struct set *set, int64_t id)
{
  for (unsigned way = 0; way < CACHE_WAYS; way++)
    if (set->ways[way].body != NULL && set->ways[way].id == id)
      return &set->ways[way];
  return NULL;
}

static void entry_clear(struct entry *entry)
{
  free(entry->body);
  *entry = (struct entry){0};
}

/* Finds the next entry not used since the hand last passed; the hand passes each entry at most
 * twice. */
static struct entry *set_victim(struct set *set)
{
  for (;;) {
    struct entry *entry = &set->ways[set->hand++ % CACHE_WAYS];
    if (!entry->asked)
      return entry;
    entry->asked = false;
  }
}

static char *body_copy(const char *body, size_t size)
{
  char *copy = malloc(size + 1); /* never 0 bytes */

  if (copy != NULL)
    memcpy(copy, body, size);
  return copy;
}

static enum stage_answer cache_lookup(void *self, struct lookup *lookup)
{
  struct cache *cache = self;
  const uint64_t set = cache_set_of(cache, lookup->id);
  struct part *part = cache_lock(cache, set);
  struct entry *entry = set_find(&cache->sets[set], lookup->id);

  lookup->ticket = part->forgotten;
  if (entry != NULL) {
    entry->asked = true;
    lookup->body = body_copy(entry->body, entry->size);
    lookup->size = entry->size;
  }
  pthread_mutex_unlock(&part->mutex);
  return lookup->body != NULL ? STAGE_FOUND : STAGE_NOT_HERE;
}

static void cache_fill(void *self, const struct lookup *lookup)
{
  struct cache *cache = self;
  const uint64_t at = cache_set_of(cache, lookup->id);
  char *body = lookup->body == NULL ? NULL : body_copy(lookup->body, lookup->size);

  if (body == NULL)
    return;
  struct part *part = cache_lock(cache, at);
  struct set *set = &cache->sets[at];
  if (part->forgotten == lookup->ticket && set_find(set, lookup->id) == NULL) {
    struct entry *entry = set_victim(set);
    free(entry->body);
    *entry = (struct entry){lookup->id, body, lookup->size, false};
    body = NULL;
  }
  pthread_mutex_unlock(&part->mutex);
  free(body);
}

static void cache_forget(void *self, int64_t id)
{
  struct cache *cache = self;
  const uint64_t set = cache_set_of(cache, id);
  struct part *part = cache_lock(cache, set);
  struct entry *entry = set_find(&cache->sets[set], id);

  part->forgotten++;
  if (entry != NULL)
    entry_clear(entry);
  pthread_mutex_unlock(&part->mutex);
}

void cache_clear(struct cache *cache)
{
  for (uint64_t set = 0; set < cache->set_count; set++) {
    struct part *part = cache_lock(cache, set);
    part->forgotten++;
    for (unsigned way = 0; way < CACHE_WAYS; way++)
      entry_clear(&cache->sets[set].ways[way]);
    pthread_mutex_unlock(&part->mutex);
  }
}

struct cache *cache_create(uint64_t entries)
{
  uint64_t sets = CACHE_PARTS;

  while (sets < entries / CACHE_WAYS + (entries % CACHE_WAYS != 0)) {
    if (sets > SIZE_MAX / sizeof(struct set) / 4)
      return NULL;
    sets *= 2;
  }
  /* aligned_alloc() requires a multiple of the alignment. */
  const size_t size = (sizeof(struct cache) + (size_t)sets * sizeof(struct set) + 63) / 64 * 64;
  struct cache *cache = aligned_alloc(64, size);
  if (cache == NULL)
    return NULL;
  memset(cache, 0, size);
  cache->set_count = sets;
  for (unsigned part = 0; part < CACHE_PARTS; part++)
    pthread_mutex_init(&cache->parts[part].mutex, NULL);
  return cache;
}

void cache_free(struct cache *cache)
{
  if (cache == NULL)
    return;
  cache_clear(cache);
  for (unsigned part = 0; part < CACHE_PARTS; part++)
    pthread_mutex_destroy(&cache->parts[part].mutex);
  free(cache);
}

struct stage cache_stage(struct cache *cache)
{
  return (struct stage){.name = "cache",
                        .self = cache,
                        .lookup = cache_lookup,
                        .fill = cache_fill,
                        .forget = cache_forget};
}
