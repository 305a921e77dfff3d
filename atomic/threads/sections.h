/*
 * sections.h - sections of threads, on ConcurrencyKit's ck_epoch: what a thread can see in a
 * section is not reclaimed before it has left the section.
 *
 * A reader enters a section, loads a published pointer, uses the object, and leaves.  An
 * administrator publishes another pointer and retires the old object.  A later poll reclaims the
 * object once every section that could have seen it has been left.
 *
 * One epoch  All sections of the process share one ck_epoch.  A grace period therefore waits for
 *            the sections of all users, and a thread that waits for a grace period must be outside
 *            all sections: lfb_section_inside().
 * Records    A thread takes a record at its first section and gives it back at its exit: in the
 *            second round of destructors of thread-specific data if it is in a section, else in the
 *            first.  A section that the thread is still in then ends.  The number of threads has no
 *            limit.  Records are never freed, since ck_epoch has no way to remove one: each poll
 *            and step scans as many as there ever were at once, about 20 ns each.
 * No memory  If a thread's first section finds no memory, the thread gets one of
 *            LFB_SECTION_RESERVE records in static memory.  If these are in use too, the call
 *            sleeps until it gets a record.
 * Ordering   What a thread did before it left a section happens before the objects that the section
 *            could see are reclaimed, and before lfb_section_wait() returns if the section was in
 *            progress at the call.  The user publishes: store-release before retire, load-acquire
 *            after enter.
 * Progress   enter and leave are wait-free after a thread's first section: an exchange, a few loads
 *            and stores.  Of nested sections only the outermost one executes the exchange.  The
 *            first section allocates; its retries are those of ck_stack_push_upmc(), lock-free.
 *            lfb_section_wait() sleeps until the sections in progress have been left.
 * Stopped    A thread that never runs again inside a section costs the memory of what is retired
 *            from then on, and blocks lfb_section_wait(); nothing else.
 * Signals    A handler may enter and leave if its thread has entered a section before.
 * Fork       A child has the forking thread's sections only.  fork() waits while another thread is
 *            between lfb_sections_lock() and lfb_sections_unlock(), so nothing is allocated there,
 *            and a signal handler must not call fork().
 * Keys       A thread's exit is not noticed if the process has no key of thread-specific data left
 *            when the library is loaded, if pthread_setspecific() finds no memory, or if the
 *            thread's first section is in the last round of destructors.  The thread then costs a
 *            record, and a section that it ends in stays.
 *
 * Source: Fraser, "Practical Lock-Freedom", 2004; ck_epoch.h of ConcurrencyKit 0.7.1.
 */
#ifndef LFB_ATOMIC_SECTIONS_H
#define LFB_ATOMIC_SECTIONS_H

#include <lfbloom/c11.h>
#include <lfbloom/cpu.h>
#include <lfbloom/status.h>
#include <stdbool.h>
#include <stdint.h>

LFB_EXTERN_C_BEGIN

enum { LFB_SECTION_RESERVE = 64 };

/* ck_epoch_record_t and ck_epoch_entry_t; ck_epoch.h does not compile as C++. */
typedef struct ck_epoch_record lfb_section;
typedef struct ck_epoch_entry lfb_section_entry;

/* Makes the calling thread the one administrator of the process's handles, until unlock.  A mutex,
 * held for a scan of the records and no allocation. */
void lfb_sections_lock(void);
void lfb_sections_unlock(void);

/*
 * Makes the list of what one handle retires.
 *
 * Returns NULL if there is no memory.
 * Owner   the caller, until lfb_section_free_retired().
 */
lfb_section *lfb_section_retired(void);

/* Reclaims all that is in the list, without looking for sections, and frees it. */
void lfb_section_free_retired(lfb_section *retired);

/* Retires an object that is no longer published.  A poll of the list calls reclaim(entry) after
 * every section that could see the object has been left.  The caller holds the lock. */
void lfb_section_retire(lfb_section *retired, lfb_section_entry *entry,
                        void (*reclaim)(lfb_section_entry *entry));

/* Reclaims what can be reclaimed now.  The caller holds the lock. */
void lfb_section_poll(lfb_section *retired);

/* Returns after every section that was in progress at the call has been left.  It may also wait for
 * sections that began during the call.  Not inside a section, nor with the lock.  It waits for two
 * steps of the value (Counting, below), and not by ck_epoch_synchronize_wait(), whose scan is not
 * ordered after the epoch that it read where loads are reordered. */
void lfb_section_wait(void);

/* Whether the calling thread is inside a section. */
bool lfb_section_inside(void);

/*
 * Counting: a value that only grows, modulo 2^32.  If a section was in progress when a value was
 * read, it has been left once the value is two higher.
 *
 * Proof  Let section S be in progress when v is read.  S made its record active by a full barrier,
 *        and then read the value, v or lower.  The step from v + 1 to v + 2 scanned all records
 *        after its thread had read v + 1 and executed a full barrier.  So the scan found S's record
 *        active with a value below v + 1, unless S had been left.
 */
uint32_t lfb_section_value(void);

/* Increments the value, unless a section is in progress that began at a lower value.  Any thread
 * may call it. */
void lfb_section_step(void);

#ifndef __cplusplus
#include <ck_epoch.h>

#include "atomic/threads/slots.h"

/* The calling thread's record; NULL before its first section. */
extern LFB_THREAD_LOCAL lfb_section *lfb_section_mine;

/* The slow half of lfb_section_enter(): takes a record. */
lfb_section *lfb_section_take(void);

/* What ThreadSanitizer has to be told: it does not see the barriers of ck_epoch, which are
 * assembly.  It reads them as one lock that each section releases and each grace period
 * acquires. */
#ifdef LFB_THREAD_SANITIZER
/* Not hidden: the amalgamation hides what its sources declare. */
void __tsan_release(void *address) __attribute__((visibility("default")));
void __tsan_acquire(void *address) __attribute__((visibility("default")));
#define LFB_SECTION_RELEASE() __tsan_release(&lfb_section_grace)
#define LFB_SECTION_ACQUIRE() __tsan_acquire(&lfb_section_grace)
extern char lfb_section_grace;
#else
#define LFB_SECTION_RELEASE() ((void)0)
#define LFB_SECTION_ACQUIRE() ((void)0)
#endif

/* Enters a section.  Sections of one thread may be nested, fewer than 2^32 deep.  Gives the record,
 * for lfb_section_leave(). */
LFB_INLINE lfb_section *lfb_section_enter(void)
{
  lfb_section *mine = lfb_section_mine;

  if (__builtin_expect(mine == NULL, 0))
    mine = lfb_section_take();
  ck_epoch_begin(mine, NULL);
  /* Without it, a processor that reorders loads could read a pointer before the epoch: ck 0.7.1 has
   * no fence there, later versions do. */
  ck_pr_fence_load();
  return mine;
}

/* Leaves the calling thread's innermost section. */
LFB_INLINE void lfb_section_leave(lfb_section *mine)
{
  LFB_SECTION_RELEASE();
  (void)ck_epoch_end(mine, NULL);
}
#endif

LFB_EXTERN_C_END

#endif
