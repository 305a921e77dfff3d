/* mapped.c - making, opening, syncing and closing a filter in a mapped file. */
#include <lfbloom/mapped.h>

#include <errno.h>

#include "bloom/files/forms.h"
#include "bloom/shared/mapped_header.h"
#include "bloom/shared/making.h"
#include "bloom/shared/room.h"

enum { MAPPED_ROOMS = 2 };

/* The ranges of the file that are used. */
static void mapped_rooms(const lfb_mapped_shape *shape, lfb_room rooms[MAPPED_ROOMS])
{
  rooms[0] = (lfb_room){0, LFB_MAPPED_CELLS_END};
  rooms[1] = (lfb_room){shape->words_at, shape->file_size};
}

static lfb_pages mapped_words(const lfb_mapping *mapping, const lfb_mapped_shape *shape)
{
  return (lfb_pages){lfb_mapping_at(mapping, shape->words_at),
                     shape->file_size - shape->words_at};
}

/* Frees a filter's count and ends its mapping. */
static void mapped_leave(lfb_filter *filter)
{
  lfb_stripes_free(&filter->layout.count);
  lfb_mapping_end(filter->mapping);
}

/* Makes the filter over a mapped file.  On success it owns the mapping.  The bits that this process
 * turns on are counted in private memory. */
static lfb_status mapped_over(lfb_mapping *mapping, const lfb_mapped_shape *shape,
                              const lfb_description *description, lfb_filter **filter)
{
  const lfb_pages words = mapped_words(mapping, shape);
  lfb_cell *cells = lfb_mapping_at(mapping, LFB_MAPPED_CELLS);
  lfb_stripes count;

  lfb_status status = lfb_stripes_init(&count);
  if (status != LFB_OK)
    return status;
  status = lfb_mapping_make_filter(description, &words, cells, count, mapped_leave, filter);
  if (status != LFB_OK)
    lfb_stripes_free(&count);
  else
    (*filter)->mapping = mapping;
  return status;
}

/* ---- making ---------------------------------------------------------------------------- */

/* Makes the file of an empty filter; the file has no name yet. */
static lfb_status mapped_fill(const lfb_making *making, const lfb_description *description,
                              const lfb_mapped_shape *shape)
{
  const int fd = making->mapping->disk.fd;
  lfb_room rooms[MAPPED_ROOMS];
  unsigned char head[LFB_MAPPED_HEADER];

  lfb_status status = lfb_room_set_size(fd, shape->file_size);
  if (status == LFB_OK)
    status = lfb_mapping_map(making->mapping, shape->file_size, true);
  if (status != LFB_OK)
    return status;
  const lfb_pages words = mapped_words(making->mapping, shape);
  if (!description->config.lazy_memory)
    lfb_room_make_huge(fd, &words, shape->words_at);
  mapped_rooms(shape, rooms);
  for (int i = 0; status == LFB_OK && i < MAPPED_ROOMS; i++)
    status = lfb_room_reserve(fd, rooms[i], LFB_ROOM_ALONE);
  if (status != LFB_OK)
    return status;
  if (!description->config.lazy_memory)
    lfb_pages_populate(&words, 0);
  lfb_mapped_encode(description, 0, shape, head);
  lfb_making_write_head(making, head, sizeof head);
  return LFB_OK;
}

lfb_status lfb_mapped_create(const char *path, const lfb_config *config, lfb_filter **filter)
{
  lfb_description description;
  lfb_making making;
  lfb_filter *made = NULL;

  lfb_status status = lfb_description_make(config, &description);
  if (status == LFB_OK)
    status = lfb_claims_sharable(description.strategy->hash_width);
  if (status == LFB_OK)
    status = lfb_making_begin(path, config->file_mode, lfb_description_writes_key(&description),
                              &making);
  if (status != LFB_OK)
    return status;
  description.form = LFB_FORM_MAPPED;
  const lfb_mapped_shape shape =
      lfb_mapped_shape_for(description.geometry.word_count * sizeof(lfb_word));
  status = mapped_fill(&making, &description, &shape);
  if (status == LFB_OK)
    status = mapped_over(making.mapping, &shape, &description, &made);
  status = lfb_making_end(&making, status);
  const int cause = errno;
  if (status == LFB_OK)
    *filter = made;
  else if (made != NULL)
    lfb_filter_free(made);
  else
    lfb_mapping_end(making.mapping);
  errno = cause;
  return status;
}

/* ---- opening --------------------------------------------------------------------------- */

/* Reads the head of the file and checks its form. */
static lfb_status mapped_read_head(int fd, unsigned char header[LFB_MAPPED_HEADER])
{
  size_t have;

  const lfb_status status = lfb_disk_read_head(fd, header, LFB_MAPPED_HEADER, &have);
  if (status != LFB_OK)
    return status;
  if (have >= LFB_FORM_HEAD && lfb_magic_begun(header) != LFB_MAGIC_MAPPED)
    return lfb_form_begun(header) == LFB_FORM_NONE ? LFB_ERROR_UNKNOWN_FORM
                                                   : LFB_ERROR_NOT_MAPPED;
  return have < LFB_MAPPED_HEADER ? LFB_ERROR_TRUNCATED : LFB_OK;
}

/* Reads and decodes the head, and checks that this processor can share the file. */
static lfb_status mapped_describe(int fd, const lfb_read_limits *limits, lfb_mapped_shape *shape,
                                  lfb_description *description)
{
  unsigned char header[LFB_MAPPED_HEADER];
  bool other;

  lfb_status status = mapped_read_head(fd, header);
  if (status == LFB_OK)
    status = lfb_mapped_decode(header, limits->key, shape, &other, description);
  if (status != LFB_OK)
    return status;
  return other        ? LFB_ERROR_BYTE_ORDER
         : shape->old ? LFB_ERROR_OLD_MAPPED
                      : lfb_claims_sharable(description->strategy->hash_width);
}

/* Compares the head with the limits and with the file's size, `there`. */
static lfb_status mapped_check(const lfb_mapped_shape *shape, const lfb_geometry *geometry,
                               const lfb_read_limits *limits, uint64_t there)
{
  if (limits->max_bytes != 0 && geometry->word_count * sizeof(lfb_word) > limits->max_bytes)
    return LFB_ERROR_OVER_LIMIT;
  if (there != shape->file_size)
    return there < shape->file_size ? LFB_ERROR_TRUNCATED : LFB_ERROR_TRAILING_BYTES;
  return LFB_OK;
}

/* Reserves the blocks that the file lacks; if it is read-only, checks them. */
static lfb_status mapped_check_holes(const lfb_disk_file *disk, const lfb_mapped_shape *shape,
                                     const lfb_read_limits *limits, bool writable)
{
  lfb_room rooms[MAPPED_ROOMS];

  mapped_rooms(shape, rooms);
  return writable ? lfb_room_fill_holes(disk, rooms, MAPPED_ROOMS, limits->max_bytes != 0)
                  : lfb_room_check_holes(disk, rooms, MAPPED_ROOMS);
}

/* Checks that a mapped file has no bits set after its filter's last bit. */
static lfb_status mapped_check_end(const lfb_mapping *mapping, const lfb_mapped_shape *shape,
                                   const lfb_geometry *geometry)
{
  const lfb_word *words = lfb_mapping_at(mapping, shape->words_at);
  const uint64_t last = lfb_word_get(&words[geometry->word_count - 1]);

  return lfb_form_overhangs(geometry, last) ? LFB_ERROR_BAD_HEADER : LFB_OK;
}

static lfb_status mapped_open_file(lfb_mapping *mapping, const lfb_read_limits *limits,
                                   bool writable, lfb_filter **filter)
{
  lfb_disk_file *disk = &mapping->disk;
  lfb_description description;
  lfb_mapped_shape shape;

  lfb_status status = lfb_disk_open(mapping->path, writable, disk);
  if (status == LFB_OK)
    status = mapped_describe(disk->fd, limits, &shape, &description);
  if (status == LFB_OK)
    status = mapped_check(&shape, &description.geometry, limits, disk->size);
  if (status == LFB_OK)
    status = mapped_check_holes(disk, &shape, limits, writable);
  if (status == LFB_OK)
    status = lfb_mapping_map(mapping, shape.file_size, writable);
  if (status == LFB_OK)
    status = mapped_check_end(mapping, &shape, &description.geometry);
  return status == LFB_OK ? mapped_over(mapping, &shape, &description, filter) : status;
}

static lfb_status mapped_open(const char *path, const lfb_read_limits *limits, bool writable,
                              lfb_filter **filter)
{
  const lfb_read_limits none = {0};
  lfb_mapping *mapping;

  lfb_status status = lfb_mapping_begin(path, &mapping);
  if (status != LFB_OK)
    return status;
  status = mapped_open_file(mapping, limits == NULL ? &none : limits, writable, filter);
  return status == LFB_OK ? LFB_OK : lfb_mapping_abandon(mapping, status);
}

lfb_status lfb_mapped_open(const char *path, const lfb_read_limits *limits, lfb_filter **filter)
{
  return mapped_open(path, limits, true, filter);
}

lfb_status lfb_mapped_open_read_only(const char *path, const lfb_read_limits *limits,
                                     const lfb_filter **filter)
{
  lfb_filter *made = NULL;
  const lfb_status status = mapped_open(path, limits, false, &made);

  if (status == LFB_OK)
    *filter = made;
  return status;
}

/* ---- keeping --------------------------------------------------------------------------- */

lfb_status lfb_mapped_sync(const lfb_filter *filter)
{
  return filter->mapping == NULL ? LFB_ERROR_NOT_MAPPED : lfb_mapping_sync(filter->mapping);
}

void lfb_mapped_close(const lfb_filter *filter)
{
  lfb_filter_free((lfb_filter *)(uintptr_t)filter);
}
