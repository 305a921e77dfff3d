/*
 * growing_form.c - the form of a growing filter, and files of it: a header, then the
 * layers, oldest first, each in the native form.
 *
 * docs/formats.md describes each field.
 */
#include <lfbloom/growing.h>
#include <stdlib.h>

#include "bloom/files/forms.h"
#include "bloom/growing/growing_files.h"
#include "bloom/files/native_header.h"
#include "bloom/growing/layers.h"

/* ---- writing ---------------------------------------------------------------------- */

/* Writes the present layers; a layer added during the call is not among them. */
static lfb_status growing_write_form(const void *what, const lfb_writer *writer)
{
  const lfb_growing *growing = what;
  unsigned char header[LFB_GROWING_HEADER];
  const lfb_layer *newest;

  lfb_status status = lfb_layers_seen(growing, &newest);
  if (status != LFB_OK)
    return status;
  const uint32_t count = newest->number + 1;
  lfb_growing_encode(growing, LFB_MAGIC_GROWING, count, lfb_native_now(), header);
  status = writer->write(writer->to, header, sizeof header);
  for (uint32_t i = 0; status == LFB_OK && i < count; i++)
    status = lfb_form_row_native.write(lfb_layers_at(newest, i)->filter, writer);
  return status;
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

/* What is left of a limit; 0: there is none.  At least 1, which fits nothing. */
static uint64_t limit_left(uint64_t limit, uint64_t used)
{
  return limit == 0 ? 0 : limit > used ? limit - used : 1;
}

/* The reader of the next layer.  Its limits are what is left of the whole's, after the layers that
 * are open.  Its offsets of damage count from the start of the whole. */
static lfb_reader growing_reader(counted_source *source, uint64_t open_bytes)
{
  lfb_reader reader = *source->reader;

  reader.read = counted_read;
  reader.from = source;
  reader.at += source->taken;
  reader.known_bytes = limit_left(reader.known_bytes, source->taken);
  reader.limits.max_bytes = limit_left(reader.limits.max_bytes, open_bytes);
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
  return lfb_layers_add(growing, lfb_layers_known(growing), filter);
}

/* Reads `layers` layers into a growing filter without layers.  If damage is wanted, layers that
 * lack only their key are all compared with their checksums before they are refused. */
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
static lfb_status growing_read_head(const lfb_reader *reader, lfb_growing *growing,
                                    uint32_t *layers)
{
  unsigned char header[LFB_GROWING_HEADER];
  const lfb_status status = lfb_form_read_header(reader, LFB_MAGIC_GROWING, LFB_ERROR_NOT_GROWING,
                                                 header, sizeof header);

  return status != LFB_OK
             ? status
             : lfb_form_decoded(reader, sizeof header, lfb_growing_decode(header, growing, layers));
}

static lfb_status growing_read_form(const lfb_reader *reader, void **made)
{
  counted_source source = {reader, 0};
  const lfb_reader counted = growing_reader(&source, 0);
  uint32_t layers;

  lfb_growing *growing = calloc(1, sizeof *growing);
  if (growing == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = growing_read_head(&counted, growing, &layers);
  if (status == LFB_OK)
    status = growing_read_layers(growing, layers, &source);
  if (status == LFB_OK)
    *made = growing;
  else
    lfb_growing_free(growing);
  return status;
}

const lfb_any_form lfb_any_form_growing = {growing_write_form, growing_read_form};
