/*
 * lfbloom/window_mapped.h - a window filter in a file that any number of processes map into memory:
 * it outlives its processes, and restarts of the host.
 *
 * Guarantees
 *
 * Found, Claims  As in lfbloom/window.h, for the threads of all processes: a key has one winner per
 *            span among all of them.
 * Crash      If a process dies, by SIGKILL or otherwise, at any instruction, each put that had
 *            returned is found.  An advance that it left is completed by the next one.  A claim
 *            that had won stays won, also if its process died before it could use the answer.
 *            After a crash of the operating system, all that was put before the last lfb_any_sync()
 *            is found.
 * Time       The file has the length of a generation, and when each began: lfb_window_tick() of any
 *            process goes on where the last one stopped.
 * Advance    takes a lock of the file (flock()) that the kernel takes back from a process that
 *            dies: a second descriptor, opened with the window.  A child of a fork opens its own
 *            at its first advance, by /proc/self/fd or by the path; LFB_ERROR_OPEN: it can by
 *            neither.  If its parent is killed while it advances, the child holds the lock until
 *            that first advance, or until it ends or executes another program.
 *
 * Opening    lfb_any_open() (lfbloom/any.h): in place with LFB_OPEN_SHARED.  LFB_ERROR_BYTE_ORDER:
 *            the file is of a machine with the other byte order.
 *
 * fork, Trust, Not on  As in lfbloom/mapped.h.
 *
 * Which calls may run at once: as in lfbloom/window.h.
 */
#ifndef LFBLOOM_WINDOW_MAPPED_H
#define LFBLOOM_WINDOW_MAPPED_H

#include <lfbloom/window.h>

LFB_EXTERN_C_BEGIN

/*
 * Makes an empty window in a new file, and opens it.  If several processes make the same file at
 * once, one succeeds; the others may open what it made.
 *
 * Takes  config  as lfb_window_create(), and file_mode.
 * Fails  as lfb_window_create() and lfb_mapped_create(): no file is left.  LFB_ERROR_NO_PAIRS: the
 *        processor has no 16-byte compare-and-exchange, which claims need.
 * Owner  the caller, until lfb_window_free().
 */
LFB_CHECKED lfb_status lfb_window_mapped_create(const char *path, const lfb_window_config *config,
                                                lfb_window **window);

LFB_EXTERN_C_END

#endif
