/* window_mapped.c - a window in a file that processes share: making, opening, syncing. */
#include <lfbloom/window_mapped.h>

#include <errno.h>

#include "atomic/words/reserved.h"
#include "bloom/files/forms.h"
#include "bloom/window/window_files.h"
#include "bloom/files/mapping.h"
#include "bloom/files/mapped_header.h"

_Static_assert(LFB_WINDOW_HEAD + sizeof(lfb_window_head) <= LFB_WINDOW_CELLS &&
                   LFB_WINDOW_HEAD % LFB_CACHE_LINE == 0 &&
                   LFB_WINDOW_PARTS_END == 12288 && sizeof(lfb_window_head) == 328,
               "docs/formats.md: it must not follow a change of this library's structs");

static uint64_t window_file_size(const lfb_window_file *file)
{
  return file->words_at + lfb_window_bytes(&file->geometry);
}

/* Makes the window over a mapped file.  On success it owns the mapping.  The lock is prepared now:
 * later the process may lack descriptors, or /proc. */
static lfb_status window_over(lfb_mapping *mapping, const lfb_window_file *file,
                              lfb_window **window)
{
  const lfb_window_parts parts = {
      .words = {lfb_mapping_at(mapping, file->words_at), lfb_window_bytes(&file->geometry)},
      .mapping = mapping,
      .head = lfb_mapping_at(mapping, LFB_WINDOW_HEAD),
      .cells = lfb_mapping_at(mapping, LFB_WINDOW_CELLS),
      .stripes = lfb_mapping_at(mapping, LFB_WINDOW_STRIPES),
  };

  (void)lfb_slot(); /* the process's first call enters the kernel; no put, query or claim may */
  const lfb_status status = lfb_mapping_prepare_lock(mapping);
  if (status != LFB_OK)
    return status;
  return lfb_window_make(&file->description, &file->config, &file->geometry, &parts, window);
}

/* ---- making ---------------------------------------------------------------------------- */

/* Makes the file of an empty window; the file has no name yet. */
static lfb_status window_fill(const lfb_making *making, const lfb_window_file *file,
                              lfb_window **window)
{
  unsigned char head[LFB_WINDOW_HEADER];
  const lfb_range front = {0, LFB_WINDOW_PARTS_END};
  const lfb_range words = {file->words_at, window_file_size(file)};

  lfb_status status = lfb_making_reserve(making, front, words, file->config.lazy_memory);
  if (status == LFB_OK)
    status = window_over(making->mapping, file, window);
  if (status != LFB_OK)
    return status;
  lfb_window_encode(file, head);
  lfb_making_write_head(making, head, sizeof head);
  return LFB_OK;
}

static lfb_status window_make(const char *path, const lfb_window_file *file, lfb_making *making,
                              lfb_window **window)
{
  lfb_window *made = NULL;

  lfb_status status = lfb_making_begin(path, file->config.file_mode,
                                       lfb_description_writes_key(&file->description), making);
  if (status != LFB_OK)
    return status;
  status = lfb_making_end(making, window_fill(making, file, &made));
  const int cause = errno;
  if (status == LFB_OK)
    *window = made;
  else if (made != NULL)
    lfb_window_free(made);
  else
    lfb_mapping_end(making->mapping);
  errno = cause;
  return status;
}

lfb_status lfb_window_mapped_create(const char *path, const lfb_window_config *config,
                                    lfb_window **window)
{
  lfb_window_file file = {.config = lfb_window_chosen(config)};
  lfb_making making = {.mapping = NULL};

  lfb_status status = lfb_window_describe(&file.config, &file.description, &file.geometry);
  if (status == LFB_OK)
    status = lfb_pair_runs_here() ? LFB_OK : LFB_ERROR_NO_PAIRS;
  if (status != LFB_OK)
    return status;
  file.words_at = lfb_mapped_words_from(LFB_WINDOW_PARTS_END, lfb_window_bytes(&file.geometry));
  do
    status = window_make(path, &file, &making, window);
  while (lfb_making_again(&making));
  return status;
}

/* ---- opening --------------------------------------------------------------------------- */

/* Reads and decodes the header. */
static lfb_status window_locate(int fd, const uint8_t *key, lfb_window_file *file)
{
  unsigned char header[LFB_WINDOW_HEADER];
  size_t got;

  lfb_status status = lfb_disk_read_at(fd, 0, header, sizeof header, &got);
  if (status != LFB_OK)
    return status;
  if (got < LFB_FORM_HEAD)
    return LFB_ERROR_TRUNCATED;
  if (lfb_magic_begun(header) != LFB_MAGIC_WINDOW) {
    status = lfb_form_foreign(header);
    return status == LFB_OK ? LFB_ERROR_NOT_WINDOW : status;
  }
  if (got < sizeof header)
    return LFB_ERROR_TRUNCATED;
  status = lfb_window_decode(header, key, file);
  if (status != LFB_OK)
    return status;
  if (file->words_at == 0)
    return LFB_ERROR_NOT_MAPPED;
  if (file->other_order)
    return LFB_ERROR_BYTE_ORDER;
  return lfb_pair_runs_here() ? LFB_OK : LFB_ERROR_NO_PAIRS;
}

static lfb_status window_open_file(lfb_mapping *mapping, const lfb_read_limits *limits,
                                   lfb_window **window)
{
  lfb_window_file file = {.words_at = 0};

  lfb_status status = lfb_disk_open(mapping->path, true, &mapping->disk);
  if (status == LFB_OK)
    status = window_locate(mapping->disk.fd, limits->key, &file);
  if (status == LFB_OK)
    status = lfb_mapping_check(lfb_window_bytes(&file.geometry), window_file_size(&file),
                               mapping->disk.size, limits);
  if (status != LFB_OK)
    return status;
  const lfb_range ranges[] = {{0, LFB_WINDOW_PARTS_END},
                                {file.words_at, window_file_size(&file)}};
  status = lfb_range_fill_holes(&mapping->disk, ranges, sizeof ranges / sizeof *ranges,
                                 limits->max_bytes != 0);
  if (status == LFB_OK)
    status = lfb_mapping_map(mapping, window_file_size(&file), true);
  if (status != LFB_OK)
    return status;
  const lfb_window_head *head = lfb_mapping_at(mapping, LFB_WINDOW_HEAD);
  /* relaxed: only to refuse a forged file. */
  if (!lfb_window_is_generation(&file.geometry,
                                atomic_load_explicit(&head->generation, memory_order_relaxed)))
    return LFB_ERROR_BAD_HEADER;
  return window_over(mapping, &file, window);
}

/* Always to be changed: of a window that is only queried there are copies. */
lfb_status lfb_window_open(const char *path, const lfb_read_limits *limits, bool shared,
                           lfb_any *any)
{
  const lfb_read_limits none = {0};
  const lfb_read_limits *within = limits == NULL ? &none : limits;
  lfb_mapping *mapping;

  lfb_status status = LFB_RESERVED(within);
  if (status == LFB_OK)
    status = lfb_mapping_begin(path, &mapping);
  if (status != LFB_OK)
    return status;
  (void)shared;
  status = window_open_file(mapping, within, &any->window);
  return status == LFB_OK ? LFB_OK : lfb_mapping_abandon(mapping, status);
}

/* ---- keeping --------------------------------------------------------------------------- */

lfb_status lfb_window_sync(lfb_any any)
{
  lfb_mapping *mapping = any.window->mapping;
  return mapping == NULL ? LFB_ERROR_NOT_MAPPED : lfb_mapping_sync(mapping);
}
