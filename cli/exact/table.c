/* exact_table.c - a set of hashes of 128 bits, each with a mark. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "cli/exact/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
  TABLE_BUCKET = 4, /* slots: one cache line */
  TABLE_BUCKET_BYTES = TABLE_BUCKET * sizeof(struct table_slot),
  TABLE_PAGE = 4096 / TABLE_BUCKET_BYTES,            /* buckets */
  TABLE_HUGE = 2 * 1024 * 1024 / TABLE_BUCKET_BYTES, /* buckets */
};

/* They take the place of bits of a hash that are the number of its shard. */
#define TABLE_USED (UINT64_C(1) << 63)
#define TABLE_MARK (UINT64_C(1) << 62)
#define TABLE_AGAIN (UINT64_C(1) << 61)
#define TABLE_REST (UINT64_MAX >> TABLE_SHARD_BITS)

static inline const struct table_shard *table_shard(const struct exact_table *table,
                                                    struct exact_hash hash)
{
  return &table->shards[hash.high >> (64 - TABLE_SHARD_BITS)];
}

/* Where the search begins among at most 2^32 buckets. */
static inline uint64_t table_bucket(uint64_t low, uint64_t buckets)
{
  return ((low >> 32) * buckets) >> 32;
}

/* Returns the slot that has the hash, or else the empty one at which the search ends; NULL if there
 * is neither. */
static inline struct table_slot *table_search(struct table_slot *slots, uint64_t buckets,
                                              struct exact_hash hash)
{
  const uint64_t wanted = (hash.high & TABLE_REST) | TABLE_USED;
  uint64_t bucket = table_bucket(hash.low, buckets);

  for (uint64_t searched = 0; searched < buckets; searched++) {
    struct table_slot *const at = slots + TABLE_BUCKET * bucket;
    for (int i = 0; i < TABLE_BUCKET; i++) {
      /* relaxed: the lock, or the end of all insertions, has made the slot visible. */
      const uint64_t high = atomic_load_explicit(&at[i].high, memory_order_relaxed);
      if (high == 0 || ((high & ~(TABLE_MARK | TABLE_AGAIN)) == wanted && at[i].low == hash.low))
        return &at[i];
    }
    bucket = bucket + 1 == buckets ? 0 : bucket + 1;
  }
  return NULL;
}

static inline bool slot_is_empty(const struct table_slot *slot)
{
  return slot == NULL || atomic_load_explicit(&slot->high, memory_order_relaxed) == 0;
}

/* relaxed, both: the shard's lock is held, or nothing is inserted; a prefetch is a hint. */
static inline struct table_slot *shard_slots(const struct table_shard *shard)
{
  return atomic_load_explicit(&shard->slots, memory_order_relaxed);
}

static inline uint64_t shard_buckets(const struct table_shard *shard)
{
  return atomic_load_explicit(&shard->buckets, memory_order_relaxed);
}

void table_init(struct exact_table *table, uint64_t limit)
{
  for (int i = 0; i < TABLE_SHARDS; i++) {
    struct table_shard *const shard = &table->shards[i];
    (void)pthread_mutex_init(&shard->lock, NULL);
    atomic_init(&shard->slots, NULL);
    atomic_init(&shard->buckets, 0);
    shard->used = 0;
    shard->times = NULL;
  }
  table->again = 0;
  atomic_init(&table->bytes, 0);
  atomic_init(&table->limit, limit);
}

void table_clear(struct exact_table *table)
{
  for (int i = 0; i < TABLE_SHARDS; i++) {
    struct table_shard *const shard = &table->shards[i];
    if (shard_buckets(shard) > 0)
      (void)munmap(shard_slots(shard), shard_buckets(shard) * TABLE_BUCKET_BYTES);
    /* relaxed: no other thread uses the table. */
    atomic_store_explicit(&shard->slots, NULL, memory_order_relaxed);
    atomic_store_explicit(&shard->buckets, 0, memory_order_relaxed);
    shard->used = 0;
    free(shard->times);
    shard->times = NULL;
  }
  table->again = 0;
  atomic_store_explicit(&table->bytes, 0, memory_order_relaxed);
}

void table_empty(struct exact_table *table)
{
  table->again = table_repeated(table);
  for (int i = 0; i < TABLE_SHARDS; i++) {
    struct table_shard *const shard = &table->shards[i];
    if (shard->used > 0)
      memset(shard_slots(shard), 0, shard_buckets(shard) * TABLE_BUCKET_BYTES);
    shard->used = 0;
  }
}

/* Takes memory for more buckets from the limit. */
static bool table_take(struct exact_table *table, uint64_t bytes)
{
  /* relaxed: a figure. */
  const uint64_t before = atomic_fetch_add_explicit(&table->bytes, bytes, memory_order_relaxed);

  if (before + bytes <= atomic_load_explicit(&table->limit, memory_order_relaxed))
    return true;
  atomic_fetch_sub_explicit(&table->bytes, bytes, memory_order_relaxed);
  return false;
}

/* Maps zero bytes; of huge pages where they fit: with 230 MB in pages of 4 KiB, a third of all
 * time went into finding pages. */
static void *table_map(uint64_t bytes)
{
  const bool huge = bytes >= (uint64_t)TABLE_HUGE * TABLE_BUCKET_BYTES;
  void *slots = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | (huge ? 0 : MAP_POPULATE), -1, 0);

  if (huge && slots != MAP_FAILED)
    (void)madvise(slots, bytes, MADV_HUGEPAGE);
  return slots;
}

/* Moves the slots of a shard, whose lock is held, to more memory. */
static bool shard_grow(struct exact_table *table, struct table_shard *shard)
{
  const uint64_t before = shard_buckets(shard);
  const uint64_t least = before + before / 4 + 1;
  /* Linux aligns what is whole huge pages, and backs all of it by these. */
  const uint64_t unit = 4 * least > UINT64_C(3) * TABLE_HUGE ? TABLE_HUGE : TABLE_PAGE;
  const uint64_t after = (least + unit - 1) / unit * unit;
  const uint64_t bytes = after * TABLE_BUCKET_BYTES;
  struct table_slot *const old = shard_slots(shard);

  if (after >> 32 != 0 || !table_take(table, bytes))
    return false;
  struct table_slot *slots = table_map(bytes);
  if (slots == MAP_FAILED) {
    atomic_fetch_sub_explicit(&table->bytes, bytes, memory_order_relaxed);
    return false;
  }
  for (uint64_t i = 0; i < before * TABLE_BUCKET; i++) {
    if (slot_is_empty(&old[i]))
      continue;
    const uint64_t high = atomic_load_explicit(&old[i].high, memory_order_relaxed);
    struct table_slot *to = table_search(slots, after, (struct exact_hash){old[i].low, high});
    to->low = old[i].low;
    atomic_store_explicit(&to->high, high, memory_order_relaxed);
  }
  /* relaxed: the lock orders them. */
  atomic_store_explicit(&shard->slots, slots, memory_order_relaxed);
  atomic_store_explicit(&shard->buckets, after, memory_order_relaxed);
  if (before > 0)
    (void)munmap(old, before * TABLE_BUCKET_BYTES);
  atomic_fetch_sub_explicit(&table->bytes, before * TABLE_BUCKET_BYTES, memory_order_relaxed);
  return true;
}

bool table_meet(struct table_slot *slot, bool marks)
{
  /* relaxed, both: one thread marks, in turns, which order it; what others store after that is the
   * same for all.  No thread sees a mark of a turn later than its own. */
  const uint64_t high = atomic_load_explicit(&slot->high, memory_order_relaxed);
  const bool marked = (high & TABLE_MARK) != 0;
  const uint64_t bit = marked ? TABLE_AGAIN : TABLE_MARK;

  if ((marked || marks) && (high & bit) == 0)
    atomic_store_explicit(&slot->high, high | bit, memory_order_relaxed);
  return marked;
}

/* Inserts the hash into its shard.  The caller holds the lock. */
static enum table_answer shard_insert(struct exact_table *table, struct table_shard *shard,
                                      struct exact_hash hash, enum table_step step)
{
  struct table_slot *slot = table_search(shard_slots(shard), shard_buckets(shard), hash);

  if (!slot_is_empty(slot))
    return step == TABLE_NOTES || table_meet(slot, step == TABLE_DECIDES) ? TABLE_FOUND : TABLE_NEW;
  /* At three quarters a search for an absent hash ends after 8.5 slots, at seven eighths at 32. */
  if (4 * (shard->used + 1) > 3 * (TABLE_BUCKET * shard_buckets(shard))) {
    if (!shard_grow(table, shard))
      return TABLE_FULL;
    slot = table_search(shard_slots(shard), shard_buckets(shard), hash);
  }
  slot->low = hash.low;
  atomic_store_explicit(&slot->high,
                        (hash.high & TABLE_REST) | TABLE_USED |
                            (step == TABLE_DECIDES ? TABLE_MARK : 0),
                        memory_order_relaxed);
  shard->used++;
  return TABLE_NEW;
}

enum table_answer table_insert(struct exact_table *table, struct exact_hash hash, bool room)
{
  struct table_shard *const shard = &table->shards[hash.high >> (64 - TABLE_SHARD_BITS)];
  enum table_answer answer = TABLE_FULL;

  (void)pthread_mutex_lock(&shard->lock);
  struct table_slot *const slot = room ? NULL : table_find(table, hash);
  if (room)
    answer = shard_insert(table, shard, hash, TABLE_DECIDES);
  else if (slot != NULL && table_meet(slot, false))
    answer = TABLE_FOUND;
  (void)pthread_mutex_unlock(&shard->lock);
  return answer;
}

void table_insert_many(struct exact_table *table, const uint64_t *low, const uint64_t *high,
                       const uint32_t *which, size_t count, enum table_step step, uint8_t *answers)
{
  uint16_t sorted[TABLE_BATCH];
  uint32_t begins[TABLE_SHARDS + 1] = {0};
  bool done[TABLE_SHARDS] = {false};

  for (size_t i = 0; i < count; i++)
    begins[high[which[i]] >> (64 - TABLE_SHARD_BITS)]++;
  for (int i = 0; i < TABLE_SHARDS; i++) /* begins[i] becomes where shard i ends */
    begins[i + 1] += begins[i];
  for (size_t i = count; i-- > 0;) /* backward: those of a shard stay in their order */
    sorted[--begins[high[which[i]] >> (64 - TABLE_SHARD_BITS)]] = (uint16_t)i;
  /* A shard that another thread has locked is left for a second pass, which waits. */
  for (int pass = 0; pass < 2 * TABLE_SHARDS; pass++) {
    const int i = pass % TABLE_SHARDS;
    struct table_shard *const shard = &table->shards[i];
    if (done[i] || (pass < TABLE_SHARDS ? pthread_mutex_trylock(&shard->lock)
                                        : pthread_mutex_lock(&shard->lock)) != 0)
      continue;
    for (uint32_t k = begins[i]; k < begins[i + 1]; k++) {
      const uint32_t at = which[sorted[k]];
      const uint32_t next = which[sorted[k + TABLE_AHEAD < count ? k + TABLE_AHEAD : k]];
      table_prefetch(table, (struct exact_hash){low[next], high[next]});
      answers[sorted[k]] =
          (uint8_t)shard_insert(table, shard, (struct exact_hash){low[at], high[at]}, step);
    }
    (void)pthread_mutex_unlock(&shard->lock);
    done[i] = true;
  }
}

struct table_slot *table_find(const struct exact_table *table, struct exact_hash hash)
{
  const struct table_shard *const shard = table_shard(table, hash);
  struct table_slot *slot = table_search(shard_slots(shard), shard_buckets(shard), hash);

  return slot_is_empty(slot) ? NULL : slot;
}

uint64_t table_repeated(const struct exact_table *table)
{
  uint64_t again = table->again;

  for (int i = 0; i < TABLE_SHARDS; i++) {
    const struct table_slot *const slots = shard_slots(&table->shards[i]);
    for (uint64_t k = 0; k < TABLE_BUCKET * shard_buckets(&table->shards[i]); k++)
      /* relaxed: the threads that stored are joined. */
      again += (atomic_load_explicit(&slots[k].high, memory_order_relaxed) & TABLE_AGAIN) != 0;
  }
  return again;
}

uint64_t table_count(const struct exact_table *table)
{
  uint64_t count = 0;

  for (int i = 0; i < TABLE_SHARDS; i++)
    count += table->shards[i].used;
  return count;
}

size_t table_lows(const struct exact_table *table, int shard, uint64_t *at, uint64_t *lows,
                  size_t most)
{
  const struct table_slot *const slots = shard_slots(&table->shards[shard]);
  const uint64_t end = TABLE_BUCKET * shard_buckets(&table->shards[shard]);
  size_t count = 0;

  for (; *at < end && count < most; ++*at)
    if (!slot_is_empty(&slots[*at]))
      lows[count++] = slots[*at].low;
  return count;
}

bool table_begin_times(struct exact_table *table)
{
  for (int i = 0; i < TABLE_SHARDS; i++) {
    struct table_shard *const shard = &table->shards[i];
    shard->times = calloc(TABLE_BUCKET * shard_buckets(shard) + 1, sizeof *shard->times);
    if (shard->times == NULL)
      return false;
  }
  return true;
}

uint64_t *table_times(const struct exact_table *table, struct exact_hash hash,
                      const struct table_slot *slot)
{
  const struct table_shard *const shard = table_shard(table, hash);

  return &shard->times[slot - shard_slots(shard)];
}

void table_prefetch(const struct exact_table *table, struct exact_hash hash)
{
  const struct table_shard *const shard = table_shard(table, hash);

  /* An array that has just been freed does no harm here. */
  __builtin_prefetch(shard_slots(shard) +
                     TABLE_BUCKET * table_bucket(hash.low, shard_buckets(shard)));
}
