/* mapped.c - making, opening, syncing and closing a filter in a mapped file; opening a filter in a
 * file of any other form in located, to be read only. */
#include <lfbloom/mapped.h>

#include <errno.h>
#include <string.h>

#include "atomic/words/reserved.h"
#include "bloom/files/forms.h"
#include "bloom/files/magic.h"
#include "bloom/filter/digest.h"
#include "bloom/files/mapped_header.h"
#include "bloom/files/mapping.h"

enum { MAPPED_RANGES = 2 };

/* The ranges of the file that are used. */
static void mapped_ranges(uint64_t words_at, uint64_t size, lfb_range ranges[MAPPED_RANGES])
{
  const uint64_t cells_end = LFB_MAPPED_CELLS_END;

  ranges[0] = (lfb_range){0, words_at < cells_end ? words_at : cells_end};
  ranges[1] = (lfb_range){words_at, size};
}

static lfb_pages mapped_words(const lfb_mapping *mapping, uint64_t words_at,
                              const lfb_geometry *geometry)
{
  return (lfb_pages){lfb_mapping_at(mapping, words_at), geometry->word_count * sizeof(lfb_word)};
}

/* Frees a filter's count and ends its mapping. */
static void mapped_destroy(lfb_filter *filter)
{
  lfb_stripes_free(&filter->layout.bits.count);
  lfb_mapping_end(filter->mapping);
}

static void mapped_destroy_read_only(lfb_filter *filter)
{
  lfb_mapping_end(filter->mapping);
}

/* Makes the filter over a mapped file.  On success it owns the mapping.  The bits that this process
 * turns on are counted in private memory. */
static lfb_status mapped_over(lfb_mapping *mapping, uint64_t words_at,
                              const lfb_description *description, lfb_filter **filter)
{
  const lfb_pages words = mapped_words(mapping, words_at, &description->geometry);
  lfb_cell *cells = lfb_mapping_at(mapping, LFB_MAPPED_CELLS);
  lfb_stripes count;

  lfb_status status = lfb_stripes_init(&count);
  if (status != LFB_OK)
    return status;
  status = lfb_mapping_make_filter(description, &words, cells, count, mapped_destroy, filter);
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
  lfb_range ranges[MAPPED_RANGES];
  unsigned char head[LFB_MAPPED_HEADER];

  mapped_ranges(shape->words_at, shape->file_size, ranges);
  const lfb_status status =
      lfb_making_reserve(making, ranges[0], ranges[1], description->config.lazy_memory);
  if (status != LFB_OK)
    return status;
  lfb_mapped_encode(description, 0, shape, head);
  lfb_making_write_head(making, head, sizeof head);
  return LFB_OK;
}

static lfb_status mapped_make(const char *path, const lfb_description *description,
                              uint32_t mode, lfb_making *making, lfb_filter **filter)
{
  const lfb_mapped_shape shape =
      lfb_mapped_shape_for(description->geometry.word_count * sizeof(lfb_word));
  lfb_filter *made = NULL;

  lfb_status status =
      lfb_making_begin(path, mode, lfb_description_writes_key(description), making);
  if (status != LFB_OK)
    return status;
  status = mapped_fill(making, description, &shape);
  if (status == LFB_OK)
    status = mapped_over(making->mapping, shape.words_at, description, &made);
  status = lfb_making_end(making, status);
  const int cause = errno;
  if (status == LFB_OK)
    *filter = made;
  else if (made != NULL)
    lfb_filter_free(made);
  else
    lfb_mapping_end(making->mapping);
  errno = cause;
  return status;
}

lfb_status lfb_mapped_create(const char *path, const lfb_config *config, lfb_filter **filter)
{
  lfb_making making = {.mapping = NULL};
  lfb_description description;

  lfb_status status = lfb_description_make(config, &description);
  if (status == LFB_OK)
    status = lfb_claims_sharable(description.strategy->hash_width);
  if (status != LFB_OK)
    return status;
  description.form = LFB_FORM_MAPPED;
  do
    status = mapped_make(path, &description, config->file_mode, &making, filter);
  while (lfb_making_again(&making));
  return status;
}

/* ---- opening --------------------------------------------------------------------------- */

/* The start of a file, as long as the longest head: that of a mapped one. */
typedef struct mapped_start {
  size_t size, at;
  unsigned char bytes[LFB_MAPPED_HEADER];
} mapped_start;

static lfb_status mapped_start_read(void *from, void *bytes, size_t size, size_t *got)
{
  mapped_start *start = from;
  const size_t left = start->size - start->at;

  *got = size < left ? size : left;
  memcpy(bytes, start->bytes + start->at, *got);
  start->at += *got;
  return LFB_OK;
}

/* Whether a file that begins so can be put into, or the reason why not. */
static lfb_status mapped_check_form(const mapped_start *start)
{
  if (start->size < LFB_FORM_HEAD || lfb_magic_begun(start->bytes) == LFB_MAGIC_MAPPED)
    return LFB_OK;
  const lfb_status status = lfb_form_foreign(start->bytes);
  return status == LFB_OK ? LFB_ERROR_NOT_MAPPED : status;
}

/* Reads and decodes the head of the file. */
static lfb_status mapped_locate(int fd, const lfb_read_limits *limits, bool writable,
                                lfb_form_located *located)
{
  mapped_start start = {.at = 0};
  const lfb_reader reader = {
      .read = mapped_start_read, .from = &start, .limits = {.key = limits->key}};

  lfb_status status = lfb_disk_read_at(fd, 0, start.bytes, sizeof start.bytes, &start.size);
  if (status == LFB_OK && writable)
    status = mapped_check_form(&start);
  return status == LFB_OK ? lfb_form_locate(&reader, located) : status;
}

/* Whether the words can be used as they are: aligned and of this byte order.  If not, they are read
 * as bytes. */
static bool mapped_is_aligned(const lfb_form_located *located)
{
  return located->words_at % LFB_CACHE_LINE == 0;
}

/* Checks that this processor can use the words, and, to put into them, share them. */
static lfb_status mapped_check_use(const lfb_form_located *located, bool writable)
{
  if (mapped_is_aligned(located) && located->order != lfb_byte_order_here())
    return LFB_ERROR_BYTE_ORDER;
  return writable ? lfb_claims_sharable(located->description.strategy->hash_width) : LFB_OK;
}

/* Reserves the blocks that the file lacks; if it is read-only, checks them. */
static lfb_status mapped_check_holes(const lfb_disk_file *disk, const lfb_form_located *located,
                                     const lfb_read_limits *limits, bool writable)
{
  lfb_range ranges[MAPPED_RANGES];

  mapped_ranges(located->words_at, located->size, ranges);
  return writable ? lfb_range_fill_holes(disk, ranges, MAPPED_RANGES, limits->max_bytes != 0)
                  : lfb_range_check_holes(disk, ranges, MAPPED_RANGES);
}

/* Makes the filter over a file of any form, to be read only.  On success it owns the mapping.  It
 * has no cells for claims, and no stripes: its bits are counted on request. */
static lfb_status mapped_over_read_only(lfb_mapping *mapping, const lfb_form_located *located,
                                        lfb_filter **filter)
{
  const lfb_description *description = &located->description;
  const lfb_filter_parts parts = {
      .pages = mapped_words(mapping, located->words_at, &description->geometry),
      .destroy = mapped_destroy_read_only,
      .shared = true,
      .bytes = !mapped_is_aligned(located),
      .big_endian = located->order == LFB_ORDER_BIG,
  };
  const lfb_status status = lfb_filter_make_over(description, &parts, filter);

  if (status == LFB_OK)
    (*filter)->mapping = mapping;
  return status;
}

/* Checks that a file has no bits set after its filter's last bit. */
static lfb_status mapped_check_end(const lfb_mapping *mapping, const lfb_form_located *located)
{
  const lfb_geometry *geometry = &located->description.geometry;
  const lfb_bit_array bits =
      lfb_bit_array_of_bytes(lfb_mapping_at(mapping, located->words_at), geometry->word_count,
                             located->order == LFB_ORDER_BIG);

  return lfb_form_overhangs(geometry, lfb_bit_array_read(&bits, geometry->word_count - 1))
             ? LFB_ERROR_BAD_HEADER
             : LFB_OK;
}

static lfb_status mapped_open_file(lfb_mapping *mapping, const lfb_read_limits *limits,
                                   bool writable, lfb_filter **filter)
{
  lfb_disk_file *disk = &mapping->disk;
  lfb_form_located located;

  lfb_status status = lfb_disk_open(mapping->path, writable, disk);
  if (status == LFB_OK)
    status = mapped_locate(disk->fd, limits, writable, &located);
  if (status == LFB_OK)
    status = mapped_check_use(&located, writable);
  if (status == LFB_OK)
    status =
        lfb_mapping_check(located.description.geometry.word_count * sizeof(lfb_word), located.size,
                               disk->size, limits);
  if (status == LFB_OK)
    status = mapped_check_holes(disk, &located, limits, writable);
  if (status == LFB_OK)
    status = lfb_mapping_map(mapping, located.size, writable);
  if (status == LFB_OK)
    status = mapped_check_end(mapping, &located);
  if (status != LFB_OK)
    return status;
  return writable ? mapped_over(mapping, located.words_at, &located.description, filter)
                  : mapped_over_read_only(mapping, &located, filter);
}

static lfb_status mapped_open(const char *path, const lfb_read_limits *limits, bool writable,
                              lfb_filter **filter)
{
  const lfb_read_limits none = {0};
  const lfb_read_limits *within = limits == NULL ? &none : limits;
  lfb_mapping *mapping;

  lfb_status status = LFB_RESERVED(within);
  if (status == LFB_OK)
    status = lfb_mapping_begin(path, &mapping);
  if (status != LFB_OK)
    return status;
  status = mapped_open_file(mapping, within, writable, filter);
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

/* Whether `size` bytes have the checksum that is stored at `sum`. */
static bool mapped_matches(const void *bytes, uint64_t size, const unsigned char *sum)
{
  return lfb_digest_xxh3(bytes, (size_t)size) == lfb_load_le64(sum);
}

lfb_status lfb_mapped_verify(const lfb_filter *filter)
{
  const unsigned char *words = filter->pages.address;
  const uint64_t size = filter->pages.size, pieces = (size - 1) / LFB_CHECKED_BYTES + 1;

  if (filter->mapping == NULL)
    return LFB_ERROR_NOT_MAPPED;
  if (filter->description.form != LFB_FORM_NATIVE)
    return LFB_OK;
  const unsigned char *sums = words + size;
  if (!mapped_matches(sums, pieces * sizeof(uint64_t), sums + pieces * sizeof(uint64_t)))
    return LFB_ERROR_BAD_CHECKSUM;
  for (uint64_t i = 0; i < pieces; i++) {
    const uint64_t at = i * LFB_CHECKED_BYTES, left = size - at;
    if (!mapped_matches(words + at, left < LFB_CHECKED_BYTES ? left : LFB_CHECKED_BYTES,
                        sums + i * sizeof(uint64_t)))
      return LFB_ERROR_BAD_CHECKSUM;
  }
  return LFB_OK;
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
