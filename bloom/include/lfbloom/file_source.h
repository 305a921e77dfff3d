/*
 * lfbloom/file_source.h - a file, or the newest file of a directory, as a source for
 * lfbloom/follow.h: each becomes the version once it has been read and verified.
 *
 * Guarantees 14, 19 of docs/guarantees.md.
 *
 * File        It is looked at again when it is another one, or has another size or time of
 *             modification.  Not being there means that there is nothing new.
 * Directory   Of its regular files the one that was modified last, of several the last by
 *             name; never one that is older than the running version's.  Names that begin
 *             with a dot are none: so are the temporary files of lfb_filter_save(), which
 *             is how a file should come there.
 *             A time in the future counts as it stands: until then no file of now is newer.
 * Damage      A file that does not verify is reported, and not looked at again until it
 *             changes; of a directory the next newest is tried.  The running version goes on.
 *             So a file that is copied there in place costs a report or two, no more.  One
 *             that cannot be opened or read is reported likewise, and is tried again each time.
 * Truth       The file is the whole truth: keys that were put through the handle only, and
 *             are not in the file, go with the version that it replaces.
 * Threads     One call at a time.
 */
#ifndef LFBLOOM_FILE_SOURCE_H
#define LFBLOOM_FILE_SOURCE_H

#include <lfbloom/follow.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file, or a directory of files, to follow. */
typedef struct lfb_file_source lfb_file_source;

/* Told of a file that was refused, and why. */
typedef void (*lfb_refused_fn)(void *to, const char *path, lfb_status status);

/*
 * Makes a source of a path, which need not be there yet.
 *
 * Takes  limits   of each file that is read (lfb_filter_load()); copied, what it points to
 *                 must outlive the source; NULL for none.
 *        refused  NULL: nobody is told.
 * Fails  LFB_ERROR_NO_MEMORY.   Owner  the caller, until lfb_file_source_free().
 */
LFB_API lfb_status lfb_file_source_create(const char *path, const lfb_read_limits *limits,
                                          lfb_refused_fn refused, void *to,
                                          lfb_file_source **source);

/* NULL is ignored. */
LFB_API void lfb_file_source_free(lfb_file_source *source);

/* What lfb_follow_create() takes.  Its functions fail with LFB_ERROR_OPEN where a directory
 * cannot be listed, and as lfb_filter_load() where no file is left to be tried. */
LFB_API lfb_source lfb_file_source_functions(lfb_file_source *source);

#ifdef __cplusplus
}
#endif

#endif
