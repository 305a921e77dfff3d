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
 * one does not have, once the last section that could have seen them has been left
 * (atomic/threads/sections.h).
 */
#include "bloom/versions/versions.h"

#include <assert.h>
#include <lfbloom/delta.h>
#include <stdlib.h>
#include <time.h>

#include "atomic/threads/forks.h"
#include "atomic/threads/sections.h"

/* What a filter of an arrangement is. */
typedef enum versions_role { CURRENT, BUILDING, PREVIOUS, ROLES } versions_role;

typedef struct arrangement arrangement;
struct arrangement {
  lfb_section_entry entry;    /* must be the first member                                   */
  uint64_t number;            /* of the current version                                     */
  uint64_t since;             /* when it became that, in seconds since 1970; 0: number is 0 */
  lfb_filter *filters[ROLES]; /* NULL: none                                                 */
  lfb_filter *dropped[ROLES]; /* what the next one does not have: freed with this one; only
                               * the administrator reads it                                 */
  lfb_versions *of;
  arrangement *next_gone;     /* in `gone`                                                  */
};

/* The process's lock of sections.h guards all fields but the first two, and changes of `now`. */
struct lfb_versions {
  LFB_ATOMIC(arrangement *) now;
  LFB_ATOMIC(uint64_t) failed_polls; /* of the follower, in a row                             */
  lfb_section *retired; /* arrangements that a section may still use                        */
  uint64_t dropped;     /* filters that a section may still use                             */
  arrangement *gone;    /* arrangements that no section uses: to be freed, with what they
                         * dropped, without the lock                                        */
  arrangement *spare;   /* for the call that ends a rebuild, which must not fail; NULL until
                         * begin_rebuild has returned                                       */
  uint64_t beginner;    /* lfb_forks() of the last begin_rebuild                            */
};

/* ---- sections -------------------------------------------------------------- */

/* The arrangement; the calling thread is in a section. */
static inline const arrangement *versions_seen(const lfb_versions *versions)
{
  /* acquire: pairs with the release in versions_arrange(), which publishes the arrangement. */
  return atomic_load_explicit(&versions->now, memory_order_acquire);
}

const lfb_filter *lfb_versions_enter(const lfb_versions *versions, uint64_t *number)
{
  (void)lfb_section_enter();
  const arrangement *now = versions_seen(versions);

  if (number != NULL)
    *number = now->number;
  return now->filters[CURRENT];
}

void lfb_versions_leave(const lfb_versions *versions)
{
  (void)versions; /* sections are the thread's */
  if (lfb_section_inside()) /* else the thread's exit has left the section */
    lfb_section_leave(lfb_section_mine);
}

uint64_t lfb_versions_number(const lfb_versions *versions)
{
  lfb_section *section = lfb_section_enter();
  const uint64_t number = versions_seen(versions)->number;

  lfb_section_leave(section);
  return number;
}

/* ---- the calls of lfb_filter ------------------------------------------------- */

/* A key of one of two kinds: bytes, or else a number.  What takes it is inlined where it is
 * known which. */
typedef struct versions_key {
  const void *bytes;
  size_t size;
  const uint64_t *number; /* NULL: bytes */
} versions_key;

LFB_INLINE bool versions_filter_put(lfb_filter *filter, versions_key key)
{
  return key.number == NULL ? lfb_filter_put(filter, key.bytes, key.size)
                            : lfb_filter_put_u64(filter, *key.number);
}

LFB_INLINE bool versions_ask(const lfb_versions *versions, versions_key key)
{
  lfb_section *section = lfb_section_enter();
  const lfb_filter *current = versions_seen(versions)->filters[CURRENT];
  const bool found = key.number == NULL ? lfb_filter_might_contain(current, key.bytes, key.size)
                                        : lfb_filter_might_contain_u64(current, *key.number);

  lfb_section_leave(section);
  return found;
}

/* Puts into all filters of the arrangement.  Returns the answer of the current one. */
LFB_INLINE bool versions_put(const lfb_versions *versions, versions_key key)
{
  lfb_section *section = lfb_section_enter();
  const arrangement *now = versions_seen(versions);
  const bool changed = versions_filter_put(now->filters[CURRENT], key);

  for (int i = BUILDING; i < ROLES; i++)
    if (now->filters[i] != NULL)
      (void)versions_filter_put(now->filters[i], key);
  lfb_section_leave(section);
  return changed;
}

bool lfb_versions_put(lfb_versions *versions, const void *bytes, size_t size)
{
  return versions_put(versions, (versions_key){bytes, size, NULL});
}

bool lfb_versions_put_u64(lfb_versions *versions, uint64_t key)
{
  return versions_put(versions, (versions_key){.number = &key});
}

bool lfb_versions_might_contain(const lfb_versions *versions, const void *bytes, size_t size)
{
  return versions_ask(versions, (versions_key){bytes, size, NULL});
}

bool lfb_versions_might_contain_u64(const lfb_versions *versions, uint64_t key)
{
  return versions_ask(versions, (versions_key){.number = &key});
}

size_t lfb_versions_many(const lfb_versions *versions, lfb_verb verb, const void *keys,
                         size_t count, uint64_t *answers, lfb_key_kind kind)
{
  lfb_section *section = lfb_section_enter();
  const arrangement *now = versions_seen(versions);
  const size_t yes = lfb_filter_many(now->filters[CURRENT], verb, keys, count, answers, kind);

  assert(verb == LFB_PUT || verb == LFB_MIGHT_CONTAIN);
  for (int i = BUILDING; verb == LFB_PUT && i < ROLES; i++)
    if (now->filters[i] != NULL)
      (void)lfb_filter_many(now->filters[i], verb, keys, count, NULL, kind);
  lfb_section_leave(section);
  return yes;
}

lfb_status lfb_versions_apply_delta(lfb_versions *versions, const void *delta, size_t size)
{
  lfb_section *section = lfb_section_enter();
  const arrangement *now = versions_seen(versions);

  /* What stands for no version answers "maybe" already. */
  lfb_status status =
      now->number == 0 ? LFB_OK : lfb_delta_apply(now->filters[CURRENT], delta, size, NULL);
  if (status == LFB_OK && now->filters[BUILDING] != NULL)
    status = lfb_delta_apply(now->filters[BUILDING], delta, size, NULL);
  if (status == LFB_OK && now->filters[PREVIOUS] != NULL)
    lfb_ignore(lfb_delta_apply(now->filters[PREVIOUS], delta, size, NULL));
  lfb_section_leave(section);
  return status;
}

/* ---- figures --------------------------------------------------------------- */

void lfb_versions_set_failed_polls(lfb_versions *versions, uint64_t count)
{
  /* relaxed, here and below: the count publishes no other data. */
  atomic_store_explicit(&versions->failed_polls, count, memory_order_relaxed);
}

void lfb_versions_stats(const lfb_versions *versions, lfb_versions_figures *figures)
{
  lfb_versions_figures look = {0};
  lfb_section *section = lfb_section_enter();
  const arrangement *now = versions_seen(versions);

  if (now->number > 0) {
    lfb_filter_stats(now->filters[CURRENT], &look.all);
    look.number = now->number;
    look.since = now->since;
    const uint64_t since = look.all.written > 0 ? look.all.written : look.since;
    const uint64_t today = (uint64_t)time(NULL);
    look.age = today > since ? today - since : 0; /* 0: the clock was set back */
  }
  lfb_section_leave(section);
  look.failed_polls = atomic_load_explicit(&versions->failed_polls, memory_order_relaxed);
  *figures = look;
}

/* ---- arrangements ---------------------------------------------------------- */

/* Runs under the lock.  Freeing a large filter takes long: versions_unlock() does it later. */
static void versions_reclaim_one(lfb_section_entry *entry)
{
  arrangement *gone = (arrangement *)(void *)entry;

  for (int i = 0; i < ROLES; i++)
    gone->of->dropped -= gone->dropped[i] != NULL;
  gone->next_gone = gone->of->gone;
  gone->of->gone = gone;
}

static void versions_free_gone(arrangement *first)
{
  while (first != NULL) {
    arrangement *gone = first;
    first = gone->next_gone;
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
static arrangement *versions_now(const lfb_versions *versions)
{
  /* relaxed: the lock orders this after the writes of the last administrator. */
  return atomic_load_explicit(&versions->now, memory_order_relaxed);
}

/* Copies the published arrangement to `made`, to be changed and published. */
static arrangement *versions_copy(lfb_versions *versions, arrangement *made)
{
  *made = *versions_now(versions);
  return made;
}

/* Publishes the next arrangement, and retires the published one with the filters that the next does
 * not have.  Another current version gets the next number. */
static void versions_arrange(lfb_versions *versions, arrangement *next)
{
  arrangement *before = versions_now(versions);

  if (next->filters[CURRENT] != before->filters[CURRENT]) {
    next->number++;
    next->since = (uint64_t)time(NULL);
  }
  /* release: pairs with the acquire in versions_seen(). */
  atomic_store_explicit(&versions->now, next, memory_order_release);
  for (int i = 0; i < ROLES; i++)
    if (before->filters[i] != NULL && !arrangement_has(next, before->filters[i])) {
      before->dropped[i] = before->filters[i];
      versions->dropped++;
    }
  lfb_section_retire(versions->retired, &before->entry, versions_reclaim_one);
  lfb_section_poll(versions->retired);
}

/* ---- the administrator's calls --------------------------------------------- */

/* Releases the lock, then frees what no section can use any more. */
static lfb_status versions_unlock(lfb_versions *versions, lfb_status status)
{
  arrangement *gone = versions->gone;

  versions->gone = NULL;
  lfb_sections_unlock();
  versions_free_gone(gone);
  return status;
}

/* Whether a begin_rebuild is in progress, or has returned and no call has ended its rebuild.  One
 * that a parent's thread was in at a fork never returns in the child; the next one replaces it. */
static bool versions_rebuilding(const lfb_versions *versions, const arrangement *now)
{
  return now->filters[BUILDING] != NULL &&
         (versions->spare != NULL || versions->beginner == lfb_forks());
}

/* The caller holds the lock. */
static lfb_status versions_check_idle(lfb_versions *versions)
{
  return versions_rebuilding(versions, versions_now(versions)) ? LFB_ERROR_REBUILDING : LFB_OK;
}

/* Publishes an arrangement in `made` with `filter` as the one that is being built; the caller holds
 * the lock. */
static lfb_status versions_begin(lfb_versions *versions, arrangement *made, lfb_filter *filter)
{
  const lfb_status status = versions_check_idle(versions);

  if (status != LFB_OK)
    return status;
  arrangement *next = versions_copy(versions, made);
  next->filters[BUILDING] = filter;
  versions->beginner = lfb_forks();
  versions_arrange(versions, next);
  return LFB_OK;
}

lfb_status lfb_versions_begin_rebuild_with(lfb_versions *versions, lfb_filter *filter)
{
  if (lfb_section_inside())
    return LFB_ERROR_IN_SECTION;
  /* Without the lock, here and in versions_end(): fork() waits for the lock, and an allocator's own
   * handlers may hold its locks by then. */
  arrangement *next = malloc(sizeof *next), *spare = malloc(sizeof *spare);
  lfb_status status = LFB_ERROR_NO_MEMORY;
  if (next != NULL && spare != NULL) {
    lfb_sections_lock();
    status = versions_unlock(versions, versions_begin(versions, next, filter));
  }
  if (status != LFB_OK) {
    free(next);
    free(spare);
    return status;
  }
  /* Until every put that may have seen an older arrangement has ended.  The loader finds the keys
   * of these puts in its source. */
  lfb_section_wait();
  lfb_sections_lock();
  versions->spare = spare;
  return versions_unlock(versions, LFB_OK);
}

lfb_status lfb_versions_begin_rebuild(lfb_versions *versions, const lfb_config *config,
                                      lfb_filter **building)
{
  lfb_filter *filter;

  /* Checked before a filter is made, so that none is made only to be refused. */
  if (lfb_section_inside())
    return LFB_ERROR_IN_SECTION;
  lfb_sections_lock();
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
  arrangement *made = built ? NULL : malloc(sizeof *made);

  if (!built && made == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_sections_lock();
  lfb_filter *one = versions_now(versions)->filters[from];
  if (built ? versions->spare == NULL : one == NULL) {
    lfb_sections_unlock();
    free(made);
    return built ? LFB_ERROR_NOT_REBUILDING : LFB_ERROR_NO_PREVIOUS;
  }
  arrangement *next = versions_copy(versions, built ? versions->spare : made);
  if (built)
    versions->spare = NULL;
  next->filters[from] = NULL;
  if (use) {
    next->filters[PREVIOUS] =
        previous == LFB_KEEP_PREVIOUS && next->number != 0 ? next->filters[CURRENT] : NULL;
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
  lfb_sections_lock();
  /* One poll suffices if no section is in progress.  While sections come and go, a poll moves the
   * epoch on by one at most, and what was retired waits for two. */
  for (int i = 0; i < 3 && versions->dropped > 0; i++)
    lfb_section_poll(versions->retired);
  const uint64_t dropped = versions->dropped;
  (void)versions_unlock(versions, LFB_OK);
  return dropped;
}

/* ---- creating and freeing --------------------------------------------------- */

/* Makes the first arrangement. */
static lfb_status versions_begin_life(lfb_versions *versions, lfb_filter *filter, uint64_t number)
{
  arrangement *first = calloc(1, sizeof *first);

  if (first == NULL)
    return LFB_ERROR_NO_MEMORY;
  first->number = number;
  first->since = number == 0 ? 0 : (uint64_t)time(NULL);
  first->filters[CURRENT] = filter;
  first->of = versions;
  /* relaxed: the caller publishes the handle. */
  atomic_store_explicit(&versions->now, first, memory_order_relaxed);
  return LFB_OK;
}

/* Frees a handle and what it has retired, but not the filters of its arrangement. */
static void versions_discard(lfb_versions *versions)
{
  if (versions->retired != NULL)
    lfb_section_free_retired(versions->retired);
  versions_free_gone(versions->gone);
  free(versions->spare);
  free(versions_now(versions));
  free(versions);
}

static lfb_status versions_make(lfb_filter *filter, uint64_t number, lfb_versions **versions)
{
  lfb_versions *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  const lfb_status status = versions_begin_life(made, filter, number);
  made->retired = lfb_section_retired();
  if (status != LFB_OK || made->retired == NULL) {
    versions_discard(made);
    return LFB_ERROR_NO_MEMORY;
  }
  *versions = made;
  return LFB_OK;
}

lfb_status lfb_versions_create_with(lfb_filter *filter, lfb_versions **versions)
{
  return versions_make(filter, 1, versions);
}

/* Makes a filter that answers "maybe" to every query: one block, and all of its bits set. */
static lfb_status versions_make_full(lfb_filter **filter)
{
  const lfb_config config = {.fpp = 0.5, .strategy = LFB_FAST, .hash = LFB_HASH_XXH3, .seed = 1};
  lfb_stats stats = {.saturated = false};

  const lfb_status status = lfb_filter_create(&config, filter);
  for (uint64_t key = 0; status == LFB_OK && !stats.saturated; key++) {
    (void)lfb_filter_put_u64(*filter, key);
    lfb_filter_stats(*filter, &stats);
  }
  return status;
}

lfb_status lfb_versions_create_waiting(lfb_versions **versions)
{
  lfb_filter *full;

  lfb_status status = versions_make_full(&full);
  if (status != LFB_OK)
    return status;
  status = versions_make(full, 0, versions);
  if (status != LFB_OK)
    lfb_filter_free(full);
  return status;
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
  for (int i = 0; i < ROLES; i++)
    lfb_filter_free(versions_now(versions)->filters[i]);
  versions_discard(versions);
}
