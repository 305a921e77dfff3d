/*
 * epoch_ck.h - ConcurrencyKit's epochs as they are: what atomic/epoch.h stands on.
 *
 * Floor 1.  May include: floor 0.
 *
 * epoch_ck.c alone includes ck_epoch.h, and alone is compiled without ThreadSanitizer:
 * ck's barriers are assembly that the sanitizer cannot see, so that it would report races
 * where there are none.  Whoever calls this says to the sanitizer what it orders.
 *
 * Source: Concurrency Kit, ck_epoch.h and ck_epoch.c, 0.7; Fraser, "Practical
 * Lock-Freedom", 2004; the barrier by the writer: Desnoyers et al., "User-Level
 * Implementations of Read-Copy Update", 2012.
 */
#ifndef LFB_ATOMIC_EPOCH_CK_H
#define LFB_ATOMIC_EPOCH_CK_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LFB_CK_SIZE = 256, /* bytes of an epoch or a place: whole cache lines */
  /* The word of an epoch, on the line of ck's counter, that is not 0 where the writer
   * brings the barrier for the readers: as the system can, or as a test wants it. */
  LFB_CK_BY_WRITER = 7,
};

/* An epoch, and a place in it from which one thread at a time enters; all zero at first,
 * on a cache line.  A place, once entered, stays in its epoch's list. */
typedef struct lfb_ck {
  uint64_t room[LFB_CK_SIZE / sizeof(uint64_t)];
} lfb_ck;

/* What waits to be reclaimed: the first part of it. */
typedef struct lfb_ck_entry lfb_ck_entry;
struct lfb_ck_entry {
  void *ck[2];                         /* ck_epoch_entry_t                 */
  void (*reclaim)(lfb_ck_entry *entry); /* called once nobody can have it   */
};

void lfb_ck_init(lfb_ck *epoch);

/* Enters; may be nested.  Plain stores where the system has membarrier(2), Linux 4.14;
 * else a locked operation. */
void lfb_ck_enter(lfb_ck *epoch, lfb_ck *place);

/* Leaves; whether that was the outermost section of the place. */
bool lfb_ck_leave(lfb_ck *place);

/* Whether the place is in a section. */
bool lfb_ck_inside(const lfb_ck *place);

/* Has `entry` reclaimed by a later poll of the same place. */
void lfb_ck_retire(lfb_ck *epoch, lfb_ck *place, lfb_ck_entry *entry);

/* Looks at all places, and reclaims what was retired at this one and nobody can have.
 * Enters the kernel. */
void lfb_ck_poll(lfb_ck *epoch, lfb_ck *place);

#ifdef __cplusplus
}
#endif

#endif
