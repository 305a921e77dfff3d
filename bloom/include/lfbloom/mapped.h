/*
 * lfbloom/mapped.h - one filter in a file that any number of processes have in memory:
 * a key that one process puts, all others find at once.
 *
 * Guarantees 1, 3, 4, 5, 6, 7, 8, 11, 12, 13, 19 of docs/guarantees.md.
 *
 * The file is in the page cache, or on /dev/shm in memory alone.  A filter that is made or
 * opened here is used by lfbloom/filter.h as any other.  Nothing in the file belongs to a thread
 * or a process: there is no lock, no owner, no server and no message, only atomic words.
 *
 * Found, Changed, Progress, Stopped, Not a message  as lfbloom/filter.h says of threads: here of
 *            the threads of all processes, however many there are.  After the file is opened, no
 *            put, query or claim enters the kernel.
 * Crash      If a put had returned, its key is found, whichever process dies, by SIGKILL or
 *            otherwise, at whatever instruction.  A claim that a dead process had won is
 *            completed by the next claim that needs its place; no other claim of that key wins.
 *            After a crash of the system or a power cut: what was put before the last
 *            lfb_mapped_sync().
 * Count      lfb_filter_stats() counts the bits in the words: exact while no put is running, never
 *            above the truth, and right at once after any death.  It takes 0.1 s per GiB; a
 *            caller that asks often uses lfb_filter_stats_recent().
 * Quiet      A put of a key that is present writes to no memory that others read.
 * Opening    takes the same time for any size: pages are mapped as they are touched.
 * fork       A child uses the filter as its parent does, and each of them closes it.  Nothing has
 *            to be opened again: the child may have another user, root directory or limit, or
 *            a seccomp filter that allows no call of the system at all.
 * SIGBUS     What can be checked is checked when the file is opened.  Its blocks are reserved when
 *            it is made, and those that it has lost since (by a sparse copy) when it is opened.
 *            A file that is cut short while it is mapped kills each process that touches what is
 *            gone, as any mapping does.  So replace such a file by another, as
 *            lfb_filter_save() does; never write over it.
 * Trust      A user that can write to the file can make its words say anything, and can cut it
 *            short.  A user that can only read it can do nothing to others.  A new file has mode
 *            0600 unless config.file_mode says otherwise.
 * Not on     file systems whose mappings are not coherent between processes: NFS or FUSE between
 *            several machines.
 */
#ifndef LFBLOOM_MAPPED_H
#define LFBLOOM_MAPPED_H

#include <lfbloom/filter.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Makes an empty filter in a new file and opens it.  The path never names a half-made file.  If
 * several processes make the same file at once, one succeeds; the others may open what it made.
 *
 * A filter that exists gets into such a file by lfb_filter_save() with LFB_FORM_MAPPED.
 *
 * Takes  config  as lfb_filter_create(), and file_mode.  With lazy_memory the file's blocks are
 *                reserved all the same; only their first touch is left for later.
 * Fails  as lfb_filter_create(), and LFB_ERROR_EXISTS, _OPEN, _WRITE (no room, say), _MAP, _SYNC
 *        with the cause in errno: no file is left.  LFB_ERROR_NO_PAIRS: strategy guava-mitz64 on
 *        a machine without a compare-and-exchange of 16 bytes.
 * Owner  the caller, until lfb_mapped_close() or lfb_filter_free().
 */
LFB_API lfb_status lfb_mapped_create(const char *path, const lfb_config *config,
                                     lfb_filter **filter);

/*
 * Opens such a file for putting and querying.
 *
 * Takes  limits  its max_bytes and key are used; NULL for none.  Without max_bytes, blocks that
 *                the file lacks are reserved up to half of what is free on its file system.
 * Fails  LFB_ERROR_OPEN (no permission, a read-only file system, a directory), _READ,
 *        _WRITE (blocks that the file lacks cannot be had), _MAP, with the cause in errno;
 *        LFB_ERROR_NOT_MAPPED (a filter in another form), _OLD_MAPPED (a file of version 1:
 *        lfb_filter_load() reads it), _NO_PAIRS, _UNKNOWN_FORM, _UNKNOWN_VERSION,
 *        _BYTE_ORDER, _BAD_CHECKSUM, _BAD_HEADER, _BAD_STRATEGY, _BAD_PROBES,
 *        _BAD_WORD_COUNT, _TRUNCATED, _TRAILING_BYTES, _KEY_NEEDED, _WRONG_KEY,
 *        _OVER_LIMIT, _NO_MEMORY.
 * Owner  as lfb_mapped_create().
 */
LFB_API lfb_status lfb_mapped_open(const char *path, const lfb_read_limits *limits,
                                   lfb_filter **filter);

/*
 * Opens such a file for querying alone: with permission to read it, on a read-only file
 * system too.  Nothing is written, so a put into it would be a bad access: what is given
 * is const.
 *
 * Fails, Owner  as lfb_mapped_open(); and LFB_ERROR_MAP with ENODATA: a file on a tmpfs lacks
 *        blocks, as a sparse copy does, and to read where they were would take memory, or kill
 *        where there is none.  lfb_mapped_open() gives it its blocks; lfb_filter_load() needs
 *        none.
 */
LFB_API lfb_status lfb_mapped_open_read_only(const char *path, const lfb_read_limits *limits,
                                             const lfb_filter **filter);

/*
 * Makes durable what was put before the call, and the file's name.  Without it the system writes
 * to a disk when it sees fit.
 *
 * Fails  LFB_ERROR_NOT_MAPPED   the filter is in private memory
 *        LFB_ERROR_TRUNCATED    the file has been cut short, or the program has closed its
 *                               descriptor: do not use the filter any more
 *        LFB_ERROR_SYNC         with the cause in errno
 *        LFB_ERROR_REPLACED     done, but the path now leads to another file
 *        LFB_ERROR_NO_MEMORY
 */
LFB_API lfb_status lfb_mapped_sync(const lfb_filter *filter);

/*
 * Closes a filter that no call is using; the file stays.  NULL is ignored, and so is a
 * filter in private memory freed: lfb_filter_free() by another name, for a const one too.
 */
LFB_API void lfb_mapped_close(const lfb_filter *filter);

#ifdef __cplusplus
}
#endif

#endif
