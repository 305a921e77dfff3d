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

/* How the content of a file is read, and freed again. */
typedef struct lfb_opening {
  lfb_status (*read)(const lfb_reader *reader, void **made);
  void (*free)(void *made);
} lfb_opening;

/* Reads a file that has this content and nothing else.  Fails: LFB_ERROR_OPEN, _NOT_REGULAR, _READ,
 * _TRAILING_BYTES, or what the opening's `read` returned. */
lfb_status lfb_file_load(const char *path, const lfb_read_limits *limits,
                         const lfb_opening *opening, void **made);

#endif
