/*
 * files.h - saving any content to a file, atomically and durably, and loading it.
 * lfb_filter_save() and lfb_filter_load() have the contract.
 */
#ifndef LFB_BLOOM_FILES_H
#define LFB_BLOOM_FILES_H

#include "bloom/files/forms.h"

/* The content of a file. */
typedef struct lfb_content {
  const void *what;
  bool secret; /* only the file's owner has permissions                       */
  bool shared; /* processes put into it; a new file is private to its owner   */
  lfb_status (*write)(const void *what, const lfb_writer *writer);
} lfb_content;

/* Saves the content.  Fails as lfb_filter_save(), except for errors of forms. */
lfb_status lfb_file_save(const lfb_content *content, const char *path);

/*
 * Reads a file that has this content and nothing else.
 *
 * Gives  made  what `read` has made, also after a failure; the caller frees it.
 * Fails  LFB_ERROR_OPEN, _NOT_REGULAR, _READ, _TRAILING_BYTES, or what `read` returned.
 */
lfb_status lfb_file_load(const char *path, const lfb_read_limits *limits,
                         lfb_status (*read)(const lfb_reader *reader, void **made), void **made);

#endif
