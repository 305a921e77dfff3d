/* sections.c - the records of sections: of threads, and of what handles retire (sections.h). */
#define _DEFAULT_SOURCE /* nanosleep */
#include "atomic/threads/sections.h"

#include <ck_stack.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include <lfbloom/word.h>

/* A record, and its place in the list of all records. */
typedef struct section_record {
  ck_epoch_record_t epoch; /* must be the first member */
  ck_stack_entry_t all;
} section_record;

static section_record *section_of(ck_stack_entry_t *all)
{
  return (section_record *)(void *)((char *)all - offsetof(section_record, all));
}

LFB_THREAD_LOCAL lfb_section *lfb_section_mine = NULL;

static ck_epoch_t section_epoch;
static ck_stack_t section_all = CK_STACK_INITIALIZER;
static pthread_mutex_t section_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t section_key;
static bool section_has_key;

static section_record section_reserve[LFB_SECTION_RESERVE];
static lfb_word section_reserve_used; /* can be above LFB_SECTION_RESERVE */

/* What the context of a record in use says: its owner.  It is NULL in a free record. */
static char section_of_thread, section_of_handle;

#ifdef LFB_THREAD_SANITIZER
char lfb_section_grace;
#endif

/* ---- records ------------------------------------------------------------------- */

/* Gives back a record that has nothing pending.  If its thread is in a section, the section
 * ends. */
static void section_give(lfb_section *record)
{
  LFB_SECTION_RELEASE();
  ck_pr_fence_release(); /* ck_epoch_unregister() ends the section by a plain store */
  ck_epoch_unregister(record);
}

static section_record *section_from_reserve(void)
{
  /* relaxed: the index alone is shared; it gives each record away once.  The first look keeps the
   * number from wrapping. */
  if (lfb_word_get(&section_reserve_used) >= LFB_SECTION_RESERVE)
    return NULL;
  const uint64_t next = lfb_add_u64(&section_reserve_used, 1, memory_order_relaxed);
  return next < LFB_SECTION_RESERVE ? &section_reserve[next] : NULL;
}

/* A record that was given back, or a new one.  NULL if there is none. */
static lfb_section *section_get(void *owner, bool reserved)
{
  lfb_section *given = ck_epoch_recycle(&section_epoch, owner);

  if (given != NULL) {
    LFB_SECTION_ACQUIRE();
    return given;
  }
  section_record *made = aligned_alloc(LFB_CACHE_LINE, sizeof *made);
  if (made == NULL && reserved)
    made = section_from_reserve();
  if (made == NULL)
    return NULL;
  ck_epoch_register(&section_epoch, &made->epoch, owner);
  ck_stack_push_upmc(&section_all, &made->all);
  return &made->epoch;
}

/* Not a point of cancellation: the caller has changes to complete. */
static void section_sleep(long nanoseconds)
{
  const struct timespec span = {.tv_nsec = nanoseconds};
  int before;

  (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  (void)nanosleep(&span, NULL);
  (void)pthread_setcancelstate(before, &before);
}

lfb_section *lfb_section_take(void)
{
  while ((lfb_section_mine = section_get(&section_of_thread, true)) == NULL)
    section_sleep(1000000); /* neither memory nor reserve: until a thread gives a record back */
  if (section_has_key)
    (void)pthread_setspecific(section_key, lfb_section_mine);
  return lfb_section_mine;
}

/* Runs at a thread's exit.  In the first round of destructors a thread inside a section keeps its
 * record, so that other destructors may still leave the section: the address plus one asks for the
 * next round. */
static void section_at_exit(void *given)
{
  const uintptr_t value = (uintptr_t)given;
  lfb_section *record = (lfb_section *)(value & ~(uintptr_t)1);

  if (value % 2 == 0 && record->active > 0 &&
      pthread_setspecific(section_key, (void *)(value + 1)) == 0)
    return;
  lfb_section_mine = NULL;
  section_give(record);
}

bool lfb_section_inside(void)
{
  return lfb_section_mine != NULL && lfb_section_mine->active > 0;
}

/* ---- fork ---------------------------------------------------------------------- */

void lfb_sections_lock(void)
{
  (void)pthread_mutex_lock(&section_mutex);
}

void lfb_sections_unlock(void)
{
  (void)pthread_mutex_unlock(&section_mutex);
}

/* The parent's other threads are in no section of the child. */
static void section_in_child(void)
{
  ck_stack_entry_t *each;

  CK_STACK_FOREACH(&section_all, each) {
    lfb_section *record = &section_of(each)->epoch;
    if (record != lfb_section_mine && ck_epoch_record_ct(record) == &section_of_thread)
      section_give(record);
  }
  lfb_sections_unlock();
}

/* Before constructors without a priority, which may use filters. */
static __attribute__((constructor(101))) void section_begin(void)
{
  ck_epoch_init(&section_epoch);
  section_has_key = pthread_key_create(&section_key, section_at_exit) == 0;
  (void)pthread_atfork(lfb_sections_lock, lfb_sections_unlock, section_in_child);
}

/* ---- reclaiming ------------------------------------------------------------------ */

lfb_section *lfb_section_retired(void)
{
  return section_get(&section_of_handle, false);
}

void lfb_section_free_retired(lfb_section *retired)
{
  ck_epoch_reclaim(retired);
  section_give(retired);
}

void lfb_section_retire(lfb_section *retired, lfb_section_entry *entry,
                        void (*reclaim)(lfb_section_entry *entry))
{
  /* ck_epoch_call() reads the epoch without a barrier.  Without this one it could read an epoch
   * from before the object was unpublished, and ck_epoch_poll(), which dispatches before it scans,
   * would reclaim the object one epoch early. */
  ck_pr_fence_memory();
  ck_epoch_call(retired, entry, reclaim);
}

CK_STACK_CONTAINER(lfb_section_entry, stack_entry, section_entry_of)

void lfb_section_poll(lfb_section *retired)
{
  ck_stack_t reclaimable = CK_STACK_INITIALIZER;
  ck_stack_entry_t *each, *next;

  (void)ck_epoch_poll_deferred(retired, &reclaimable);
  LFB_SECTION_ACQUIRE(); /* before the first reclaim(): a section can have ended during the poll */
  CK_STACK_FOREACH_SAFE(&reclaimable, each, next) {
    lfb_section_entry *entry = section_entry_of(each);
    entry->function(entry);
  }
}

/* ---- counting -------------------------------------------------------------------- */

uint32_t lfb_section_value(void)
{
  return ck_epoch_value(&section_epoch);
}

void lfb_section_step(void)
{
  lfb_section *mine = lfb_section_enter();

  /* In a section of its own: without any section ck_epoch_poll() leaves the epoch as it is. */
  (void)ck_epoch_poll(mine);
  lfb_section_leave(mine);
}

void lfb_section_wait(void)
{
  long nanoseconds = 4000;

  ck_pr_fence_memory();
  const uint32_t began = lfb_section_value();
  for (;;) {
    lfb_section_step();
    lfb_section_step();
    if (lfb_section_value() - began >= 2)
      break;
    section_sleep(nanoseconds);
    if (nanoseconds < 1000000)
      nanoseconds *= 2;
  }
  ck_pr_fence_memory();
  LFB_SECTION_ACQUIRE();
}
