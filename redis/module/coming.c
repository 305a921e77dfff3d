/* coming.c - takes the layers of a chain as they come. */
#define _DEFAULT_SOURCE /* endian.h */
#include "redis/module/coming.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "bloom/files/native_header.h"
#include "bloom/filter/digest.h"
#include "bloom/filter/filter.h"
#include "redis/module/memory.h"

/* The parts of a layer, in order. */
typedef enum coming_part { COMING_HEADER, COMING_WORDS, COMING_TABLE, COMING_PARTS } coming_part;

typedef struct coming_bytes {
  unsigned char *at;
  uint64_t size, have; /* `have` of them have come */
} coming_bytes;

enum { COMING_PAGE = 4096 }; /* of the kernel; where it has larger ones it refuses the hint */

struct lfb_coming {
  unsigned char (*headers)[LFB_NATIVE_HEADER]; /* of all layers so far, as they came */
  uint32_t header_count;
  coming_part part; /* which comes next */
  coming_bytes parts[COMING_PARTS];
  lfb_description description;
  uint64_t first;  /* the most bytes of words that are reserved before some come */
  lfb_pages pages; /* of the words: of all, or of whole MiB */
  uint64_t *sums;  /* checksum of each MiB of words, then that of these; the table must equal it */
  uint64_t bits_set, full_words;
  uint64_t memory; /* of the words */
};

/* Frees the layer's memory. */
static void coming_drop(lfb_coming *coming)
{
  lfb_pages_free(&coming->pages);
  free(coming->sums);
  free(coming->parts[COMING_TABLE].at);
  coming->sums = NULL;
  memset(coming->parts, 0, sizeof coming->parts);
}

/* Waits for the next layer. */
static lfb_status coming_begin(lfb_coming *coming)
{
  const size_t before = coming->header_count * sizeof *coming->headers;
  unsigned char *headers = malloc(before + sizeof *coming->headers);

  if (headers == NULL)
    return LFB_ERROR_NO_MEMORY;
  if (before > 0)
    memcpy(headers, coming->headers, before);
  free(coming->headers);
  coming->headers = (void *)headers;
  coming->header_count++;
  coming->part = COMING_HEADER;
  coming->bits_set = coming->full_words = coming->memory = 0;
  coming->parts[COMING_HEADER] = (coming_bytes){headers + before, LFB_NATIVE_HEADER, 0};
  return LFB_OK;
}

lfb_status lfb_coming_create(uint64_t first, lfb_coming **coming)
{
  lfb_coming *made = calloc(1, sizeof *made);
  const lfb_status status = made == NULL ? LFB_ERROR_NO_MEMORY : coming_begin(made);

  if (status != LFB_OK) {
    free(made);
    return status;
  }
  made->first = first;
  *coming = made;
  return LFB_OK;
}

/* Takes memory for the words: for four times those that have come, but at least `first`. */
static lfb_status coming_reserve(lfb_coming *coming)
{
  coming_bytes *words = &coming->parts[COMING_WORDS];
  const uint64_t before = lfb_memory_tally(), have = words->have;
  const uint64_t most = have == 0 ? coming->first : 4 * have;
  lfb_pages pages;

  const lfb_status status = lfb_pages_init(&pages, most < words->size ? most : words->size, false);
  if (status != LFB_OK)
    return status;
  lfb_memory_settle(&pages);
  coming->memory = lfb_memory_tally() - before;
  if (have > 0)
    memcpy(pages.address, words->at, (size_t)have);
  lfb_pages_free(&coming->pages);
  coming->pages = pages;
  words->at = pages.address;
  return LFB_OK;
}

/* Takes memory for what follows a header. */
static lfb_status coming_open(lfb_coming *coming, uint64_t max_bytes)
{
  const lfb_description *description = &coming->description;

  lfb_status status =
      lfb_native_decode(coming->parts[COMING_HEADER].at, NULL, &coming->description);
  if (status != LFB_OK)
    return status;
  if (description->strategy->id != LFB_FAST)
    return LFB_ERROR_BAD_HEADER;
  const uint64_t size = description->geometry.word_count * sizeof(lfb_word);
  const uint64_t table = ((size - 1) / LFB_CHECKED_BYTES + 2) * sizeof *coming->sums;
  if (max_bytes > 0 && size > max_bytes)
    return LFB_ERROR_OVER_LIMIT;
  coming->parts[COMING_WORDS].size = size;
  coming->sums = malloc((size_t)table);
  coming->parts[COMING_TABLE] = (coming_bytes){malloc((size_t)table), table, 0};
  return coming->sums == NULL || coming->parts[COMING_TABLE].at == NULL ? LFB_ERROR_NO_MEMORY
                                                                        : coming_reserve(coming);
}

/* Adds up the words from the last multiple of LFB_CHECKED_BYTES on, while the cache holds them. */
static void coming_sum(lfb_coming *coming)
{
  const coming_bytes *words = &coming->parts[COMING_WORDS];
  const uint64_t number = (words->have - 1) / LFB_CHECKED_BYTES;
  const unsigned char *from = words->at + number * LFB_CHECKED_BYTES;
  const size_t size = (size_t)(words->have - number * LFB_CHECKED_BYTES);
  const uint64_t bits = lfb_digest_bits((const void *)from, size / sizeof(lfb_word));

  coming->sums[number] = htole64(lfb_digest_xxh3(from, size));
  coming->bits_set += bits;
  coming->full_words += bits == 8 * (uint64_t)size ? size / sizeof(lfb_word) : 0;
}

/* Compares the checksums, and makes a filter of the words. */
static lfb_status coming_close(lfb_coming *coming, lfb_filter **filter, uint64_t *memory)
{
  const coming_bytes *table = &coming->parts[COMING_TABLE];
  const uint64_t count = table->size / sizeof *coming->sums - 1, before = lfb_memory_tally();
  uint64_t *words = coming->pages.address;
  lfb_filter *made;

  coming->sums[count] = htole64(lfb_digest_xxh3(coming->sums, count * sizeof *coming->sums));
  if (memcmp(table->at, coming->sums, (size_t)table->size) != 0)
    return LFB_ERROR_BAD_CHECKSUM;
  for (uint64_t i = 0; i < coming->pages.size / sizeof *words; i++)
    words[i] = htole64(words[i]);
  lfb_status status = lfb_filter_make(&coming->description, &coming->pages, &made);
  if (status != LFB_OK)
    return status;
  coming->pages = (lfb_pages){0};
  lfb_bit_array_add(&made->layout.bits, coming->bits_set);
  /* relaxed: no other thread has the filter yet. */
  atomic_store_explicit(&made->full_words, coming->full_words, memory_order_relaxed);
  *memory = coming->memory + lfb_memory_tally() - before;
  coming_drop(coming);
  status = coming_begin(coming);
  if (status == LFB_OK)
    *filter = made;
  else
    lfb_filter_free(made);
  return status;
}

lfb_status lfb_coming_take(lfb_coming *coming, uint64_t max_bytes, const void *bytes, size_t size,
                           size_t *taken, lfb_filter **filter, uint64_t *memory)
{
  coming_bytes *part = &coming->parts[coming->part];
  const uint64_t left = part->size - part->have;
  const uint64_t mib = LFB_CHECKED_BYTES - part->have % LFB_CHECKED_BYTES;
  const uint64_t step = left < mib ? left : mib;

  *taken = size < step ? size : (size_t)step;
  *filter = NULL;
  if (coming->part == COMING_WORDS && part->have == coming->pages.size) {
    const lfb_status status = coming_reserve(coming);
    if (status != LFB_OK)
      return status;
  }
  unsigned char *at = part->at + part->have;
  const size_t over = (uintptr_t)at % COMING_PAGE;
  if (coming->part == COMING_WORDS) /* pages cost two thirds if the kernel gives them together */
    lfb_pages_populate(&(lfb_pages){at - over, over + *taken}, 0);
  memcpy(at, bytes, *taken);
  part->have += *taken;
  if (coming->part == COMING_WORDS && *taken == step)
    coming_sum(coming);
  if (part->have < part->size)
    return LFB_OK;
  switch (coming->part++) {
  case COMING_HEADER:
    return coming_open(coming, max_bytes);
  case COMING_TABLE:
    return coming_close(coming, filter, memory);
  default:
    return LFB_OK;
  }
}

/* ---- what has come ------------------------------------------------------------------- */

/* Writes a layer, but with the header that it came with: a new one has another time. */
typedef struct coming_copy {
  const unsigned char *header; /* NULL: it has been written */
  lfb_write_fn write;
  void *to;
} coming_copy;

static lfb_status copy_write(void *of, const void *bytes, size_t size)
{
  coming_copy *copy = of;
  const void *now = copy->header == NULL ? bytes : copy->header;

  copy->header = NULL;
  return copy->write(copy->to, now, size);
}

lfb_status lfb_coming_write_layer(const lfb_coming *coming, uint32_t number,
                                  const lfb_filter *filter, lfb_write_fn write, void *to)
{
  coming_copy copy = {coming->headers[number], write, to};

  return lfb_filter_write(filter, LFB_FORM_NATIVE, copy_write, &copy);
}

lfb_status lfb_coming_write_rest(const lfb_coming *coming, lfb_write_fn write, void *to)
{
  lfb_status status = LFB_OK;

  for (int part = COMING_HEADER; part < COMING_PARTS; part++) {
    const coming_bytes *bytes = &coming->parts[part];
    for (uint64_t at = 0; status == LFB_OK && at < bytes->have; at += LFB_CHECKED_BYTES) {
      const uint64_t left = bytes->have - at;
      status =
          write(to, bytes->at + at, (size_t)(left < LFB_CHECKED_BYTES ? left : LFB_CHECKED_BYTES));
    }
  }
  return status;
}

uint64_t lfb_coming_memory(const lfb_coming *coming)
{
  return sizeof *coming + coming->memory + coming->header_count * sizeof *coming->headers;
}

void lfb_coming_free(lfb_coming *coming)
{
  if (coming == NULL)
    return;
  coming_drop(coming);
  free(coming->headers);
  free(coming);
}

/* ---- a queue of bytes ------------------------------------------------------------------- */

typedef struct piece {
  struct piece *next;
  size_t size;
  unsigned char bytes[];
} piece;

struct lfb_arrived {
  piece *first, **end;
  uint64_t size; /* of all that came   */
  size_t taken;  /* of the first piece */
};

lfb_status lfb_arrived_create(lfb_arrived **arrived)
{
  lfb_arrived *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  made->end = &made->first;
  *arrived = made;
  return LFB_OK;
}

lfb_status lfb_arrived_add(void *to, const void *bytes, size_t size)
{
  lfb_arrived *arrived = to;

  piece *made = malloc(sizeof *made + size);
  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  *made = (piece){.size = size};
  memcpy(made->bytes, bytes, size);
  *arrived->end = made;
  arrived->end = &made->next;
  arrived->size += size;
  return LFB_OK;
}

void lfb_arrived_count(lfb_arrived *arrived, uint64_t size)
{
  arrived->size += size;
}

static void arrived_drop_first(lfb_arrived *arrived)
{
  const uint64_t tally = lfb_memory_tally();
  piece *first = arrived->first;

  arrived->first = first->next;
  arrived->taken = 0;
  if (arrived->first == NULL)
    arrived->end = &arrived->first;
  free(first);
  lfb_memory_tally_reset(tally); /* the code that reads a value from pieces counts the value */
}

lfb_status lfb_arrived_take(void *from, void *bytes, size_t size, size_t *got)
{
  lfb_arrived *arrived = from;

  while (arrived->first != NULL && arrived->taken == arrived->first->size)
    arrived_drop_first(arrived);
  *got = 0;
  if (arrived->first == NULL)
    return LFB_OK;
  const size_t left = arrived->first->size - arrived->taken;
  *got = size < left ? size : left;
  memcpy(bytes, arrived->first->bytes + arrived->taken, *got);
  arrived->taken += *got;
  return LFB_OK;
}

lfb_status lfb_arrived_write(const lfb_arrived *arrived, lfb_write_fn write, void *to)
{
  lfb_status status = LFB_OK;

  for (const piece *at = arrived->first; status == LFB_OK && at != NULL; at = at->next)
    status = write(to, at->bytes, at->size);
  return status;
}

uint64_t lfb_arrived_size(const lfb_arrived *arrived)
{
  return arrived == NULL ? 0 : arrived->size;
}

void lfb_arrived_free(lfb_arrived *arrived)
{
  if (arrived == NULL)
    return;
  while (arrived->first != NULL)
    arrived_drop_first(arrived);
  free(arrived);
}
