/*
 * lfbloom/versions.h - a filter that is replaced while it is read: the current version
 * for everybody, and the next one while it is being filled.
 *
 * Guarantees 4, 5, 14, 15, 19 of docs/guarantees.md.
 *
 *     lfb_versions_begin_rebuild(versions, &config, &building);  puts go to both from now on
 *     ... fill `building` from the source of truth, on any number of threads ...
 *     lfb_versions_publish(versions, LFB_DROP_PREVIOUS, NULL);   queries go to it from now on
 *
 * 1. Complete   Queries are answered by a version that was published: never by one that is
 *               being filled.
 * 2. No loss    If put(x) returned before might_contain(x) began, in the happens-before
 *               sense, the answer is true, whatever was begun, published, abandoned or
 *               rolled back meanwhile, provided that the loader keeps to 3.
 * 3. Loader     When begin_rebuild has returned, every put that returns from then on is in
 *               the new version.  The loader has to bring everything else: what was in the
 *               source of truth when begin_rebuild returned.  For that to be all, a key has
 *               to be written to the source either before it is put, or in one section
 *               (lfb_versions_enter) with the put, in any order: begin_rebuild waits for
 *               the sections that were under way.  A key that is put first and written to
 *               the source later, outside a section, can miss the new version.
 * 4. Numbers    A version has a 64-bit number from when it becomes the current one; each is
 *               higher than all before it.  The first is 1.  One that a rollback brings back
 *               gets a new number.
 * 5. Freed      A version that is no longer needed is freed once the last section that
 *               could have it has been left: by the administrator's calls, which look for
 *               such without waiting, or by lfb_versions_reclaim().
 * 6. No claims  through versions: a winner on each side of a swap could not be told from
 *               one winner without every thread waiting for the swap.  Who needs claims
 *               keeps a filter of its own for them.
 *
 * Ordering      As lfbloom/filter.h for bits.  What was done before begin_rebuild_with or
 *               publish happens before what is done with the version by those who see it.
 * Progress      enter, leave and queries are wait-free, puts are lock-free, as
 *               lfbloom/filter.h: none ever waits for an administrator's call.  After a
 *               thread's first they neither allocate nor enter the kernel.  (Where over 1024
 *               living threads have used filters, 64 of those beyond can be in a section
 *               of one handle; a further one waits.)
 *               The administrator's calls take turns by a mutex, which they hold for a few
 *               allocations of less than a page: not while they make, populate or free a
 *               filter, nor while begin_rebuild waits until the sections in progress have been
 *               left.  A rollback therefore never waits for a rebuild that begins.
 * Stopped       A thread that is stopped for ever in a section costs the memory of the
 *               versions that are dropped from then on, and holds up begin_rebuild; queries,
 *               puts and the other calls go on.  So does one that ends in a section: destructors
 *               of its thread-local data may leave what it entered, but only in their first
 *               round.
 * Refused       Where a process denies itself membarrier(2) (a seccomp filter) after it has made
 *               a handle, nothing that is dropped is freed before the handle, and begin_rebuild
 *               does not return: deny it before, or not at all.
 * Cost          A section is a store on entering, one on leaving and a few loads, of the
 *               thread's own cache line and of what is rarely written
 *               (query_present/versions against query_present/fast); where the system has no
 *               membarrier(2), a locked operation more.  In a section that is held a query
 *               is what it is on a filter.
 * Fork          Not across fork(): sections of the parent's other threads are never left in
 *               the child.
 *
 * Threads: which calls may run at once on one handle
 *
 *               | put.. might_contain.. enter leave number | administrator's | free
 *   put..       |                   yes                    |       yes       |  no
 *   administr.  |                   yes                    |  yes, in turn   |  no
 *
 *               The administrator's calls are begin_rebuild.., publish, abandon, rollback,
 *               drop_previous and reclaim.
 */
#ifndef LFBLOOM_VERSIONS_H
#define LFBLOOM_VERSIONS_H

#include <lfbloom/filter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A filter with versions. */
typedef struct lfb_versions lfb_versions;

/* What becomes of the version that publish replaces. */
typedef enum lfb_previous {
  LFB_DROP_PREVIOUS = 0, /* freed once no section has it */
  LFB_KEEP_PREVIOUS = 1, /* for lfb_versions_rollback(); puts go to it as well */
} lfb_previous;

/*
 * Makes a handle whose first version is an empty filter.
 *
 * Fails  as lfb_filter_create().   Owner  the caller, until lfb_versions_free().
 */
LFB_API lfb_status lfb_versions_create(const lfb_config *config, lfb_versions **versions);

/* The same with a filter that is there: the handle's from then on.  Fails:
 * LFB_ERROR_NO_MEMORY; the filter is then the caller's still. */
LFB_API lfb_status lfb_versions_create_with(lfb_filter *filter, lfb_versions **versions);

/* Frees a handle with all its versions; nobody is in a section or call, but threads that have
 * ended in one.  NULL is ignored. */
LFB_API void lfb_versions_free(lfb_versions *versions);

/* ---- for everybody ----------------------------------------------------------- */

/*
 * Enters a section: the current version, which stays what it is, and stays in memory,
 * until the calling thread has left as often as it entered.  Sections may be nested, fewer than 2^28
 * within one another.
 *
 * For many queries at a time; short of seconds, since a section keeps what is dropped in
 * memory and holds up begin_rebuild.  A section sees no newer version.
 *
 * Gives    number  unless NULL: of that version.
 * Returns  the filter, to be asked by any thread until this one leaves.  Puts go through
 *          lfb_versions_put() and its kin.
 */
LFB_API const lfb_filter *lfb_versions_enter(lfb_versions *versions, uint64_t *number);

/* Leaves the calling thread's innermost section. */
LFB_API void lfb_versions_leave(lfb_versions *versions);

/* The current version's number, or one that was it during the call. */
LFB_API uint64_t lfb_versions_number(lfb_versions *versions);

/* As the functions of lfb_filter, on the current version.  puts go to the one that is being
 * filled and to the previous one, where there are such, as well; answers are those of the
 * current one. */
LFB_API bool lfb_versions_put(lfb_versions *versions, const void *bytes, size_t size);
LFB_API bool lfb_versions_put_u64(lfb_versions *versions, uint64_t key);
LFB_API bool lfb_versions_put_hash(lfb_versions *versions, uint64_t hash);
LFB_API bool lfb_versions_put_object(lfb_versions *versions, lfb_funnel funnel,
                                     const void *object);
LFB_API bool lfb_versions_might_contain(lfb_versions *versions, const void *bytes, size_t size);
LFB_API bool lfb_versions_might_contain_u64(lfb_versions *versions, uint64_t key);
LFB_API bool lfb_versions_might_contain_hash(lfb_versions *versions, uint64_t hash);
LFB_API bool lfb_versions_might_contain_object(lfb_versions *versions, lfb_funnel funnel,
                                               const void *object);

/* Many at a time, in one section. */
LFB_API size_t lfb_versions_put_many(lfb_versions *versions, const lfb_key *keys, size_t count,
                                     uint64_t *answers);
LFB_API size_t lfb_versions_put_many_u64(lfb_versions *versions, const uint64_t *keys,
                                         size_t count, uint64_t *answers);
LFB_API size_t lfb_versions_put_many_hash(lfb_versions *versions, const uint64_t *hashes,
                                          size_t count, uint64_t *answers);
LFB_API size_t lfb_versions_might_contain_many(lfb_versions *versions, const lfb_key *keys,
                                               size_t count, uint64_t *answers);
LFB_API size_t lfb_versions_might_contain_many_u64(lfb_versions *versions, const uint64_t *keys,
                                                   size_t count, uint64_t *answers);
LFB_API size_t lfb_versions_might_contain_many_hash(lfb_versions *versions,
                                                    const uint64_t *hashes, size_t count,
                                                    uint64_t *answers);

/* ---- for the administrator ------------------------------------------------------ */

/*
 * Begins a new version: an empty filter, of any configuration.
 *
 * Gives  building  to be filled (3 above) by lfb_filter_put() and its kin; the handle's.
 *                  Its use ends with publish or abandon.
 * Fails  as lfb_filter_create(), and LFB_ERROR_REBUILDING: one is being built already.
 * Waits  until the sections under way have been left: not from inside one.
 */
LFB_API lfb_status lfb_versions_begin_rebuild(lfb_versions *versions, const lfb_config *config,
                                              lfb_filter **building);

/* The same with a filter that has been filled already, a file's say: the handle's from then
 * on.  Fails: LFB_ERROR_REBUILDING, _NO_MEMORY; the filter is then the caller's still. */
LFB_API lfb_status lfb_versions_begin_rebuild_with(lfb_versions *versions, lfb_filter *filter);

/*
 * Makes the version that is being built the current one, at once for everybody who enters
 * from then on: its loader is done.
 *
 * Gives  number  unless NULL: its number.
 * Fails  LFB_ERROR_NOT_REBUILDING; for no other reason: begin_rebuild took what it needs.
 */
LFB_API lfb_status lfb_versions_publish(lfb_versions *versions, lfb_previous previous,
                                        uint64_t *number);

/* Drops the version that is being built.  Fails as lfb_versions_publish(). */
LFB_API lfb_status lfb_versions_abandon(lfb_versions *versions);

/*
 * Makes the previous version the current one again, and drops the current one.  Of a version
 * that is being built nothing changes.
 *
 * Gives  number  unless NULL: its new number.
 * Fails  LFB_ERROR_NO_PREVIOUS: none was kept, or it is the current one again; _NO_MEMORY.
 */
LFB_API lfb_status lfb_versions_rollback(lfb_versions *versions, uint64_t *number);

/* Drops the previous version, if it was kept.  Fails: LFB_ERROR_NO_PREVIOUS, _NO_MEMORY. */
LFB_API lfb_status lfb_versions_drop_previous(lfb_versions *versions);

/* Frees what was dropped and nobody can have any more; how many filters are still waiting
 * for a section to be left. */
LFB_API uint64_t lfb_versions_reclaim(lfb_versions *versions);

#ifdef __cplusplus
}
#endif

#endif
