/*
 * lfbloom/mapped.h - one filter in a file that any number of processes have in memory:
 * what one puts, the others find at once.
 *
 * Floor 7.  May include: lfbloom/filter.h.
 *
 * Guarantees 1, 3, 4, 5, 6, 7, 8, 11, 12, 13, 19 of docs/guarantees.md.
 *
 * The file is in the page cache, or on /dev/shm in memory alone.  A filter that is made
 * or opened here is used by lfbloom/filter.h as any other; between the processes there is
 * nothing but atomic words: no lock, no server, no message.
 *
 * Found, Changed, Progress, Stopped, Not a message  as lfbloom/filter.h says, the threads
 *            of all processes being the threads that it speaks of.
 * Crash      What a put that had returned turned on is found by everybody, whoever dies,
 *            by SIGKILL or otherwise, in whatever instruction.  A crash of the system or
 *            the power: what was put before the last lfb_mapped_sync().
 * Count      bits_set is never above the truth, and exact while no put is running and
 *            nobody has died while it put.  Who did leaves a count that is too low by
 *            the bits that it had turned on and not counted.  Whoever opens the file next,
 *            or recounts, notices: from then on stats say bits_set_low, in all processes,
 *            until lfb_mapped_recount() succeeds.  Who opens it read-only notices, too, but
 *            cannot write it down: his stats alone say so, until another's open does.
 *            (Puts by lfbloom/fast.h are outside: a recount while one is between its put
 *            and lfb_fast_count() counts it twice.)
 * Quiet      A put of a key that is already in writes to nothing but a line of the
 *            thread's own.
 * Opening    takes as long whatever the size: pages are mapped as they are touched.
 * Fork       The child goes on with the filter that its parent has opened; its first put
 *            takes a lease on stripes of its own.  Each of them closes it.  (Linux 4.14.)
 *            While a child has not put, it keeps its parent's lease: the parent's death
 *            is noticed once the child has put, closed, or ended.
 * SIGBUS     What can be checked is checked when the file is opened, and its blocks are
 *            allocated when it is made, or are when it is opened, if it has lost them (by
 *            a sparse copy) and the file system can.  A file that is cut short while it is mapped
 *            kills whoever touches what is gone, as any mapping does: replace such a
 *            file by another (lfb_filter_save() does), never write over it.
 * Trust      Whoever can write to the file can make its words say anything, and can cut
 *            it short: share it with those alone whom you would trust with that.
 *
 * The first 64 processes that have the file open add to stripes of their own; further
 * ones, and all where the file system has no locks, share a few: new keys are slower.
 */
#ifndef LFBLOOM_MAPPED_H
#define LFBLOOM_MAPPED_H

#include <lfbloom/filter.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Makes an empty filter in a new file, of whose name nobody sees a half-made file, and
 * opens it.  Of several processes that make the same file at once one succeeds; the
 * others may open what it made.  Its directory decides where the bits are kept.
 *
 * A filter that exists can be had in such a file too: lfb_filter_save() with
 * LFB_FORM_MAPPED.  (What lfb_filter_write() gives a stream says bits_set_low: the count
 * comes before words that may gain bits meanwhile.)
 *
 * Takes  config  as lfb_filter_create(); with lazy_memory the file's blocks are reserved
 *                all the same, and only their first touch is left for later.
 * Fails  as lfb_filter_create(), and LFB_ERROR_EXISTS, _OPEN, _WRITE (no room, say), _MAP,
 *        with the cause in errno: no file is left.
 * Owner  the caller, until lfb_mapped_close() or lfb_filter_free().
 */
LFB_API lfb_status lfb_mapped_create(const char *path, const lfb_config *config,
                                     lfb_filter **filter);

/*
 * Opens such a file for putting and querying.  Leases of processes that have died are
 * recovered.
 *
 * Takes  limits  its max_bytes and key are used; NULL for none.
 * Fails  LFB_ERROR_OPEN (no permission, a read-only file system, a directory), _READ,
 *        _WRITE (blocks that the file lacks cannot be had), _MAP, with the cause in errno;
 *        LFB_ERROR_NOT_MAPPED (a filter in another form), _UNKNOWN_FORM, _UNKNOWN_VERSION,
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
 * Makes durable what was put before the call.  (Without it the system writes to a disk
 * when it sees fit.)
 *
 * Fails  LFB_ERROR_NOT_MAPPED   the filter is in private memory
 *        LFB_ERROR_TRUNCATED    the file has been cut short: do not use the filter any more
 *        LFB_ERROR_SYNC         with the cause in errno
 *        LFB_ERROR_REPLACED     done, but whoever opens the path gets another file
 */
LFB_API lfb_status lfb_mapped_sync(const lfb_filter *filter);

/*
 * Makes bits_set exact after a process died while it put (stats say bits_set_low), by
 * counting the bits: about 0.1 s a GiB, while everybody goes on.  Run it in a thread of
 * its own to have it in the background; several at once do no harm.
 *
 * Fails  LFB_ERROR_NOT_MAPPED, _TRUNCATED, _NO_MEMORY
 *        LFB_ERROR_COUNT_MOVED  others put meanwhile, or one is stopped in the middle of a
 *                               put: bits_set is less too low than it was, or as before;
 *                               try again when they are quieter, or it goes on
 */
LFB_API lfb_status lfb_mapped_recount(lfb_filter *filter);

/*
 * Closes a filter that no call is using; the file stays.  NULL is ignored, and so is a
 * filter in private memory freed: lfb_filter_free() by another name, for a const one too.
 */
LFB_API void lfb_mapped_close(const lfb_filter *filter);

#ifdef __cplusplus
}
#endif

#endif
