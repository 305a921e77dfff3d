/*
 * mapping.h - the file of a filter that processes share, and the filter over a range of it; the
 * size, blocks and huge pages of such files; and making one, which has no name until it is
 * complete.
 *
 * Nothing in the file belongs to a thread or a process (docs/formats.md).  Puts work on the words
 * as on words in private memory.  Claims are decided in cells of the file (bloom/filter/claims.h).
 * Bits are counted in the words.  So after the file is mapped, no put, query or claim enters the
 * kernel, and nothing has to be renewed in a child, or recovered after a crash.
 */
#ifndef LFB_BLOOM_MAPPING_H
#define LFB_BLOOM_MAPPING_H

#include "bloom/filter/filter.h"
#include "bloom/files/disk.h"

LFB_EXTERN_C_BEGIN

/* An open file and its mapped part.  At first all fields are zero, and disk.fd is -1. */
struct lfb_mapping {
  lfb_pages pages;    /* from the file's first byte on; address NULL: none */
  lfb_disk_file disk; /* fd -1: none                                       */
  char *path;         /* that was opened; owned                            */
  int lock;           /* a description of the file, for flock(); -1: none  */
  LFB_ATOMIC(uint64_t) locker; /* lfb_forks_process() that opened `lock`; 0: none */
};

/* Makes a mapping that has no file yet.  Fails: LFB_ERROR_NO_MEMORY. */
lfb_status lfb_mapping_begin(const char *path, lfb_mapping **mapping);

/* Maps the first `size` bytes of the open file.  Fails as lfb_pages_map(). */
lfb_status lfb_mapping_map(lfb_mapping *mapping, uint64_t size, bool writable);

/* The address of byte `at` of the file. */
static inline void *lfb_mapping_at(const lfb_mapping *mapping, uint64_t at)
{
  return (char *)mapping->pages.address + at;
}

/* Compares what a head announces, bytes of words and of the whole file, with the limits and with
 * the file's size, `there`.  Fails: LFB_ERROR_OVER_LIMIT, _TRUNCATED, _TRAILING_BYTES. */
lfb_status lfb_mapping_check(uint64_t words, uint64_t size, uint64_t there,
                             const lfb_read_limits *limits);

/* Unmaps and closes the file, and frees the mapping; keeps errno. */
void lfb_mapping_end(lfb_mapping *mapping);

/* Ends the mapping after a failure; returns `status`. */
lfb_status lfb_mapping_abandon(lfb_mapping *mapping, lfb_status status);

/*
 * Makes a filter over words and cells of a mapped file.
 *
 * Takes  words  mapped; `destroy` must unmap them.
 *        count  stripes for the bits turned on from now on, in private memory or in the file; the
 *               filter owns them.
 * Fails  LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_mapping_make_filter(const lfb_description *description, const lfb_pages *words,
                                   lfb_cell *cells, lfb_stripes count,
                                   void (*destroy)(lfb_filter *filter), lfb_filter **filter);

/* Whether the descriptor still is this file's, and the file not shorter than the mapped part.
 * False if this program has closed a descriptor of the library, or any program has cut the file
 * short. */
bool lfb_mapping_is_whole(const lfb_mapping *mapping);

/*
 * Takes or leaves the lock of the file, flock() on a description of its own that was opened before.
 * One thread of a process at a time.  A child of a fork has a copy of that description, by which
 * it would share the lock: it opens its own, by /proc/self/fd or by the path.  Until then the copy
 * keeps the lock of a holder that was killed.  Preparing opens and checks this description, and
 * takes nothing; any thread may prepare if this process has opened its own.
 *
 * Fails  LFB_ERROR_WINDOW_HELD: another has it.  LFB_ERROR_OPEN, with the cause in errno: a child
 *        cannot open the file again; EBADF: the descriptor is closed, or the file was cut short;
 *        only when it is taken: the file system has no locks.
 */
bool lfb_mapping_owns_lock(const lfb_mapping *mapping);
lfb_status lfb_mapping_prepare_lock(lfb_mapping *mapping);
lfb_status lfb_mapping_lock(lfb_mapping *mapping);
void lfb_mapping_unlock(const lfb_mapping *mapping);

/* Makes the file's name durable.  Fails: LFB_ERROR_SYNC, _NO_MEMORY. */
lfb_status lfb_mapping_sync_name(const lfb_mapping *mapping);

/* Makes the mapped part, the file's size and its name durable.  Fails: LFB_ERROR_TRUNCATED,
 * _SYNC, _REPLACED, as lfb_mapped_sync(); _NO_MEMORY. */
lfb_status lfb_mapping_sync(const lfb_mapping *mapping);

/* ---- ranges (ranges.c) ---------------------------------------------------------------------
 *
 * Blocks are reserved when a file is made, opened or grown.  So a full disk is found there, and not
 * by a put, where it would kill the process. */

/* A range of a file that is read or written: from byte `from` up to, but not including, `end`. */
typedef struct lfb_range {
  uint64_t from, end;
} lfb_range;

/* Whether other processes may be putting into the file. */
typedef enum lfb_range_users { LFB_RANGE_ALONE, LFB_RANGE_SHARED } lfb_range_users;

/* Sets the size of a new file.  Fails: LFB_ERROR_WRITE, with the cause in errno: the file is over
 * the process's limit, or the disk is full. */
lfb_status lfb_range_set_size(int fd, uint64_t size);

/*
 * Makes a file long enough for a range and reserves its blocks.  Other processes may do the same
 * concurrently.  The file may become one byte longer.  Fails: as lfb_range_set_size().
 */
lfb_status lfb_range_append(int fd, lfb_range range);

/* Reserves the blocks of a range.  Fails: LFB_ERROR_WRITE. */
lfb_status lfb_range_reserve(int fd, lfb_range range, lfb_range_users users);

/* Puts the words of a file on a tmpfs into huge pages.  They are mapped at `words` and begin at
 * byte `at` of the file.  A failure is ignored: lfb_range_reserve() then reserves the rest. */
void lfb_range_make_huge(int fd, const lfb_pages *words, uint64_t at);

/*
 * Reserves the blocks that a file lacks in `count` ranges.
 *
 * Takes  limited  whether the caller has set a limit to the filter's size.  If not, at most half of
 *                 the free space of the file system is taken, since a forged head can claim any
 *                 size.
 * Fails  LFB_ERROR_WRITE.
 */
lfb_status lfb_range_fill_holes(const lfb_disk_file *file, const lfb_range *ranges, size_t count,
                                bool limited);

/* Refuses holes of a file on a tmpfs: reading one takes memory, fails with SIGBUS if there is none,
 * and a reader cannot reserve it.  On other file systems holes read as zeros and take no space.
 * Fails: LFB_ERROR_MAP. */
lfb_status lfb_range_check_holes(const lfb_disk_file *file, const lfb_range *ranges,
                                 size_t count);

/* ---- making (making.c) ----------------------------------------------------------------- */

/* A file that is being made.  At first all fields are zero. */
typedef struct lfb_making {
  lfb_mapping *mapping;
  const char *path;
  bool named; /* true from the start if the system lacks unnamed files, or /proc to name them */
  bool refused; /* the system does not give a name to an unnamed file: it has no hard links */
} lfb_making;

/*
 * Makes an empty file in the folder of `path`; if making->named is set, with its name.
 *
 * Takes  mode    its permissions, less the process's umask; 0 for 0600.
 *        secret  whether the file will hold a key: then only the owner has permissions.
 * Fails  LFB_ERROR_EXISTS, _OPEN, with the cause in errno, _NO_MEMORY.
 */
lfb_status lfb_making_begin(const char *path, uint32_t mode, bool secret, lfb_making *making);

/* Sets the file's size to the end of its words, maps it, and reserves its front and its words, in
 * huge pages if the system has them.  `lazy` as lfb_config.lazy_memory.  Fails: as
 * lfb_range_reserve() and lfb_mapping_map(). */
lfb_status lfb_making_reserve(const lfb_making *making, lfb_range front, lfb_range words,
                              bool lazy);

/* Writes the head of a mapped file.  Its first bytes are written last, so that a partial head is
 * never taken for a complete one. */
void lfb_making_write_head(const lfb_making *making, const unsigned char *head, size_t size);

/*
 * Gives the file its name and makes the name durable.  If `status` is a failure, no name is left.
 * The mapping stays the caller's; if `status` is a failure, it may have ended already.
 *
 * Fails  as `status`; LFB_ERROR_EXISTS, _OPEN, _SYNC, _NO_MEMORY.
 */
lfb_status lfb_making_end(lfb_making *making, lfb_status status);

/* Whether to make the file once more, now with its name from the start: the name was refused. */
bool lfb_making_again(lfb_making *making);

LFB_EXTERN_C_END

#endif
