/*
 * form_growing.c - the form of a growing filter, and files of it: a header, then the
 * layers, oldest first, each in the native form.
 *
 * docs/formats.md describes each field.
 */
#include <lfbloom/growing.h>
#include <stdlib.h>

#include "bloom/files/files.h"
#include "bloom/kinds/growing_header.h"
#include "bloom/files/native_header.h"
#include "bloom/kinds/layers.h"

/* ---- writing ---------------------------------------------------------------------- */

static void growing_head(const lfb_growing *growing, uint32_t layers, lfb_growing_head *head)
{
  *head = (lfb_growing_head){.first_insertions = growing->config.expected_insertions,
                             .fpp = growing->config.fpp,
                             .layers = layers,
                             .memory_preference = growing->config.memory_preference,
                             .written = lfb_native_now()};
  memcpy(head->label, growing->label, sizeof head->label);
}

/* Writes the present layers; a layer added during the call is not among them. */
static lfb_status growing_write_form(const void *what, const lfb_writer *writer)
{
  const lfb_growing *growing = what;
  const lfb_layer *layers[LFB_GROWING_LAYERS];
  unsigned char header[LFB_GROWING_HEADER];
  lfb_growing_head head;
  const lfb_layer *newest;

  lfb_status status = lfb_layers_seen(growing, &newest);
  if (status != LFB_OK)
    return status;
  growing_head(growing, lfb_layers_list(newest, layers), &head);
  lfb_growing_encode(&head, header);
  status = writer->write(writer->to, header, sizeof header);
  for (uint32_t i = 0; status == LFB_OK && i < head.layers; i++)
    status = lfb_form_row_native.write(layers[i]->filter, writer);
  return status;
}

lfb_status lfb_growing_write(const lfb_growing *growing, lfb_write_fn write, void *to)
{
  return growing_write_form(growing, &(lfb_writer){.write = write, .to = to});
}

lfb_status lfb_growing_save(const lfb_growing *growing, const char *path)
{
  const lfb_content content = {.what = growing,
                               .secret = lfb_description_writes_key(&growing->first->description),
                               .write = growing_write_form};
  return lfb_file_save(&content, path);
}

/* ---- reading ---------------------------------------------------------------------- */

/* A reader that counts the bytes it has read. */
typedef struct counted_source {
  const lfb_reader *reader;
  uint64_t taken;
} counted_source;

static lfb_status counted_read(void *from, void *bytes, size_t size, size_t *got)
{
  counted_source *source = from;
  const lfb_status status = source->reader->read(source->reader->from, bytes, size, got);

  if (status == LFB_OK)
    source->taken += *got;
  return status;
}

/* The reader of the next layer.  Its limits are what is left of the whole's, after the layers that
 * are open.  Its offsets of damage count from the start of the whole. */
static lfb_reader growing_reader(counted_source *source, uint64_t open_bytes)
{
  const lfb_reader *whole = source->reader;
  lfb_reader reader = *whole;

  reader.read = counted_read;
  reader.from = source;
  reader.at = whole->at + source->taken;
  if (whole->known_bytes != 0) /* at least 1, which fits nothing: 0 would mean unknown */
    reader.known_bytes =
        whole->known_bytes > source->taken ? whole->known_bytes - source->taken : 1;
  if (whole->limits.max_bytes != 0)
    reader.limits.max_bytes =
        whole->limits.max_bytes > open_bytes ? whole->limits.max_bytes - open_bytes : 1;
  return reader;
}

/* Reads one native filter.  A layer has no other form. */
static lfb_status growing_read_native(const lfb_reader *reader, lfb_filter **filter)
{
  unsigned char head[LFB_FORM_HEAD];
  const lfb_status status = lfb_form_read_bytes(reader, head, sizeof head);

  if (status != LFB_OK)
    return status;
  return lfb_magic_begun(head) == LFB_MAGIC_NATIVE
            ? lfb_form_row_native.read(reader, head, filter)
                                 : LFB_ERROR_BAD_HEADER;
}

/* Adds the filter as the next layer, or frees it. */
static lfb_status growing_take(lfb_growing *growing, lfb_filter *filter, uint32_t number)
{
  if (!lfb_layers_fit(growing, &filter->description, number)) {
    lfb_filter_free(filter);
    return LFB_ERROR_BAD_HEADER;
  }
  if (number == 0)
    lfb_layers_configure(growing, &filter->description.config);
  return lfb_layers_push(growing, filter);
}

/*
 * Reads `layers` layers into a growing filter without layers.  If damage is wanted, layers that
 * lack only their key are all compared with their checksums before they are refused.
 */
static lfb_status growing_read_layers(lfb_growing *growing, uint32_t layers,
                                      counted_source *source)
{
  const bool compares = source->reader->limits.damage != NULL;
  lfb_status status = LFB_OK;
  uint64_t open_bytes = 0;

  for (uint32_t i = 0; i < layers; i++) {
    const lfb_reader reader = growing_reader(source, open_bytes);
    lfb_filter *filter;
    status = growing_read_native(&reader, &filter);
    if (status == LFB_ERROR_KEY_NEEDED && compares && growing->first == NULL)
      continue;
    if (status == LFB_OK) {
      open_bytes += filter->pages.size;
      status = growing_take(growing, filter, i);
    }
    if (status != LFB_OK)
      return status;
  }
  return status;
}

/* Reads and decodes the header, after checking the form by its first bytes. */
static lfb_status growing_read_head(const lfb_reader *reader, lfb_growing_head *head)
{
  unsigned char header[LFB_GROWING_HEADER];
  const lfb_status status = lfb_form_read_header(reader, LFB_MAGIC_GROWING, LFB_ERROR_NOT_GROWING,
                                                 header, sizeof header);

  return status != LFB_OK
             ? status
             : lfb_form_decoded(reader, sizeof header, lfb_growing_decode(header, head));
}

static lfb_status growing_read_form(const lfb_reader *reader, void **made)
{
  counted_source source = {reader, 0};
  const lfb_reader counted = growing_reader(&source, 0);
  lfb_growing_head head;

  lfb_status status = growing_read_head(&counted, &head);
  if (status != LFB_OK)
    return status;
  lfb_growing *growing = calloc(1, sizeof *growing);
  if (growing == NULL)
    return LFB_ERROR_NO_MEMORY;
  growing->written = head.written;
  growing->config = (lfb_config){.expected_insertions = head.first_insertions,
                                 .fpp = head.fpp,
                                 .memory_preference = head.memory_preference};
  memcpy(growing->label, head.label, sizeof growing->label);
  status = growing_read_layers(growing, head.layers, &source);
  if (status != LFB_OK) {
    lfb_growing_free(growing);
    return status;
  }
  *made = growing;
  return LFB_OK;
}

lfb_status lfb_growing_read(lfb_read_fn read, void *from, const lfb_read_limits *limits,
                            lfb_growing **growing)
{
  const lfb_reader reader = lfb_reader_of(read, from, limits);
  void *made;
  const lfb_status status = growing_read_form(&reader, &made);

  if (status == LFB_OK)
    *growing = made;
  return status;
}

lfb_status lfb_growing_load(const char *path, const lfb_read_limits *limits,
                            lfb_growing **growing)
{
  void *made = NULL;
  const lfb_status status = lfb_file_load(path, limits, growing_read_form, &made);

  if (status == LFB_OK)
    *growing = made;
  else
    lfb_growing_free(made);
  return status;
}
