/*
 * lfbloom/file_source.h - a file, or the newest file of a directory, as a source for
 * lfbloom/follow.h: each file that is read and verified becomes the next version.
 *
 * File        It is read again when another file takes its place, or when its size or modification
 *             time changes.  If it does not exist, there is nothing new.
 * Directory   Its regular file with the latest modification time; of several, the last by name.
 *             Never a file older than the running version's.
 *    Names    Names that begin with a dot are ignored, such as the temporary files of
 *             lfb_filter_save(); save files into the directory that way.
 *    Future   A modification time in the future counts unchanged: until then, no file written now
 *             is newer.
 * Damage      A file that does not verify is reported, and ignored until it changes; in a directory
 *             the next newest is tried.  The running version stays.  A file that is copied into
 *             place therefore costs only a report or two.  A file that cannot be opened or read is
 *             reported, too, and is tried again each time.
 * Age         The version's lfb_stats.written is the time in the file's header, or else the file's
 *             modification time: lfb_versions_stats() says how old it is.
 * Truth       The file is the whole truth: keys that were put only through the handle, and are not
 *             in the file, are lost with the version that it replaces.
 *
 * Which calls may run at once on one source: none; one call at a time.
 */
#ifndef LFBLOOM_FILE_SOURCE_H
#define LFBLOOM_FILE_SOURCE_H

#include <lfbloom/follow.h>

LFB_EXTERN_C_BEGIN

/* A file, or a directory of files, to follow. */
typedef struct lfb_file_source lfb_file_source;

/* Receives the path of a file that was refused, and the reason. */
typedef void (*lfb_refused_fn)(void *to, const char *path, lfb_status status);

/*
 * Makes a source of a path, which need not exist yet.
 *
 * Takes  limits   for each file that is read (lfb_filter_load()); copied; what it points to must
 *                 outlive the source; NULL for none.
 *        refused  NULL: not called.
 *        to       its first argument.
 * Fails  LFB_ERROR_NO_MEMORY.
 * Owner  the caller, until lfb_file_source_free().
 */
LFB_CHECKED lfb_status lfb_file_source_create(const char *path, const lfb_read_limits *limits,
                                              lfb_refused_fn refused, void *to,
                                              lfb_file_source **source);

/* Frees a source.  NULL is ignored. */
LFB_API void lfb_file_source_free(lfb_file_source *source);

/* Returns what lfb_follow_create() takes.  The functions fail with LFB_ERROR_OPEN if the directory
 * cannot be listed, and as lfb_filter_load() if no file is left to try. */
LFB_API lfb_source lfb_file_source_functions(lfb_file_source *source);

LFB_EXTERN_C_END

#endif
