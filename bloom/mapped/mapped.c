/* mapped.c - opening, syncing and closing a filter in a mapped file.  Floor 17. */
#define _POSIX_C_SOURCE 200809L
#include <lfbloom/mapped.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bloom/forms/forms.h"
#include "bloom/mapped/mapped.h"
#include "bloom/mapped/room.h"
#include "bloom/restarted.h"

lfb_status lfb_mapped_begin(const char *path, lfb_mapping **mapping)
{
  lfb_mapping *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  made->disk.fd = -1;
  made->path = strdup(path);
  if (made->path == NULL) {
    free(made);
    return LFB_ERROR_NO_MEMORY;
  }
  *mapping = made;
  return LFB_OK;
}

lfb_status lfb_mapped_abandon(lfb_mapping *mapping, lfb_status status)
{
  const int cause = errno;

  lfb_mapping_leave(mapping);
  errno = cause;
  return status;
}

lfb_status lfb_mapped_map(lfb_mapping *mapping, const lfb_mapped_shape *shape, bool writable)
{
  const lfb_status status =
      lfb_pages_map(&mapping->file, mapping->disk.fd, shape->file_size, writable);

  if (status != LFB_OK)
    return status;
  char *start = mapping->file.address;
  mapping->places = (lfb_word *)(void *)(start + LFB_MAPPED_CLAIMS);
  mapping->place_count = LFB_MAPPED_CLAIM_PLACES;
  mapping->leases = (lfb_leases){
      .book = (lfb_lease_book *)(void *)(start + LFB_MAPPED_BOOK),
      .states = (lfb_word *)(void *)(start + LFB_MAPPED_STATES),
      .lines = (lfb_stripe *)(void *)(start + lfb_mapped_lines_at(shape)),
      .count = shape->leases,
      .owned = shape->owned,
  };
  return LFB_OK;
}

/* Looks at what a file that is mapped has behind its filter's last bit. */
static lfb_status mapped_check_end(const lfb_mapping *mapping, const lfb_mapped_shape *shape,
                                   const lfb_geometry *geometry)
{
  const lfb_word *words =
      (const lfb_word *)(const void *)((char *)mapping->file.address + shape->words_at);
  const uint64_t last = lfb_word_get(&words[geometry->word_count - 1]);

  return lfb_form_overhangs(geometry, last) ? LFB_ERROR_BAD_HEADER : LFB_OK;
}

lfb_status lfb_mapped_over(lfb_mapping *mapping, const lfb_mapped_shape *shape,
                                const lfb_description *description, lfb_filter **filter)
{
  const lfb_pages words = {(char *)mapping->file.address + shape->words_at,
                           description->geometry.word_count * sizeof(lfb_word)};

  return lfb_core_make_over(description, &words,
                            lfb_leases_stripes(&mapping->leases, LFB_LEASE_NONE), filter);
}

/* Reads the head of the file. */
static lfb_status mapped_read_head(int fd, unsigned char header[LFB_MAPPED_HEADER])
{
  size_t have;

  const lfb_status status = lfb_disk_read_head(fd, header, LFB_MAPPED_HEADER, &have);
  if (status != LFB_OK)
    return status;
  if (have >= LFB_FORM_HEAD && !lfb_mapped_begins(header))
    return lfb_form_begun(header) == LFB_FORM_NONE ? LFB_ERROR_UNKNOWN_FORM
                                                   : LFB_ERROR_NOT_MAPPED;
  return have < LFB_MAPPED_HEADER ? LFB_ERROR_TRUNCATED : LFB_OK;
}

/* Compares what the head claims with what is there. */
static lfb_status mapped_check(const lfb_mapped_shape *shape, const lfb_geometry *geometry,
                               const lfb_read_limits *limits, uint64_t there)
{
  if (limits->max_bytes != 0 && geometry->word_count * sizeof(lfb_word) > limits->max_bytes)
    return LFB_ERROR_OVER_LIMIT;
  if (there != shape->file_size)
    return there < shape->file_size ? LFB_ERROR_TRUNCATED : LFB_ERROR_TRAILING_BYTES;
  return LFB_OK;
}

static lfb_status mapped_open_mapping(lfb_mapping *mapping, const lfb_read_limits *limits,
                                      bool writable, lfb_filter **filter)
{
  unsigned char header[LFB_MAPPED_HEADER];
  lfb_description description;
  lfb_mapped_shape shape;
  lfb_filter *made;
  bool other;

  lfb_status status = lfb_disk_open(mapping->path, writable, &mapping->disk);
  if (status == LFB_OK)
    status = mapped_read_head(mapping->disk.fd, header);
  if (status == LFB_OK)
    status = lfb_mapped_decode(header, limits->key, &shape, &other, &description);
  if (status == LFB_OK && other)
    status = LFB_ERROR_BYTE_ORDER;
  if (status == LFB_OK)
    status = mapped_check(&shape, &description.geometry, limits, mapping->disk.size);
  if (status == LFB_OK)
    status = (writable ? lfb_room_fill_holes : lfb_room_check_holes)(&mapping->disk, &shape);
  if (status == LFB_OK)
    status = lfb_mapped_map(mapping, &shape, writable);
  if (status == LFB_OK)
    status = mapped_check_end(mapping, &shape, &description.geometry);
  if (status == LFB_OK)
    status = lfb_mapped_over(mapping, &shape, &description, &made);
  if (status != LFB_OK)
    return status;
  status = lfb_mapping_join(mapping, made, writable);
  if (status != LFB_OK) {
    free(made);
    return status;
  }
  *filter = made;
  return LFB_OK;
}

static lfb_status mapped_open(const char *path, const lfb_read_limits *limits, bool writable,
                              lfb_filter **filter)
{
  const lfb_read_limits none = {0};
  lfb_mapping *mapping;

  lfb_status status = lfb_mapped_begin(path, &mapping);
  if (status != LFB_OK)
    return status;
  status = mapped_open_mapping(mapping, limits == NULL ? &none : limits, writable, filter);
  return status == LFB_OK ? LFB_OK : lfb_mapped_abandon(mapping, status);
}

lfb_status lfb_mapped_open(const char *path, const lfb_read_limits *limits, lfb_filter **filter)
{
  return mapped_open(path, limits, true, filter);
}

lfb_status lfb_mapped_open_read_only(const char *path, const lfb_read_limits *limits,
                                     const lfb_filter **filter)
{
  lfb_filter *made;
  const lfb_status status = mapped_open(path, limits, false, &made);

  if (status == LFB_OK)
    *filter = made;
  return status;
}

lfb_status lfb_mapped_sync(const lfb_filter *filter)
{
  const lfb_mapping *mapping = filter->mapping;

  if (mapping == NULL)
    return LFB_ERROR_NOT_MAPPED;
  if (!lfb_mapping_is_whole(mapping))
    return LFB_ERROR_TRUNCATED;
  if (msync(mapping->file.address, (size_t)mapping->file.size, MS_SYNC) != 0 ||
      lfb_restarted_sync(mapping->disk.fd) != 0)
    return LFB_ERROR_SYNC;
  return lfb_disk_is(mapping->path, &mapping->disk.id);
}

lfb_status lfb_mapped_recount(lfb_filter *filter)
{
  const lfb_mapping *mapping = filter->mapping;

  if (mapping == NULL)
    return LFB_ERROR_NOT_MAPPED;
  if (!lfb_mapping_is_whole(mapping))
    return LFB_ERROR_TRUNCATED;
  /* By a description of its own: to the filter's, its own lease would look free. */
  const int fd = lfb_mapping_reopen(mapping);
  if (fd >= 0) {
    lfb_leases_recover(&mapping->leases, fd);
    (void)close(fd);
  }
  return lfb_leases_recount(&mapping->leases, &filter->layout.bits);
}

void lfb_mapped_close(const lfb_filter *filter)
{
  lfb_filter_free((lfb_filter *)(uintptr_t)filter);
}
