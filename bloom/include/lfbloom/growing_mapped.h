/*
 * lfbloom/growing_mapped.h - a growing filter in a file that any number of processes have in
 * memory: a key that one process puts, all others find at once, also in a layer that it has just
 * added.
 *
 * Guarantees 1, 2, 3, 4, 5, 12, 13, 16, 19 of docs/guarantees.md.
 *
 * File       One file holds all layers.  A process that finds the newest layer full appends the
 *            next, through the descriptor that it has: no name is needed, so nothing can be put in
 *            a layer's place, and a child that may open nothing can grow the filter too.
 * Found      As lfbloom/growing.h says of threads: here of the threads of all processes.  A
 *            process that adds a layer says so in the file before it puts anything into it.  Each
 *            put, claim and query looks there first, and maps what is new.
 * Blind      If a process cannot map a layer that another one added (its address space is full, or
 *            the program has closed the file's descriptor), the filter answers "maybe" to every
 *            key there, never a wrong "no".  lfb_growing_stats() gives the reason in `stuck`; each
 *            call tries again.
 * Crash      If a process dies, by SIGKILL or otherwise, at whatever instruction: each put that
 *            had returned is found, a layer is there whole or not at all, and the next process
 *            that finds the newest layer full goes on from there.  After a crash of the system:
 *            what was put before the last lfb_growing_mapped_sync().
 * Count      As lfbloom/mapped.h.  To know when a layer is full, its file also has a sum of the
 *            bits turned on; a put of a new key adds to it by one locked operation (3 to 7 ns).
 *            A process that dies in between leaves this sum low by the bits of one call: the
 *            layer is full a few keys late.
 * Progress   As lfbloom/growing.h.  The first call of a process that sees a new layer maps it, and
 *            enters the kernel; for a query and a claim that is the only time.
 * fork, Trust, Not on  As lfbloom/mapped.h.  Without a call of the system a filter cannot grow.
 */
#ifndef LFBLOOM_GROWING_MAPPED_H
#define LFBLOOM_GROWING_MAPPED_H

#include <lfbloom/growing.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Makes an empty growing filter in a new file, and opens it.  If several processes make it at
 * once, one succeeds; the others may open what it made.
 *
 * Takes  config  as lfb_growing_create(), and file_mode.
 * Fails  as lfb_growing_create() and lfb_mapped_create(): no file is left.
 * Owner  the caller, until lfb_growing_mapped_close() or lfb_growing_free().
 */
LFB_API lfb_status lfb_growing_mapped_create(const char *path, const lfb_config *config,
                                             lfb_growing **growing);

/*
 * Opens one for putting and querying.
 *
 * Takes  limits  its max_bytes, of all layers together, and key are used; NULL for none.
 * Fails  as lfb_mapped_open(), and
 *        LFB_ERROR_NOT_GROWING  it is a plain filter
 *        LFB_ERROR_OLD_GROWING  it is the head of a filter in several files, as an earlier
 *                               version of this library made them
 * Owner  as lfb_growing_mapped_create().
 */
LFB_API lfb_status lfb_growing_mapped_open(const char *path, const lfb_read_limits *limits,
                                           lfb_growing **growing);

/* Opens one for querying alone, as lfb_mapped_open_read_only(). */
LFB_API lfb_status lfb_growing_mapped_open_read_only(const char *path,
                                                     const lfb_read_limits *limits,
                                                     const lfb_growing **growing);

/*
 * Makes durable what was put before the call: every layer, the head and the file's name.
 *
 * Fails  as lfb_growing_stats() says in `stuck` where a layer cannot be mapped, and as
 *        lfb_mapped_sync(): by what failed first; the others are synced all the same.
 */
LFB_API lfb_status lfb_growing_mapped_sync(const lfb_growing *growing);

/* Closes one that no call is using: lfb_growing_free() by another name, for a const one too.
 * The file stays. */
LFB_API void lfb_growing_mapped_close(const lfb_growing *growing);

#ifdef __cplusplus
}
#endif

#endif
