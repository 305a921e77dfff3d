/*
 * versions.c - a filter that is replaced while it is read.
 *
 * The handle points to one arrangement.  An arrangement has all that a call needs and never
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
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "atomic/threads/epoch.h"

/* A filter, and how it is reclaimed. */
typedef struct version version;
struct version {
  lfb_epoch_entry entry; /* must be the first member */
  lfb_versions *of;
  lfb_filter *filter;
  version *next_gone; /* in the list `gone` */
};

typedef struct arrangement {
  lfb_epoch_entry entry; /* must be the first member */
  uint64_t number;       /* of the current version   */
  version *current;
  version *building;     /* NULL: none               */
  version *previous;     /* NULL: none               */
  lfb_filter *filter;    /* of the current version   */
} arrangement;

struct lfb_versions {
  LFB_ATOMIC(arrangement *) now;
  lfb_epoch epoch;
  pthread_mutex_t administrator; /* guards all fields below, and changes of `now`     */
  uint64_t highest;              /* the highest number given so far                   */
  uint64_t dropped;              /* filters that a section may still use              */
  version *gone;                 /* no section uses them: to be freed without the lock */
  arrangement *spare;            /* for the call that ends a rebuild: it must not fail */
  bool beginning;                /* begin_rebuild has not returned yet                */
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
  return now->filter;
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

/* The filters that a put goes to in addition to the current one. */
static inline unsigned versions_others(const arrangement *now, lfb_filter *others[2])
{
  unsigned count = 0;

  if (now->building != NULL)
    others[count++] = now->building->filter;
  if (now->previous != NULL)
    others[count++] = now->previous->filter;
  return count;
}

/* ---- the calls of lfb_filter ------------------------------------------------- */

/* The kind of key, which selects the function of lfb_filter that a call is passed on to. */
typedef enum versions_kind {
  VERSIONS_BYTES,
  VERSIONS_U64,
  VERSIONS_HASH,
  VERSIONS_OBJECT,
} versions_kind;

/* A key of one of these kinds.  It fits two registers. */
typedef struct versions_key {
  union {
    const void *bytes;
    uint64_t number; /* or hash */
    lfb_funnel funnel;
  };
  union {
    size_t size;
    const void *object;
  };
} versions_key;

/* The next four functions are inlined where `kind` is a constant; one call remains of each. */
LFB_INLINE bool versions_filter_has(const lfb_filter *filter, versions_kind kind,
                                    versions_key key)
{
  switch (kind) {
  case VERSIONS_U64:
    return lfb_filter_might_contain_u64(filter, key.number);
  case VERSIONS_HASH:
    return lfb_filter_might_contain_hash(filter, key.number);
  case VERSIONS_OBJECT:
    return lfb_filter_might_contain_object(filter, key.funnel, key.object);
  default:
    return lfb_filter_might_contain(filter, key.bytes, key.size);
  }
}

LFB_INLINE bool versions_filter_put(lfb_filter *filter, versions_kind kind, versions_key key)
{
  switch (kind) {
  case VERSIONS_U64:
    return lfb_filter_put_u64(filter, key.number);
  case VERSIONS_HASH:
    return lfb_filter_put_hash(filter, key.number);
  case VERSIONS_OBJECT:
    return lfb_filter_put_object(filter, key.funnel, key.object);
  default:
    return lfb_filter_put(filter, key.bytes, key.size);
  }
}

LFB_INLINE size_t versions_filter_has_many(const lfb_filter *filter, versions_kind kind,
                                           const void *keys, size_t count, uint64_t *answers)
{
  switch (kind) {
  case VERSIONS_U64:
    return lfb_filter_might_contain_many_u64(filter, keys, count, answers);
  case VERSIONS_HASH:
    return lfb_filter_might_contain_many_hash(filter, keys, count, answers);
  default:
    return lfb_filter_might_contain_many(filter, keys, count, answers);
  }
}

LFB_INLINE size_t versions_filter_put_many(lfb_filter *filter, versions_kind kind,
                                           const void *keys, size_t count, uint64_t *answers)
{
  switch (kind) {
  case VERSIONS_U64:
    return lfb_filter_put_many_u64(filter, keys, count, answers);
  case VERSIONS_HASH:
    return lfb_filter_put_many_hash(filter, keys, count, answers);
  default:
    return lfb_filter_put_many(filter, keys, count, answers);
  }
}

/* A query is two functions, so that the fast one, which nearly always suffices, saves no registers
 * for the slow one.  The key comes before its kind, as in the public functions, so that it stays in
 * its register. */
static __attribute__((noinline, cold)) bool versions_ask_slowly(lfb_versions *versions,
                                                                versions_key key,
                                                                versions_kind kind)
{
  lfb_epoch_enter_slowly(&versions->epoch);
  const bool found = versions_filter_has(versions_seen(versions)->filter, kind, key);
  lfb_epoch_leave(&versions->epoch);
  return found;
}

LFB_INLINE bool versions_ask(lfb_versions *versions, versions_kind kind, versions_key key)
{
  lfb_epoch_place *place;

  if (__builtin_expect(!lfb_epoch_enter_plainly(&versions->epoch, &place), 0))
    return versions_ask_slowly(versions, key, kind);
  const bool found = versions_filter_has(versions_seen(versions)->filter, kind, key);
  lfb_epoch_leave_plainly(place);
  return found;
}

static __attribute__((noinline, cold)) size_t
versions_ask_many_slowly(lfb_versions *versions, versions_kind kind, const void *keys,
                         size_t count, uint64_t *answers)
{
  lfb_epoch_enter_slowly(&versions->epoch);
  const lfb_filter *filter = versions_seen(versions)->filter;
  const size_t found = versions_filter_has_many(filter, kind, keys, count, answers);
  lfb_epoch_leave(&versions->epoch);
  return found;
}

LFB_INLINE size_t versions_ask_many(lfb_versions *versions, versions_kind kind,
                                    const void *keys, size_t count, uint64_t *answers)
{
  lfb_epoch_place *place;

  if (__builtin_expect(!lfb_epoch_enter_plainly(&versions->epoch, &place), 0))
    return versions_ask_many_slowly(versions, kind, keys, count, answers);
  const lfb_filter *filter = versions_seen(versions)->filter;
  const size_t found = versions_filter_has_many(filter, kind, keys, count, answers);
  lfb_epoch_leave_plainly(place);
  return found;
}

/* Puts into all filters of the arrangement.  Returns the answer of the current one. */
LFB_INLINE bool versions_put(lfb_versions *versions, versions_kind kind, versions_key key)
{
  const arrangement *now = versions_enter(versions);
  lfb_filter *others[2];
  const bool changed = versions_filter_put(now->filter, kind, key);

  for (unsigned i = versions_others(now, others); i-- > 0;)
    (void)versions_filter_put(others[i], kind, key);
  lfb_epoch_leave(&versions->epoch);
  return changed;
}

LFB_INLINE size_t versions_put_many(lfb_versions *versions, versions_kind kind,
                                    const void *keys, size_t count, uint64_t *answers)
{
  const arrangement *now = versions_enter(versions);
  lfb_filter *others[2];
  const size_t changed = versions_filter_put_many(now->filter, kind, keys, count, answers);

  for (unsigned i = versions_others(now, others); i-- > 0;)
    (void)versions_filter_put_many(others[i], kind, keys, count, NULL);
  lfb_epoch_leave(&versions->epoch);
  return changed;
}

bool lfb_versions_put(lfb_versions *versions, const void *bytes, size_t size)
{
  return versions_put(versions, VERSIONS_BYTES, (versions_key){.bytes = bytes, .size = size});
}

bool lfb_versions_put_u64(lfb_versions *versions, uint64_t key)
{
  return versions_put(versions, VERSIONS_U64, (versions_key){.number = key});
}

bool lfb_versions_put_hash(lfb_versions *versions, uint64_t hash)
{
  return versions_put(versions, VERSIONS_HASH, (versions_key){.number = hash});
}

bool lfb_versions_put_object(lfb_versions *versions, lfb_funnel funnel, const void *object)
{
  return versions_put(versions, VERSIONS_OBJECT,
                      (versions_key){.funnel = funnel, .object = object});
}

bool lfb_versions_might_contain(lfb_versions *versions, const void *bytes, size_t size)
{
  return versions_ask(versions, VERSIONS_BYTES, (versions_key){.bytes = bytes, .size = size});
}

bool lfb_versions_might_contain_u64(lfb_versions *versions, uint64_t key)
{
  return versions_ask(versions, VERSIONS_U64, (versions_key){.number = key});
}

bool lfb_versions_might_contain_hash(lfb_versions *versions, uint64_t hash)
{
  return versions_ask(versions, VERSIONS_HASH, (versions_key){.number = hash});
}

bool lfb_versions_might_contain_object(lfb_versions *versions, lfb_funnel funnel,
                                       const void *object)
{
  return versions_ask(versions, VERSIONS_OBJECT,
                      (versions_key){.funnel = funnel, .object = object});
}

size_t lfb_versions_put_many(lfb_versions *versions, const lfb_key *keys, size_t count,
                             uint64_t *answers)
{
  return versions_put_many(versions, VERSIONS_BYTES, keys, count, answers);
}

size_t lfb_versions_put_many_u64(lfb_versions *versions, const uint64_t *keys, size_t count,
                                 uint64_t *answers)
{
  return versions_put_many(versions, VERSIONS_U64, keys, count, answers);
}

size_t lfb_versions_put_many_hash(lfb_versions *versions, const uint64_t *hashes, size_t count,
                                  uint64_t *answers)
{
  return versions_put_many(versions, VERSIONS_HASH, hashes, count, answers);
}

size_t lfb_versions_might_contain_many(lfb_versions *versions, const lfb_key *keys,
                                       size_t count, uint64_t *answers)
{
  return versions_ask_many(versions, VERSIONS_BYTES, keys, count, answers);
}

size_t lfb_versions_might_contain_many_u64(lfb_versions *versions, const uint64_t *keys,
                                           size_t count, uint64_t *answers)
{
  return versions_ask_many(versions, VERSIONS_U64, keys, count, answers);
}

size_t lfb_versions_might_contain_many_hash(lfb_versions *versions, const uint64_t *hashes,
                                            size_t count, uint64_t *answers)
{
  return versions_ask_many(versions, VERSIONS_HASH, hashes, count, answers);
}

/* ---- arrangements ---------------------------------------------------------- */

/* Runs under the lock.  Freeing a large filter takes long: versions_free_gone() does it later. */
static void versions_reclaim_filter(lfb_epoch_entry *entry)
{
  version *gone = (version *)(void *)entry;

  gone->of->dropped--;
  gone->next_gone = gone->of->gone;
  gone->of->gone = gone;
}

static void versions_free_gone(version *gone)
{
  while (gone != NULL) {
    version *next = gone->next_gone;
    lfb_filter_free(gone->filter);
    free(gone);
    gone = next;
  }
}

static void versions_reclaim_arrangement(lfb_epoch_entry *entry)
{
  free((arrangement *)(void *)entry);
}

static bool arrangement_has(const arrangement *all, const version *one)
{
  return one == all->current || one == all->building || one == all->previous;
}

/* Retires a version of the old arrangement unless the next one has it. */
static void versions_drop(lfb_versions *versions, version *one, const arrangement *next)
{
  if (one == NULL || arrangement_has(next, one))
    return;
  versions->dropped++;
  lfb_epoch_retire(&versions->epoch, &one->entry, versions_reclaim_filter);
}

/* The published arrangement, for an administrator, which alone replaces it. */
static arrangement *versions_now(lfb_versions *versions)
{
  /* relaxed: the lock orders this after the writes of the last administrator. */
  return atomic_load_explicit(&versions->now, memory_order_relaxed);
}

/* Publishes a copy of `next` in `made`, allocated before, and retires what `next` does not have. */
static void versions_arrange(lfb_versions *versions, const arrangement *next, arrangement *made)
{
  arrangement *before = versions_now(versions);

  *made = *next;
  made->filter = made->current->filter;
  /* release: pairs with the acquire in versions_seen(). */
  atomic_store_explicit(&versions->now, made, memory_order_release);
  if (before != NULL) {
    versions_drop(versions, before->current, made);
    versions_drop(versions, before->building, made);
    versions_drop(versions, before->previous, made);
    lfb_epoch_retire(&versions->epoch, &before->entry, versions_reclaim_arrangement);
  }
  (void)lfb_epoch_poll(&versions->epoch);
}

/* The same with another current version, which gets the next number. */
static void versions_make_current(lfb_versions *versions, arrangement *next, arrangement *made,
                                  uint64_t *number)
{
  next->number = ++versions->highest;
  versions_arrange(versions, next, made);
  if (number != NULL)
    *number = next->number;
}

static arrangement *versions_take_memory(void)
{
  return malloc(sizeof(arrangement));
}

/* The memory that was allocated when the rebuild began. */
static arrangement *versions_take_spare(lfb_versions *versions)
{
  arrangement *spare = versions->spare;

  versions->spare = NULL;
  return spare;
}

static version *versions_wrap(lfb_versions *versions, lfb_filter *filter)
{
  version *made = malloc(sizeof *made);

  if (made != NULL)
    *made = (version){.of = versions, .filter = filter};
  return made;
}

/* ---- the administrator's calls --------------------------------------------- */

static void versions_lock(lfb_versions *versions)
{
  pthread_mutex_lock(&versions->administrator);
}

/* Releases the lock, then frees the filters that no section can use any more. */
static lfb_status versions_unlock(lfb_versions *versions, lfb_status status)
{
  version *gone = versions->gone;

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
  versions_lock(versions);
}

/* Waits until every put that may have seen an older arrangement has ended.  The loader finds the
 * keys of these puts in its source. */
static void versions_await_sections(lfb_versions *versions)
{
  versions->beginning = true;
  lfb_epoch_wait(&versions->epoch, versions_pause, versions);
  versions->beginning = false;
}

/* Begins a rebuild; the caller holds the lock.  On success the handle owns the filter. */
static lfb_status versions_begin(lfb_versions *versions, lfb_filter *filter)
{
  arrangement next = *versions_now(versions), *made = versions_take_memory();

  next.building = versions_wrap(versions, filter);
  versions->spare = versions_take_memory();
  if (made == NULL || next.building == NULL || versions->spare == NULL) {
    free(made);
    free(next.building);
    free(versions_take_spare(versions));
    return LFB_ERROR_NO_MEMORY;
  }
  versions_arrange(versions, &next, made);
  versions_await_sections(versions);
  return LFB_OK;
}

static bool versions_is_building(lfb_versions *versions)
{
  return versions_now(versions)->building != NULL;
}

/* The version that its loader has received; NULL: none. */
static version *versions_loaded(lfb_versions *versions)
{
  return versions->beginning ? NULL : versions_now(versions)->building;
}

lfb_status lfb_versions_begin_rebuild_with(lfb_versions *versions, lfb_filter *filter)
{
  assert(!lfb_epoch_inside(&versions->epoch));
  versions_lock(versions);
  return versions_unlock(versions, versions_is_building(versions)
                                       ? LFB_ERROR_REBUILDING
                                       : versions_begin(versions, filter));
}

/* Checked before a filter is made, so that none is made only to be refused. */
static lfb_status versions_check_idle(lfb_versions *versions)
{
  versions_lock(versions);
  return versions_unlock(versions,
                         versions_is_building(versions) ? LFB_ERROR_REBUILDING : LFB_OK);
}

lfb_status lfb_versions_begin_rebuild(lfb_versions *versions, const lfb_config *config,
                                      lfb_filter **building)
{
  lfb_filter *filter;

  lfb_status status = versions_check_idle(versions);
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

lfb_status lfb_versions_publish(lfb_versions *versions, lfb_previous previous, uint64_t *number)
{
  versions_lock(versions);
  const arrangement *now = versions_now(versions);
  arrangement next = {.current = versions_loaded(versions),
                      .previous = previous == LFB_KEEP_PREVIOUS ? now->current : NULL};
  if (next.current == NULL)
    return versions_unlock(versions, LFB_ERROR_NOT_REBUILDING);
  versions_make_current(versions, &next, versions_take_spare(versions), number);
  return versions_unlock(versions, LFB_OK);
}

lfb_status lfb_versions_abandon(lfb_versions *versions)
{
  versions_lock(versions);
  arrangement next = *versions_now(versions);
  if (versions_loaded(versions) == NULL)
    return versions_unlock(versions, LFB_ERROR_NOT_REBUILDING);
  next.building = NULL;
  versions_arrange(versions, &next, versions_take_spare(versions));
  return versions_unlock(versions, LFB_OK);
}

lfb_status lfb_versions_rollback(lfb_versions *versions, uint64_t *number)
{
  versions_lock(versions);
  const arrangement *now = versions_now(versions);
  arrangement next = {.current = now->previous, .building = now->building};
  if (next.current == NULL)
    return versions_unlock(versions, LFB_ERROR_NO_PREVIOUS);
  arrangement *made = versions_take_memory();
  if (made == NULL)
    return versions_unlock(versions, LFB_ERROR_NO_MEMORY);
  versions_make_current(versions, &next, made, number);
  return versions_unlock(versions, LFB_OK);
}

lfb_status lfb_versions_drop_previous(lfb_versions *versions)
{
  versions_lock(versions);
  arrangement next = *versions_now(versions);
  if (next.previous == NULL)
    return versions_unlock(versions, LFB_ERROR_NO_PREVIOUS);
  arrangement *made = versions_take_memory();
  if (made == NULL)
    return versions_unlock(versions, LFB_ERROR_NO_MEMORY);
  next.previous = NULL;
  versions_arrange(versions, &next, made);
  return versions_unlock(versions, LFB_OK);
}

uint64_t lfb_versions_reclaim(lfb_versions *versions)
{
  versions_lock(versions);
  (void)lfb_epoch_poll(&versions->epoch);
  const uint64_t dropped = versions->dropped;
  (void)versions_unlock(versions, LFB_OK);
  return dropped;
}

/* ---- creating and freeing --------------------------------------------------- */

/* Publishes the first arrangement. */
static lfb_status versions_begin_life(lfb_versions *versions, lfb_filter *filter)
{
  arrangement first = {.current = versions_wrap(versions, filter)};
  arrangement *made = versions_take_memory();

  if (first.current == NULL || made == NULL) {
    free(first.current);
    free(made);
    return LFB_ERROR_NO_MEMORY;
  }
  versions_make_current(versions, &first, made, NULL);
  return LFB_OK;
}

lfb_status lfb_versions_create_with(lfb_filter *filter, lfb_versions **versions)
{
  lfb_versions *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = lfb_epoch_init(&made->epoch);
  if (status != LFB_OK) {
    free(made);
    return status;
  }
  status = versions_begin_life(made, filter);
  if (status != LFB_OK) {
    lfb_epoch_free(&made->epoch);
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

static void versions_free_one(version *one)
{
  if (one != NULL)
    lfb_filter_free(one->filter);
  free(one);
}

void lfb_versions_free(lfb_versions *versions)
{
  if (versions == NULL)
    return;
  arrangement *now = versions_now(versions);
  lfb_epoch_free(&versions->epoch);
  versions_free_gone(versions->gone);
  versions_free_one(now->current);
  versions_free_one(now->building);
  versions_free_one(now->previous);
  free(versions->spare);
  free(now);
  (void)pthread_mutex_destroy(&versions->administrator);
  free(versions);
}
