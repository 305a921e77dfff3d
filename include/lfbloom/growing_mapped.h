/*
 * lfbloom/growing_mapped.h - a growing filter in a file that any number of processes map into
 * memory: when one process puts a key, all others find it at once, also in a new layer.
 *
 * File       One file holds all layers.  A process that finds the newest layer full appends the
 *            next one through its open descriptor.  It needs no name, so nothing can be put in a
 *            layer's place, and a child process that may open nothing can grow the filter, too.
 *
 * Guarantees
 *
 * Found      As in lfbloom/growing.h, for the threads of all processes.  A process that adds a
 *            layer records it in the file before it puts anything into it.  Each put, claim and
 *            query reads that record first, and maps new layers.
 * Blind      A process may be unable to map a layer that another one added: its address space is
 *            full, or the program closed the file's descriptor.  Then its queries return true for
 *            every key, never a wrong "absent".  lfb_growing_stats() reports the reason in `stuck`;
 *            each call tries again.
 * Crash      If a process dies, by SIGKILL or otherwise, at any instruction, each put that had
 *            returned is found.  A layer exists completely or not at all, and the next process that
 *            finds the newest layer full continues from there.  After a crash of the operating
 *            system, all that was put before the last lfb_any_sync() is found.
 * Count      As in lfbloom/mapped.h.  The file also has a sum of each layer's bits turned on, which
 *            tells when the layer is full.  A put of a new key adds to it by one locked operation
 *            (3 to 7 ns).  If a process dies before it adds, the sum stays low by the bits of one
 *            call: the layer is full a few keys late.
 * Progress   As in lfbloom/growing.h.  A query makes system calls only to map a layer that is new
 *            to its process.  A put or claim makes them for that, and to add a layer.
 *
 * Opening    lfb_any_open() (lfbloom/any.h).
 * Syncing    lfb_any_sync() makes every layer, the head and the file's name durable.  It fails if a
 *            layer cannot be mapped, with the status that lfb_growing_stats() reports in `stuck`,
 *            and as lfb_mapped_sync().  If several parts fail, it returns the first failure; the
 *            other parts are synced nevertheless.
 *
 * fork, Trust, Not on  As in lfbloom/mapped.h.  Without system calls a filter cannot grow.
 *
 * Which calls may run at once: as in lfbloom/mapped.h.
 */
#ifndef LFBLOOM_GROWING_MAPPED_H
#define LFBLOOM_GROWING_MAPPED_H

#include <lfbloom/growing.h>

LFB_EXTERN_C_BEGIN

/*
 * Makes an empty growing filter in a new file, and opens it.  If several processes make the same
 * file at once, one succeeds; the others may open what it made.
 *
 * Takes  config  as lfb_growing_create(), and file_mode.
 * Fails  as lfb_growing_create() and lfb_mapped_create(): no file is left.
 * Owner  the caller, until lfb_growing_free(); the file stays.
 */
LFB_CHECKED lfb_status lfb_growing_mapped_create(const char *path, const lfb_config *config,
                                                 lfb_growing **growing);

LFB_EXTERN_C_END

#endif
