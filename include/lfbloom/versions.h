/*
 * lfbloom/versions.h - a filter that is replaced while threads use it: queries use the current
 * version while the next one is being filled.
 *
 *     lfb_versions_begin_rebuild(versions, &config, &building);  puts go to both from now on
 *     ... fill `building` from the source of truth, on any number of threads ...
 *     lfb_versions_publish(versions, LFB_DROP_PREVIOUS, NULL);   queries use it from now on
 *
 * Guarantees
 *
 * 1. Complete   Queries use a published version, never one that is being filled.  Before the first
 *               one of lfb_versions_create_waiting() each query answers "maybe".
 * 2. No loss    If put(x) returned before might_contain(x) began, in the happens-before sense,
 *               the query returns true.  This holds across begin, publish, abandon and rollback
 *               calls, provided that the loader keeps to 3.
 * 3. Loader     Every put that returns after begin_rebuild has returned is in the new version.
 *               The loader must load every key that was in the source of truth when begin_rebuild
 *               returned; later puts arrive without it.
 *    Source     Write a key to the source, and commit it, before it is put; or do both in one
 *               section (lfb_versions_enter), in any order: begin_rebuild waits for the sections
 *               in progress.  A key that is put first and written to the source later, outside a
 *               section, can be missing from the new version.
 * 4. Numbers    A version gets a 64-bit number when it becomes the current one, higher than all
 *               earlier numbers.  The first is 1; 0 means that there is none yet.  A version that
 *               a rollback restores gets a new number.
 * 5. Freed      A dropped version is freed after every section that could use it has been left.
 *               The administrator's calls free such versions when they find them, without
 *               waiting for sections; lfb_versions_reclaim() does only that.  A section that began
 *               after the version was dropped, of any handle, can delay it too.
 * 6. No claims  There is no claim through a handle.  A claim could be won once in the old version
 *               and once in the new one; to prevent that, every thread would have to wait for the
 *               swap.  A caller that needs claims keeps a separate filter for them.
 *
 * Ordering      Bits: as in lfbloom/filter.h.  What a thread did before begin_rebuild_with or
 *               publish happens before what other threads do with the version once they see it.
 * Progress      enter, leave and queries are wait-free, puts are lock-free, as in
 *               lfbloom/filter.h.  None of them ever waits for an administrator's call.  After a
 *               thread's first call, which allocates, they neither allocate nor enter the kernel.
 *    Threads    Each query and put is a section of its own.  Any number of threads can be in
 *               sections at once.  If a thread's first call finds no memory, it uses a static
 *               reserve for 64 threads; if that is in use too, the call sleeps until another
 *               thread ends.
 *    Mutex      The administrator's calls of all handles of the process take turns by one mutex.
 *               They hold it for less than it takes to scan one record per thread, not while they
 *               allocate, free, make or populate anything, nor while begin_rebuild waits.  A
 *               rollback therefore never waits for a rebuild that begins.  fork() waits for the
 *               mutex too.
 * Handles       The sections of all handles share one epoch (ConcurrencyKit's ck_epoch).  So
 *               begin_rebuild waits also for sections of other handles.  Inside a section of any
 *               handle it fails with LFB_ERROR_IN_SECTION, because it would wait for itself.  A
 *               thread inside a section must not wait for another thread that begins a rebuild.
 * Stopped       If a thread stops in a section and never runs again, versions that are dropped
 *               after it entered stay in memory, and begin_rebuild does not return.  Queries, puts,
 *               rollback, drop_previous and reclaim continue.  While begin_rebuild waits, publish
 *               and abandon return LFB_ERROR_NOT_REBUILDING, and a second begin_rebuild returns
 *               LFB_ERROR_REBUILDING.
 *               A thread that ends in a section leaves it, in the second round of destructors of
 *               thread-specific data; a destructor of the first round may leave it before.
 * Cost          Entering an outermost section is one locked exchange, leaving it one store: 3 ns
 *               of a single query on an AMD Zen 4, 8 ns on an Intel Sapphire Rapids
 *               (docs/performance.md, Versions).  A call inside a held section costs as much as on
 *               a plain filter, and so do calls of many: enter one section per request.
 * Fork          A child has a copy of each handle, and only the sections of the thread that called
 *               fork().  It can use, rebuild and free its copies, and make new handles.  A
 *               begin_rebuild that was waiting in another thread never returns in the child; the
 *               child's next begin_rebuild replaces it.  If it had returned, begin_rebuild returns
 *               LFB_ERROR_REBUILDING in the child: publish or abandon that version first.
 *
 * Which calls may run at once on one handle
 *
 *                   | user's | administrator's | free
 *   user's          |  yes   |       yes       |  no
 *   administrator's |  yes   |  yes, in turn   |  no
 *   free            |  no    |       no        |  no
 *
 *   user's            put, might_contain (each with its _u64), many,
 *                     enter, leave, number, stats
 *   administrator's   begin_rebuild, begin_rebuild_with, publish, abandon, rollback,
 *                     drop_previous, reclaim
 */
#ifndef LFBLOOM_VERSIONS_H
#define LFBLOOM_VERSIONS_H

#include <lfbloom/filter.h>

LFB_EXTERN_C_BEGIN

/* A handle to the versions of a filter. */
typedef struct lfb_versions lfb_versions;

/* What happens to the version that publish replaces. */
typedef enum lfb_previous {
  LFB_DROP_PREVIOUS = 0, /* freed once no section uses it                     */
  LFB_KEEP_PREVIOUS = 1, /* for lfb_versions_rollback(); puts go to it, too   */
} lfb_previous;

/*
 * Makes a handle with an empty filter as its first version.
 *
 * Fails  as lfb_filter_create().
 * Owner  the caller, until lfb_versions_free().
 */
LFB_CHECKED lfb_status lfb_versions_create(const lfb_config *config, lfb_versions **versions);

/* Makes a handle with an existing filter as its first version; the handle then owns it.  Fails:
 * LFB_ERROR_NO_MEMORY; the caller still owns the filter. */
LFB_CHECKED lfb_status lfb_versions_create_with(lfb_filter *filter, lfb_versions **versions);

/*
 * Makes a handle without a version, for a filter with keys that come from elsewhere
 * (lfbloom/follow.h): an empty first version would deny every key until they have come.  Until the
 * first version is published, the number is 0, each query answers "maybe", and a put changes
 * nothing and returns false (or goes to the version that is being built).  The first publish has no
 * previous version to keep.
 *
 * Fails  LFB_ERROR_NO_MEMORY.
 */
LFB_CHECKED lfb_status lfb_versions_create_waiting(lfb_versions **versions);

/* Frees a handle with all its versions.  No thread may be in a section or a call of it, except
 * threads that have ended in a section.  NULL is ignored. */
LFB_API void lfb_versions_free(lfb_versions *versions);

/* ---- for all threads ----------------------------------------------------------- */

/*
 * Enters a section.  The version that is current now stays in memory, unchanged by publish and
 * rollback, until the calling thread has left as often as it entered.  Sections may be nested,
 * fewer than 2^32 deep.
 *
 * Use a section for many queries, but leave it in less than a second: it keeps dropped versions in
 * memory and blocks begin_rebuild.  After a publish its filter is still the old version: leave, and
 * enter again for the new one.
 *
 * Gives    number  the version's number; may be NULL.
 * Returns  the version's filter; without a version (number 0) a small one with all bits set.  Until
 *          this thread leaves, any thread may query it, copy it, write it and read its figures.
 *          Put through lfb_versions_put() and the functions like it.
 */
LFB_API const lfb_filter *lfb_versions_enter(const lfb_versions *versions, uint64_t *number);

/* Leaves the calling thread's innermost section. */
LFB_API void lfb_versions_leave(const lfb_versions *versions);

/* Returns the current version's number, or one that was current at some time during the call. */
LFB_API uint64_t lfb_versions_number(const lfb_versions *versions);

/* Put and query, as the functions of lfbloom/filter.h with the same names, on the current version.
 * A put also goes to the version that is being filled and to the previous one, if they exist.
 * Answers are those of the current version. */
LFB_API bool lfb_versions_put(lfb_versions *versions, const void *bytes, size_t size);
LFB_API bool lfb_versions_put_u64(lfb_versions *versions, uint64_t key);
LFB_API bool lfb_versions_might_contain(const lfb_versions *versions, const void *bytes,
                                        size_t size);
LFB_API bool lfb_versions_might_contain_u64(const lfb_versions *versions, uint64_t key);

/* Many keys in one call, in one section: as lfb_filter_many(), for LFB_PUT and
 * LFB_MIGHT_CONTAIN. */
LFB_API size_t lfb_versions_many(const lfb_versions *versions, lfb_verb verb, const void *keys,
                                 size_t count, uint64_t *answers, lfb_key_kind kind);

/* What a handle has in use, and how old it is. */
typedef struct lfb_versions_figures {
  lfb_stats all;         /* of the current version; all 0 without one (number 0)          */
  uint64_t number;       /* of the current version; 0: there is none yet                  */
  uint64_t since;        /* when it became the current one, in seconds since 1970; or 0   */
  uint64_t age;          /* in seconds by the system's clock: of the file that it was read
                            from (all.written), if it was, else since it became current   */
  uint64_t failed_polls; /* of the handle's follower (lfbloom/follow.h), in a row; 0: the
                            last one succeeded, or there is no follower                   */
  uint64_t reserved[8]; /* 0 (lfbloom/status.h) */
} lfb_versions_figures;

/* Writes the figures now, in a section of its own, at the cost of lfb_filter_stats(). */
LFB_API void lfb_versions_stats(const lfb_versions *versions, lfb_versions_figures *figures);

/* ---- for the administrator ------------------------------------------------------ */

/*
 * Begins a new version: an empty filter of any configuration.
 *
 * Gives  building  the filter to fill (3 above), by lfb_filter_put() and the functions like it.
 *                  The handle owns it.  Do not use it after publish or abandon.
 * Fails  as lfb_filter_create(); LFB_ERROR_REBUILDING: another version is being built;
 *        LFB_ERROR_IN_SECTION: the calling thread is inside a section, of any handle.
 * Waits  until the sections in progress have been left, asleep.  It may also wait for sections that
 *        were entered during the call.
 */
LFB_CHECKED lfb_status lfb_versions_begin_rebuild(lfb_versions *versions, const lfb_config *config,
                                                  lfb_filter **building);

/*
 * Begins a new version with a filter that is already filled, for example from a file.  On success
 * the handle owns it.  The loader may put into it until publish or abandon, and must put the keys
 * that the source received after the file was written (3 above).
 *
 * Fails  LFB_ERROR_REBUILDING, _IN_SECTION, _NO_MEMORY; the caller still owns the filter.
 */
LFB_CHECKED lfb_status lfb_versions_begin_rebuild_with(lfb_versions *versions, lfb_filter *filter);

/*
 * Makes the version that is being built the current one, at once, for every section entered from
 * then on.  Call it when the loader has finished.
 *
 * Gives  number  its number; may be NULL.
 * Fails  LFB_ERROR_NOT_REBUILDING.  There is no other failure: begin_rebuild allocated all that
 *        publish needs.
 */
LFB_CHECKED lfb_status lfb_versions_publish(lfb_versions *versions, lfb_previous previous,
                                            uint64_t *number);

/* Drops the version that is being built.  Fails as lfb_versions_publish(). */
LFB_CHECKED lfb_status lfb_versions_abandon(lfb_versions *versions);

/*
 * Makes the previous version the current one again, and drops the current one.  A version that
 * is being built is not affected.
 *
 * Gives  number  its new number; may be NULL.
 * Fails  LFB_ERROR_NO_PREVIOUS: none was kept, or it is already the current one again.
 *        LFB_ERROR_NO_MEMORY.
 */
LFB_CHECKED lfb_status lfb_versions_rollback(lfb_versions *versions, uint64_t *number);

/* Drops the previous version, if it was kept.  Fails: LFB_ERROR_NO_PREVIOUS, _NO_MEMORY. */
LFB_CHECKED lfb_status lfb_versions_drop_previous(lfb_versions *versions);

/* Frees dropped versions that no section can use any more.  Returns how many dropped filters
 * still wait for a section to be left. */
LFB_API uint64_t lfb_versions_reclaim(lfb_versions *versions);

LFB_EXTERN_C_END

#endif
