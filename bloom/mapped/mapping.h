/*
 * mapping.h - what a filter in a mapped file has beside its words: a lease on stripes of
 * the file's, which it marks while it puts.
 *
 * Floor 13.  May include: floors 0 to 12.
 *
 * Marks      A put into such a filter marks its stripe first (atomic/stripes.h), so that
 *            a recount can tell what is not counted yet from what never will be: two
 *            plain stores to a line of the thread's own.  A put by call of a new key
 *            takes a tenth longer, of one that is in a seventh; of many nothing
 *            (//bench, put_new/mapped-shm).
 * Fork       The child has its parent's words, file and locks, but must not add to its
 *            parent's stripes.  A page that the kernel empties in the child tells it:
 *            its first put takes a lease of its own.
 */
#ifndef LFB_BLOOM_MAPPING_H
#define LFB_BLOOM_MAPPING_H

#include "atomic/leases.h"
#include "bloom/claims.h"
#include "bloom/core.h"
#include "bloom/disk.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lfb_mapping {
  lfb_strategy row;          /* the filter's: its puts are the marked ones            */
  lfb_word *alive;           /* on a page of its own; 0 in a child that has no lease; NULL
                                in a mapping that is only read                        */
  lfb_leases leases;
  lfb_word *places;          /* of claims                                            */
  lfb_word lent;             /* to this process's threads (bloom/claims.h)           */
  lfb_pages file;            /* all of it                                             */
  char *path;                /* as it was opened                                      */
  uint64_t unburied;         /* in a mapping that is only read: 1 + the deaths found when
                                it was opened, if one was there that nobody had; else 0  */
  uint32_t place_count;
  uint32_t lease;
  lfb_disk_file disk;        /* the file; its fd holds the lease                      */
};

/*
 * Makes the rest of a mapping whose leases, file and fd are there, for a filter over its
 * words; with a lease if the filter is to be written to.  Fails: LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_mapping_join(lfb_mapping *mapping, lfb_filter *filter, bool writable);

/* Gives the lease back and unmaps the file.  Takes a mapping that was joined, or not. */
void lfb_mapping_leave(lfb_mapping *mapping);

/* Whether the file is still as long as what is mapped. */
bool lfb_mapping_is_whole(const lfb_mapping *mapping);

enum { LFB_MAPPING_FD_PATH = sizeof "/proc/self/fd/-2147483648" };

/* A path that leads to an open file, whatever its own is; written to `path`. */
const char *lfb_mapping_fd_path(int fd, char path[LFB_MAPPING_FD_PATH]);

/* An open file description of the file that holds no lock; -1 where there is none. */
int lfb_mapping_reopen(const lfb_mapping *mapping);

/* Whether bits_set may be too low, since a process died while it put. */
bool lfb_mapping_may_lack(const lfb_mapping *mapping);

#ifdef __cplusplus
}
#endif

#endif
