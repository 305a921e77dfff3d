/* stream.c - bytes in memory as the library's functions read and write them (holder.h). */
#include <stdlib.h>
#include <string.h>

#include "packaging/python/source/holder.h"

lfb_status lfbpy_input_read(void *from, void *bytes, size_t size, size_t *got)
{
  lfbpy_input *input = from;
  *got = size < input->left ? size : input->left;
  if (*got > 0) /* both may be NULL */
    memcpy(bytes, input->bytes, *got);
  input->bytes += *got;
  input->left -= *got;
  return LFB_OK;
}

/* Makes room for `size` more bytes, at least twice the old room. */
static lfb_status output_grow(lfbpy_output *output, size_t size)
{
  if (size > PTRDIFF_MAX / 2 - output->size)
    return LFB_ERROR_NO_MEMORY;
  size_t room = output->size + size;
  if (room < 2 * output->room)
    room = 2 * output->room;
  char *bytes = realloc(output->bytes, room);
  if (bytes == NULL)
    return LFB_ERROR_NO_MEMORY;
  output->bytes = bytes;
  output->room = room;
  return LFB_OK;
}

lfb_status lfbpy_output_write(void *to, const void *bytes, size_t size)
{
  lfbpy_output *output = to;
  if (size > output->room - output->size) {
    const lfb_status status = output_grow(output, size);
    if (status != LFB_OK)
      return status;
  }
  if (size > 0)
    memcpy(output->bytes + output->size, bytes, size);
  output->size += size;
  return LFB_OK;
}
