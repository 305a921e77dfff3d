/*
 * versions.c - a filter that is replaced while it is read.
 *
 * The handle points to one arrangement.  An arrangement has all that a call needs, which never
 * changes, so a call sees the versions of one moment.  A put that has seen an arrangement puts into
 * every filter of it.  The current filter of the next arrangement was current, being built or kept
 * in this one.  So a later query, by this arrangement or the next, asks a filter that the put went
 * into.  A version that is begun later gets the key from its loader (lfbloom/versions.h, 3).
 *
 * The administrator replaces the arrangement.  The old one is freed, and every filter that the new
 * one does not have, once the last section that could have seen them has been left.
 */
#include <lfbloom/versions.h>

#include <assert.h>
#include <lfbloom/delta.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "atomic/threads/epoch.h"

/* What a filter of an arrangement is. */
typedef enum versions_role { CURRENT, BUILDING, PREVIOUS, ROLES } versions_role;

typedef struct arrangement {
  lfb_epoch_entry entry;      /* must be the first member                                   */
  uint64_t number;            /* of the current version                                     */
  lfb_filter *filters[ROLES]; /* NULL: none                                                 */
  lfb_filter *dropped[ROLES]; /* what the next one does not have: freed with this one; only
                               * the administrator reads it                                 */
  lfb_versions *of;
} arrangement;

struct lfb_versions {
  LFB_ATOMIC(arrangement *) now;
  lfb_epoch epoch;
  pthread_mutex_t administrator; /* guards all fields below, and changes of `now`         */
  uint64_t dropped;              /* filters that a section may still use                  */
  lfb_epoch_entry *gone;         /* arrangements that no section uses: to be freed, with what
                                  * they dropped, without the lock                        */
  arrangement *spare;            /* for the call that ends a rebuild, which must not fail;
                                  * NULL until begin_rebuild has returned                 */
};

/* ---- sections -------------------------------------------------------------- */

/* The arrangement; the calling thread is in a section. */
static inline const arrangement *versions_seen(lfb_versions *versions)
{
  /* acquire: pairs with the release in versions_arrange(), which publishes the arrangement. */
  return atomic_load_explicit(&versions->now, memory_order_acquire);
}

static inline const arrangement *versions_enter(lfb_versions *versions)
{
  lfb_epoch_enter(&versions->epoch);
  return versions_seen(versions);
}

const lfb_filter *lfb_versions_enter(lfb_versions *versions, uint64_t *number)
{
  const arrangement *now = versions_enter(versions);

  if (number != NULL)
    *number = now->number;
  return now->filters[CURRENT];
}

void lfb_versions_leave(lfb_versions *versions)
{
  lfb_epoch_leave(&versions->epoch);
}

uint64_t lfb_versions_number(lfb_versions *versions)
{
  const uint64_t number = versions_enter(versions)->number;

  lfb_epoch_leave(&versions->epoch);
  return number;
}

/* ---- the calls of lfb_filter ------------------------------------------------- */

/* The kind of key, and whether a call has one or many.  It selects the function of lfb_filter that
 * the call is passed on to. */
typedef enum versions_kind {
  VERSIONS_BYTES,
  VERSIONS_U64,
  VERSIONS_HASH,
  VERSIONS_OBJECT,
  VERSIONS_MANY,
  VERSIONS_MANY_U64,
  VERSIONS_MANY_HASH,
} versions_kind;

/* The key or keys of a call.  It fits two registers. */
typedef struct versions_keys {
  union {
    const void *bytes; /* or many keys of any kind */
    uint64_t number;   /* or hash                  */
    lfb_funnel funnel;
  };
  union {
    size_t size; /* or count */
    const void *object;
  };
} versions_keys;

/* The next two functions are inlined where `kind` is a constant; one call remains of each.  They
 * return the answer; of many keys, how many answers are true. */
LFB_INLINE size_t versions_filter_has(const lfb_filter *filter, versions_kind kind,
                                      versions_keys keys, uint64_t *answers)
{
  switch (kind) {
  case VERSIONS_U64:
    return lfb_filter_might_contain_u64(filter, keys.number);
  case VERSIONS_HASH:
    return lfb_filter_might_contain_hash(filter, keys.number);
  case VERSIONS_OBJECT:
    return lfb_filter_might_contain_object(filter, keys.funnel, keys.object);
  case VERSIONS_MANY:
    return lfb_filter_might_contain_many(filter, keys.bytes, keys.size, answers);
  case VERSIONS_MANY_U64:
    return lfb_filter_might_contain_many_u64(filter, keys.bytes, keys.size, answers);
  case VERSIONS_MANY_HASH:
    return lfb_filter_might_contain_many_hash(filter, keys.bytes, keys.size, answers);
  default:
    return lfb_filter_might_contain(filter, keys.bytes, keys.size);
  }
}

LFB_INLINE size_t versions_filter_put(lfb_filter *filter, versions_kind kind, versions_keys keys,
                                      uint64_t *answers)
{
  switch (kind) {
  case VERSIONS_U64:
    return lfb_filter_put_u64(filter, keys.number);
  case VERSIONS_HASH:
    return lfb_filter_put_hash(filter, keys.number);
  case VERSIONS_OBJECT:
    return lfb_filter_put_object(filter, keys.funnel, keys.object);
  case VERSIONS_MANY:
    return lfb_filter_put_many(filter, keys.bytes, keys.size, answers);
  case VERSIONS_MANY_U64:
    return lfb_filter_put_many_u64(filter, keys.bytes, keys.size, answers);
  case VERSIONS_MANY_HASH:
    return lfb_filter_put_many_hash(filter, keys.bytes, keys.size, answers);
  default:
    return lfb_filter_put(filter, keys.bytes, keys.size);
  }
}

/* A query is two functions, so that the fast one, which nearly always suffices, saves no registers
 * for the slow one.  The keys come before their kind, as in the public functions, so that they stay
 * in their registers. */
static __attribute__((noinline, cold)) size_t versions_ask_slowly(lfb_versions *versions,
                                                                  versions_keys keys,
                                                                  uint64_t *answers,
                                                                  versions_kind kind)
{
  lfb_epoch_enter_slowly(&versions->epoch);
  const lfb_filter *filter = versions_seen(versions)->filters[CURRENT];
  const size_t found = versions_filter_has(filter, kind, keys, answers);
  lfb_epoch_leave(&versions->epoch);
  return found;
}

LFB_INLINE size_t versions_ask(lfb_versions *versions, versions_kind kind, versions_keys keys,
                               uint64_t *answers)
{
  lfb_epoch_place *place;

  if (__builtin_expect(!lfb_epoch_enter_plainly(&versions->epoch, &place), 0))
    return versions_ask_slowly(versions, keys, answers, kind);
  const lfb_filter *filter = versions_seen(versions)->filters[CURRENT];
  const size_t found = versions_filter_has(filter, kind, keys, answers);
  lfb_epoch_leave_plainly(place);
  return found;
}

/* Puts into all filters of the arrangement.  Returns the answer of the current one. */
LFB_INLINE size_t versions_put(lfb_versions *versions, versions_kind kind, versions_keys keys,
                               uint64_t *answers)
{
  const arrangement *now = versions_enter(versions);
  const size_t changed = versions_filter_put(now->filters[CURRENT], kind, keys, answers);

  for (int i = BUILDING; i < ROLES; i++)
    if (now->filters[i] != NULL)
      (void)versions_filter_put(now->filters[i], kind, keys, NULL);
  lfb_epoch_leave(&versions->epoch);
  return changed;
}

bool lfb_versions_put(lfb_versions *versions, const void *bytes, size_t size)
{
  return versions_put(versions, VERSIONS_BYTES, (versions_keys){{bytes}, {size}}, NULL);
}

bool lfb_versions_put_u64(lfb_versions *versions, uint64_t key)
{
  return versions_put(versions, VERSIONS_U64, (versions_keys){.number = key}, NULL);
}

bool lfb_versions_put_hash(lfb_versions *versions, uint64_t hash)
{
  return versions_put(versions, VERSIONS_HASH, (versions_keys){.number = hash}, NULL);
}

bool lfb_versions_put_object(lfb_versions *versions, lfb_funnel funnel, const void *object)
{
  return versions_put(versions, VERSIONS_OBJECT,
                      (versions_keys){.funnel = funnel, .object = object}, NULL);
}

bool lfb_versions_might_contain(lfb_versions *versions, const void *bytes, size_t size)
{
  return versions_ask(versions, VERSIONS_BYTES, (versions_keys){{bytes}, {size}}, NULL);
}

bool lfb_versions_might_contain_u64(lfb_versions *versions, uint64_t key)
{
  return versions_ask(versions, VERSIONS_U64, (versions_keys){.number = key}, NULL);
}

bool lfb_versions_might_contain_hash(lfb_versions *versions, uint64_t hash)
{
  return versions_ask(versions, VERSIONS_HASH, (versions_keys){.number = hash}, NULL);
}

bool lfb_versions_might_contain_object(lfb_versions *versions, lfb_funnel funnel,
                                       const void *object)
{
  return versions_ask(versions, VERSIONS_OBJECT,
                      (versions_keys){.funnel = funnel, .object = object}, NULL);
}

size_t lfb_versions_put_many(lfb_versions *versions, const lfb_key *keys, size_t count,
                             uint64_t *answers)
{
  return versions_put(versions, VERSIONS_MANY, (versions_keys){{keys}, {count}}, answers);
}

size_t lfb_versions_put_many_u64(lfb_versions *versions, const uint64_t *keys, size_t count,
                                 uint64_t *answers)
{
  return versions_put(versions, VERSIONS_MANY_U64, (versions_keys){{keys}, {count}}, answers);
}

size_t lfb_versions_put_many_hash(lfb_versions *versions, const uint64_t *hashes, size_t count,
                                  uint64_t *answers)
{
  return versions_put(versions, VERSIONS_MANY_HASH, (versions_keys){{hashes}, {count}}, answers);
}

size_t lfb_versions_might_contain_many(lfb_versions *versions, const lfb_key *keys,
                                       size_t count, uint64_t *answers)
{
  return versions_ask(versions, VERSIONS_MANY, (versions_keys){{keys}, {count}}, answers);
}

size_t lfb_versions_might_contain_many_u64(lfb_versions *versions, const uint64_t *keys,
                                           size_t count, uint64_t *answers)
{
  return versions_ask(versions, VERSIONS_MANY_U64, (versions_keys){{keys}, {count}}, answers);
}

size_t lfb_versions_might_contain_many_hash(lfb_versions *versions, const uint64_t *hashes,
                                            size_t count, uint64_t *answers)
{
  return versions_ask(versions, VERSIONS_MANY_HASH, (versions_keys){{hashes}, {count}}, answers);
}

lfb_status lfb_versions_apply_delta(lfb_versions *versions, const void *delta, size_t size)
{
  const arrangement *now = versions_enter(versions);

  lfb_status status = lfb_delta_apply(now->filters[CURRENT], delta, size, NULL);
  if (status == LFB_OK && now->filters[BUILDING] != NULL)
    status = lfb_delta_apply(now->filters[BUILDING], delta, size, NULL);
  if (status == LFB_OK && now->filters[PREVIOUS] != NULL)
    lfb_ignore(lfb_delta_apply(now->filters[PREVIOUS], delta, size, NULL));
  lfb_epoch_leave(&versions->epoch);
  return status;
}

/* ---- arrangements ---------------------------------------------------------- */

/* Runs under the lock.  Freeing a large filter takes long: versions_unlock() does it later. */
static void versions_reclaim_one(lfb_epoch_entry *entry)
{
  const arrangement *gone = (arrangement *)(void *)entry;

  for (int i = 0; i < ROLES; i++)
    gone->of->dropped -= gone->dropped[i] != NULL;
  entry->next = gone->of->gone;
  gone->of->gone = entry;
}

static void versions_free_gone(lfb_epoch_entry *entry)
{
  while (entry != NULL) {
    arrangement *gone = (arrangement *)(void *)entry;
    entry = entry->next;
    for (int i = 0; i < ROLES; i++)
      lfb_filter_free(gone->dropped[i]);
    free(gone);
  }
}

static bool arrangement_has(const arrangement *all, const lfb_filter *one)
{
  return one == all->filters[CURRENT] || one == all->filters[BUILDING] ||
         one == all->filters[PREVIOUS];
}

/* The published arrangement, for an administrator, which alone replaces it. */
static arrangement *versions_now(lfb_versions *versions)
{
  /* relaxed: the lock orders this after the writes of the last administrator. */
  return atomic_load_explicit(&versions->now, memory_order_relaxed);
}

/* Copies the published arrangement to `room`, to be changed and published.  NULL if that is. */
static arrangement *versions_copy(lfb_versions *versions, arrangement *room)
{
  if (room != NULL)
    *room = *versions_now(versions);
  return room;
}

/* Publishes the next arrangement, and retires the published one with the filters that the next does
 * not have.  Another current version gets the next number. */
static void versions_arrange(lfb_versions *versions, arrangement *next)
{
  arrangement *before = versions_now(versions);

  next->number += next->filters[CURRENT] != before->filters[CURRENT];
  /* release: pairs with the acquire in versions_seen(). */
  atomic_store_explicit(&versions->now, next, memory_order_release);
  for (int i = 0; i < ROLES; i++)
    if (before->filters[i] != NULL && !arrangement_has(next, before->filters[i])) {
      before->dropped[i] = before->filters[i];
      versions->dropped++;
    }
  lfb_epoch_retire(&versions->epoch, &before->entry, versions_reclaim_one);
  (void)lfb_epoch_poll(&versions->epoch);
}

/* ---- the administrator's calls --------------------------------------------- */

/* Releases the lock, then frees what no section can use any more. */
static lfb_status versions_unlock(lfb_versions *versions, lfb_status status)
{
  lfb_epoch_entry *gone = versions->gone;

  versions->gone = NULL;
  pthread_mutex_unlock(&versions->administrator);
  versions_free_gone(gone);
  return status;
}

/* Lets other administrators run while one waits for sections. */
static void versions_pause(void *context)
{
  lfb_versions *versions = context;

  (void)versions_unlock(versions, LFB_OK);
  sched_yield();
  pthread_mutex_lock(&versions->administrator);
}

/* Begins a rebuild; the caller holds the lock.  On success the handle owns the filter. */
static lfb_status versions_begin(lfb_versions *versions, lfb_filter *filter)
{
  arrangement *next = versions_copy(versions, malloc(sizeof *next));
  arrangement *spare = malloc(sizeof *spare);

  if (next == NULL || spare == NULL) {
    free(next);
    free(spare);
    return LFB_ERROR_NO_MEMORY;
  }
  next->filters[BUILDING] = filter;
  versions_arrange(versions, next);
  /* Until every put that may have seen an older arrangement has ended.  The loader finds the keys
   * of these puts in its source. */
  lfb_epoch_wait(&versions->epoch, versions_pause, versions);
  versions->spare = spare;
  return LFB_OK;
}

/* The caller holds the lock. */
static lfb_status versions_check_idle(lfb_versions *versions)
{
  return versions_now(versions)->filters[BUILDING] == NULL ? LFB_OK : LFB_ERROR_REBUILDING;
}

lfb_status lfb_versions_begin_rebuild_with(lfb_versions *versions, lfb_filter *filter)
{
  assert(!lfb_epoch_inside(&versions->epoch));
  pthread_mutex_lock(&versions->administrator);
  const lfb_status status = versions_check_idle(versions);
  return versions_unlock(versions,
                         status == LFB_OK ? versions_begin(versions, filter) : status);
}

lfb_status lfb_versions_begin_rebuild(lfb_versions *versions, const lfb_config *config,
                                      lfb_filter **building)
{
  lfb_filter *filter;

  /* Checked before a filter is made, so that none is made only to be refused. */
  pthread_mutex_lock(&versions->administrator);
  lfb_status status = versions_unlock(versions, versions_check_idle(versions));
  if (status != LFB_OK)
    return status;
  /* Without the lock: the kernel may take long to provide and populate the memory. */
  status = lfb_filter_create(config, &filter);
  if (status != LFB_OK)
    return status;
  status = lfb_versions_begin_rebuild_with(versions, filter);
  if (status == LFB_OK)
    *building = filter;
  else
    lfb_filter_free(filter);
  return status;
}

/* Replaces the current version by the one that is BUILDING or PREVIOUS, or else drops that one. */
static lfb_status versions_end(lfb_versions *versions, versions_role from, bool use,
                               lfb_previous previous, uint64_t *number)
{
  const bool built = from == BUILDING;

  pthread_mutex_lock(&versions->administrator);
  lfb_filter *one = versions_now(versions)->filters[from];
  if (built ? versions->spare == NULL : one == NULL)
    return versions_unlock(versions, built ? LFB_ERROR_NOT_REBUILDING : LFB_ERROR_NO_PREVIOUS);
  arrangement *next = versions_copy(versions, built ? versions->spare : malloc(sizeof *next));
  if (next == NULL)
    return versions_unlock(versions, LFB_ERROR_NO_MEMORY);
  if (built)
    versions->spare = NULL;
  next->filters[from] = NULL;
  if (use) {
    next->filters[PREVIOUS] = previous == LFB_KEEP_PREVIOUS ? next->filters[CURRENT] : NULL;
    next->filters[CURRENT] = one;
  }
  versions_arrange(versions, next);
  if (number != NULL)
    *number = next->number;
  return versions_unlock(versions, LFB_OK);
}

lfb_status lfb_versions_publish(lfb_versions *versions, lfb_previous previous, uint64_t *number)
{
  return versions_end(versions, BUILDING, true, previous, number);
}

lfb_status lfb_versions_abandon(lfb_versions *versions)
{
  return versions_end(versions, BUILDING, false, LFB_DROP_PREVIOUS, NULL);
}

lfb_status lfb_versions_rollback(lfb_versions *versions, uint64_t *number)
{
  return versions_end(versions, PREVIOUS, true, LFB_DROP_PREVIOUS, number);
}

lfb_status lfb_versions_drop_previous(lfb_versions *versions)
{
  return versions_end(versions, PREVIOUS, false, LFB_DROP_PREVIOUS, NULL);
}

uint64_t lfb_versions_reclaim(lfb_versions *versions)
{
  pthread_mutex_lock(&versions->administrator);
  (void)lfb_epoch_poll(&versions->epoch);
  const uint64_t dropped = versions->dropped;
  (void)versions_unlock(versions, LFB_OK);
  return dropped;
}

/* ---- creating and freeing --------------------------------------------------- */

/* Makes the first arrangement. */
static lfb_status versions_begin_life(lfb_versions *versions, lfb_filter *filter)
{
  arrangement *first = calloc(1, sizeof *first);

  if (first == NULL)
    return LFB_ERROR_NO_MEMORY;
  first->number = 1;
  first->filters[CURRENT] = filter;
  first->of = versions;
  /* relaxed: the caller publishes the handle. */
  atomic_store_explicit(&versions->now, first, memory_order_relaxed);
  return LFB_OK;
}

lfb_status lfb_versions_create_with(lfb_filter *filter, lfb_versions **versions)
{
  lfb_versions *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = versions_begin_life(made, filter);
  if (status == LFB_OK)
    status = lfb_epoch_init(&made->epoch);
  if (status != LFB_OK) {
    free(versions_now(made));
    free(made);
    return status;
  }
  /* This call never fails with default attributes. */
  (void)pthread_mutex_init(&made->administrator, NULL);
  *versions = made;
  return LFB_OK;
}

lfb_status lfb_versions_create(const lfb_config *config, lfb_versions **versions)
{
  lfb_filter *filter;

  lfb_status status = lfb_filter_create(config, &filter);
  if (status != LFB_OK)
    return status;
  status = lfb_versions_create_with(filter, versions);
  if (status != LFB_OK)
    lfb_filter_free(filter);
  return status;
}

void lfb_versions_free(lfb_versions *versions)
{
  if (versions == NULL)
    return;
  arrangement *now = versions_now(versions);
  lfb_epoch_free(&versions->epoch);
  versions_free_gone(versions->gone);
  for (int i = 0; i < ROLES; i++)
    lfb_filter_free(now->filters[i]);
  free(versions->spare);
  free(now);
  (void)pthread_mutex_destroy(&versions->administrator);
  free(versions);
}
