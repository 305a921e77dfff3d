/* mapping.c - the row of a mapped filter, leases across a fork, joining and leaving.
 * Floor 13. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MADV_WIPEONFORK */
#include "bloom/mapped/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bloom/restarted.h"

/* What `alive` says. */
enum { ALIVE_NO = 0, ALIVE_YES = 1, ALIVE_LEASING = 2 };

static lfb_strategy mapping_row(const lfb_strategy *plain)
{
  lfb_strategy row = *plain;

  row.put_bytes = row.marked_put_bytes;
  row.put_u64 = row.marked_put_u64;
  row.put_hash = row.marked_put_hash;
  return row;
}

const char *lfb_mapping_fd_path(int fd, char path[LFB_MAPPING_FD_PATH])
{
  (void)snprintf(path, LFB_MAPPING_FD_PATH, "/proc/self/fd/%d", fd);
  return path;
}

int lfb_mapping_reopen(const lfb_mapping *mapping)
{
  char path[LFB_MAPPING_FD_PATH];
  lfb_disk_file again;

  again.fd = lfb_restarted_open(lfb_mapping_fd_path(mapping->disk.fd, path), O_RDWR, 0);
  if (again.fd < 0) /* no /proc: by its path, if that is still the same file */
    again.fd = lfb_restarted_open(mapping->path, O_RDWR | O_NONBLOCK, 0);
  if (again.fd >= 0 && (lfb_disk_look(&again) != LFB_OK ||
                        !lfb_disk_same(&again.id, &mapping->disk.id))) {
    (void)close(again.fd);
    return -1;
  }
  return again.fd;
}

/* Takes a lease in a child, whose fd is its parent's. */
static void mapping_lease_again(lfb_mapping *mapping)
{
  const int fd = lfb_mapping_reopen(mapping);

  mapping->lease = LFB_LEASE_NONE;
  if (fd < 0)
    return;
  const int parents = mapping->disk.fd;
  mapping->disk.fd = fd; /* first, for a child that another thread may fork here */
  (void)close(parents); /* in this process; the parent's stays open, and locked */
  mapping->lease = lfb_leases_take(&mapping->leases, fd);
}

static void mapping_own(const lfb_stripes *stripes);

/* The filter's count, by the lease that it has. */
static lfb_stripes mapping_count(const lfb_mapping *mapping)
{
  lfb_stripes count = lfb_leases_stripes(&mapping->leases, mapping->lease);

  count.ours = mapping->alive;
  count.own = mapping_own;
  return count;
}

/* Makes the lease that the mapping has the filter's.  Nothing but what a lease changes is
 * written: other threads of a child may be reading the rest. */
static void mapping_use_lease(lfb_filter *filter)
{
  lfb_mapping *mapping = filter->mapping;
  const lfb_stripes count = mapping_count(mapping);
  const bool leased = mapping->lease != LFB_LEASE_NONE, writable = mapping->alive != NULL;
  const bool locks = writable && !leased && lfb_leases_can_lock(mapping->disk.fd);

  /* relaxed: nobody claims before the filter has the lease. */
  atomic_store_explicit(&mapping->lent, 0, memory_order_relaxed);
  filter->layout.count.stripes = count.stripes;
  filter->layout.count.owned = count.owned;
  filter->claims.first = (uint32_t)(count.stripes - count.all);
  filter->claims.owned = count.owned;
  filter->claims.lent_map = leased || locks ? &mapping->lent : &count.stripes[count.owned].lent;
  filter->claims.lent_fd = locks ? mapping->disk.fd : -1;
}

/* Makes the filter one of the mapping's, whose lease it has. */
static void mapping_take_filter(lfb_mapping *mapping, lfb_filter *filter)
{
  mapping->row = mapping_row(filter->strategy);
  filter->mapping = mapping;
  filter->strategy = &mapping->row;
  filter->layout.count = mapping_count(mapping);
  filter->claims = (lfb_claims){.places = mapping->places,
                                .mask = mapping->place_count - 1,
                                .each = (lfb_claimant *)(void *)filter->layout.count.all,
                                .count = filter->layout.count.all_count,
                                .lent = LFB_STRIPES_SHARED};
  mapping_use_lease(filter);
}

/* Completes the claims that the last owner of the lease has left. */
static void mapping_adopt(const lfb_filter *filter)
{
  const lfb_claimed in = lfb_core_claimed(filter);

  if (filter->mapping->lease == LFB_LEASE_NONE)
    return;
  const lfb_mark mark = lfb_stripes_begin(&filter->layout.count);
  lfb_claims_adopt(&filter->claims, &in);
  lfb_stripes_end(mark);
}

/* Takes a lease for a process that has none yet. */
static void mapping_own(const lfb_stripes *stripes)
{
  lfb_filter *filter = (lfb_filter *)((uintptr_t)stripes - offsetof(lfb_filter, layout.count));
  lfb_mapping *mapping = filter->mapping;
  uint64_t seen = ALIVE_NO;

  /* acquire: the parent's last word, if this is a child.  A failure: another thread of
   * this process is at it, or has done it. */
  if (!lfb_cas_u64(mapping->alive, &seen, ALIVE_LEASING, memory_order_acquire)) {
    /* acquire: pairs with the release below. */
    while (atomic_load_explicit(mapping->alive, memory_order_acquire) != ALIVE_YES)
      (void)sched_yield();
    return;
  }
  mapping_lease_again(mapping);
  mapping_use_lease(filter);
  /* release: who sees it sees the count. */
  atomic_store_explicit(mapping->alive, ALIVE_YES, memory_order_release);
  mapping_adopt(filter);
}

/* A page that is zero in a child. */
static lfb_word *mapping_alive_page(void)
{
  const size_t size = (size_t)sysconf(_SC_PAGESIZE);
  void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (page == MAP_FAILED)
    return NULL;
  /* Refused before Linux 4.14: then a child must not put, as lfbloom/mapped.h says. */
  (void)madvise(page, size, MADV_WIPEONFORK);
  return page;
}

/* Takes the first lease; false where there is no memory. */
static bool mapping_take_lease(lfb_mapping *mapping)
{
  mapping->alive = mapping_alive_page();
  if (mapping->alive == NULL)
    return false;
  lfb_leases_recover(&mapping->leases, mapping->disk.fd); /* which holds no lease yet */
  mapping->lease = lfb_leases_take(&mapping->leases, mapping->disk.fd);
  /* relaxed: the filter has not been given to another thread yet. */
  atomic_store_explicit(mapping->alive, ALIVE_YES, memory_order_relaxed);
  return true;
}

/* Who only reads cannot write a death down, and remembers it: until somebody else does. */
static void mapping_look_for_dead(lfb_mapping *mapping)
{
  const uint64_t deaths = lfb_leases_deaths(&mapping->leases); /* first: it may be found now */

  mapping->unburied = lfb_leases_have_dead(&mapping->leases, mapping->disk.fd) ? 1 + deaths : 0;
}

lfb_status lfb_mapping_join(lfb_mapping *mapping, lfb_filter *filter, bool writable)
{
  mapping->lease = LFB_LEASE_NONE;
  mapping->alive = NULL;
  if (!writable)
    mapping_look_for_dead(mapping);
  else if (!mapping_take_lease(mapping))
    return LFB_ERROR_NO_MEMORY;
  mapping_take_filter(mapping, filter);
  mapping_adopt(filter);
  return LFB_OK;
}

bool lfb_mapping_is_whole(const lfb_mapping *mapping)
{
  lfb_disk_file now = {.fd = mapping->disk.fd};

  return lfb_disk_look(&now) == LFB_OK && now.size >= mapping->file.size;
}

void lfb_mapping_leave(lfb_mapping *mapping)
{
  if (mapping->alive != NULL) {
    /* relaxed: no other thread uses the filter.  Not in a child that never put: the
     * lease is its parent's; nor in a file that has been cut short: it is not there. */
    if (atomic_load_explicit(mapping->alive, memory_order_relaxed) == ALIVE_YES &&
        lfb_mapping_is_whole(mapping))
      lfb_leases_give(&mapping->leases, mapping->disk.fd, mapping->lease);
    (void)munmap(mapping->alive, (size_t)sysconf(_SC_PAGESIZE));
  }
  if (mapping->file.address != NULL)
    lfb_pages_unmap(&mapping->file);
  if (mapping->disk.fd >= 0)
    (void)close(mapping->disk.fd); /* nothing is written through it */
  free(mapping->path);
  free(mapping);
}

bool lfb_mapping_may_lack(const lfb_mapping *mapping)
{
  return lfb_leases_may_lack(&mapping->leases) ||
         (mapping->unburied != 0 && mapping->unburied == 1 + lfb_leases_deaths(&mapping->leases));
}
