/*
 * files.h - saving anything to a file, atomically and durably, and loading it: what
 * lfb_filter_save() and lfb_filter_load() say of filters.
 */
#ifndef LFB_BLOOM_FILES_H
#define LFB_BLOOM_FILES_H

#include "bloom/files/forms.h"

/* What a file is to hold. */
typedef struct lfb_content {
  const void *what;
  bool secret; /* the file is for its owner alone             */
  bool shared; /* processes put into it: a new file is, too   */
  lfb_status (*write)(const void *what, const lfb_writer *writer);
} lfb_content;

/* Saves it.  Fails as lfb_filter_save(), forms apart. */
lfb_status lfb_file_save(const lfb_content *content, const char *path);

/* What a file is to be opened as. */
typedef struct lfb_opening {
  lfb_status (*read)(const lfb_reader *reader, void **made);
  void (*free)(void *made);
} lfb_opening;

/* Reads a file that holds it and nothing else.  Fails: LFB_ERROR_OPEN, _NOT_REGULAR, _READ,
 * _TRAILING_BYTES, or what the opening's `read` returned. */
lfb_status lfb_file_load(const char *path, const lfb_read_limits *limits,
                         const lfb_opening *opening, void **made);

#endif
