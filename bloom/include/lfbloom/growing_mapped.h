/*
 * lfbloom/growing_mapped.h - a growing filter in files that any number of processes have in
 * memory: what one puts, the others find at once, also in a layer that it has just added.
 *
 * Floor 8.  May include: lfbloom/growing.h, lfbloom/mapped.h.
 *
 * Guarantees 1, 2, 3, 4, 5, 12, 13, 16, 19 of docs/guarantees.md.
 *
 * Files      PATH is the head: what all layers have alike, and how many there are.  PATH.0,
 *            PATH.1 and so on are the layers, each a mapped filter (lfbloom/mapped.h) by
 *            itself.  Not one file, since that would need a table of where its layers are,
 *            which a process may die while it writes, and room that is taken before it is
 *            known to be wanted.  A layer's file is made whole without a name and then gets
 *            it by link(2), which one process alone can do: what the CAS is in memory.  The
 *            price is that the files belong together, and 65 of them at most.
 * Found      As lfbloom/growing.h says, the threads of all processes being the threads that
 *            it speaks of.  Who adds a layer says so in the head before anything is put into
 *            it; each put, claim and query looks there first, and opens what is new.
 * Blind      A layer that another process has added and this one cannot open (its file is
 *            gone, or the process has too many open) answers "maybe" to every key, never a
 *            wrong "no": no key that is in is lost to a query.  lfb_growing_stats() says why
 *            in `stuck`; each call tries again.
 * Crash      Whoever dies, by SIGKILL or otherwise, in whatever instruction: each put that
 *            had returned is found, a layer is there whole or not at all, and the next who
 *            finds the newest full goes on from there.  A crash of the system: what was put
 *            before the last lfb_growing_mapped_sync().
 * Count      As lfbloom/mapped.h, layer by layer.  A layer whose count is too low is found
 *            full so much later: a few keys for each death until a recount.
 * Progress   put, claim and query as lfbloom/growing.h, but that the first of a process to
 *            see that there is a new layer opens its file, and enters the kernel; for a
 *            query that is the only time.
 * Fork       As lfbloom/mapped.h.
 * Names      The files are not to be renamed or removed while they are open; all of them go
 *            to another place together.
 * Files of   While a layer is small (below 4 MiB), the first 16 processes have stripes of
 * processes  their own in it, for 8 threads each; further ones share some.  Then as
 *            lfbloom/mapped.h.  Each layer is one open file of a process.
 */
#ifndef LFBLOOM_GROWING_MAPPED_H
#define LFBLOOM_GROWING_MAPPED_H

#include <lfbloom/growing.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Makes an empty growing filter in new files, and opens it.  Of several processes that make it
 * at once one succeeds; the others may open what it made.
 *
 * Takes  config  as lfb_growing_create().
 * Fails  as lfb_growing_create() and lfb_mapped_create(); LFB_ERROR_EXISTS where the head or
 *        any layer's name is taken.  No file is left, also where another process has opened
 *        what could not be opened here.
 * Owner  the caller, until lfb_growing_mapped_close() or lfb_growing_free().
 */
LFB_API lfb_status lfb_growing_mapped_create(const char *path, const lfb_config *config,
                                             lfb_growing **growing);

/*
 * Opens one for putting and querying.
 *
 * Takes  limits  its max_bytes, of all layers together, and key are used; NULL for none.
 * Fails  as lfb_mapped_open(), of the head or a layer, and
 *        LFB_ERROR_NOT_GROWING     it is a plain filter
 *        LFB_ERROR_LAYER_MISSING   the head tells of a layer that has no file
 *        LFB_ERROR_LAYER_REPLACED  a layer's file is another growing filter's, or none's
 * Owner  as lfb_growing_mapped_create().
 */
LFB_API lfb_status lfb_growing_mapped_open(const char *path, const lfb_read_limits *limits,
                                           lfb_growing **growing);

/* Opens one for querying alone, as lfb_mapped_open_read_only(). */
LFB_API lfb_status lfb_growing_mapped_open_read_only(const char *path,
                                                     const lfb_read_limits *limits,
                                                     const lfb_growing **growing);

/*
 * Makes durable what was put before the call: every layer, the head, and their names.
 *
 * Fails  as lfb_growing_stats() says in `stuck` where a layer cannot be opened, and as
 *        lfb_mapped_sync(): by what failed first; the others are synced all the same.
 */
LFB_API lfb_status lfb_growing_mapped_sync(const lfb_growing *growing);

/* Makes bits_set of each layer exact after a process died while it put (figures say
 * bits_set_low): lfb_mapped_recount() of each.  Fails as that, and as lfb_growing_mapped_sync()
 * where a layer cannot be opened; the others are recounted all the same. */
LFB_API lfb_status lfb_growing_mapped_recount(lfb_growing *growing);

/* Closes one that no call is using: lfb_growing_free() by another name, for a const one too.
 * The files stay. */
LFB_API void lfb_growing_mapped_close(const lfb_growing *growing);

#ifdef __cplusplus
}
#endif

#endif
