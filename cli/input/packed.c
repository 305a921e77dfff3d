/* packed.c - reads compressed files. */
#include "cli/input/packed.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/progress.h"
#include "cli/base/report.h"

struct packed {
  const struct codec *codec;
  void *state; /* the codec's */
  const char *path;
  int fd;
  bool ended; /* the file has been read to its end */
  bool any;   /* a member has been read to its end */
  size_t at;  /* bytes[at .. at + left] are to be decompressed */
  size_t left;
  unsigned char bytes[PACKED_READ];
};

static bool packed_ends_in(const char *path, const char *suffix)
{
  const size_t size = strlen(path), end = strlen(suffix);

  return size > end && strcmp(path + size - end, suffix) == 0;
}

/* The codec for files of this name; NULL: they are not compressed. */
static const struct codec *packed_codec(const char *path)
{
  static const struct codec *const codecs[] = {&codec_gzip, &codec_zstd, &codec_xz};

  for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
    if (packed_ends_in(path, codecs[i]->suffix))
      return codecs[i];
  return NULL;
}

bool packed_is(const char *path)
{
  return packed_codec(path) != NULL;
}

static bool packed_have(const char *path, const struct codec *codec)
{
  if (codec == NULL || codec->begin != NULL)
    return true;
  return report_false("%s: this lfbloom was built without %s: pass the file through '%s'", path,
                      codec->library, codec->command);
}

bool packed_check(const char *path)
{
  return packed_have(path, packed_codec(path));
}

struct packed *packed_begin(const char *path, int fd, struct packed_head head)
{
  const struct codec *codec = head.codec != NULL ? head.codec : packed_codec(path);

  if (!packed_have(path, codec))
    return NULL;
  struct packed *packed = calloc(1, sizeof *packed);
  if (packed != NULL) {
    if (head.size > 0)
      memcpy(packed->bytes, head.bytes, head.size);
    packed->left = head.size;
    packed->codec = codec;
    packed->path = path;
    packed->fd = fd;
    packed->state = codec->begin();
    if (packed->state != NULL)
      return packed;
  }
  free(packed);
  (void)report_error("%s: %s", path, strerror(ENOMEM));
  return NULL;
}

void packed_end(struct packed *packed)
{
  if (packed == NULL)
    return;
  packed->codec->end(packed->state);
  free(packed);
}

/* Reads more of the file, if nothing is left.  False after a report. */
static bool packed_fetch(struct packed *packed)
{
  ssize_t got;

  if (packed->left > 0 || packed->ended)
    return true;
  do
    got = read(packed->fd, packed->bytes, sizeof packed->bytes);
  while (got < 0 && errno == EINTR);
  if (got < 0)
    return report_false_errno(packed->path);
  packed->at = 0;
  packed->left = (size_t)got;
  packed->ended = got == 0;
  progress_add((uint64_t)got);
  return true;
}

static ssize_t packed_refuse(const struct packed *packed, enum codec_result result,
                             const char *problem)
{
  const struct codec *codec = packed->codec;

  if (result == CODEC_FOREIGN && packed->any)
    (void)report_error("%s: after its %s data come bytes that are none", packed->path,
                       codec->format);
  else if (result == CODEC_FOREIGN)
    (void)report_error("%s: not %s data, although its name ends in %s: rename it", packed->path,
                       codec->format, codec->suffix);
  else if (result == CODEC_FAILED)
    (void)report_error("%s: cannot decompress its %s data: %s", packed->path, codec->format,
                       problem);
  else
    (void)report_error("%s: cut short: its %s data have no end", packed->path, codec->format);
  return -1;
}

ssize_t packed_read(struct packed *packed, char *bytes, size_t size)
{
  struct codec_flow flow = {.out = (unsigned char *)bytes, .out_size = size};
  const char *problem = NULL;

  for (;;) {
    if (!packed_fetch(packed))
      return -1;
    flow.in = packed->bytes + packed->at;
    flow.in_size = packed->left;
    flow.last = packed->ended;
    const enum codec_result result = packed->codec->step(packed->state, &flow, &problem);
    packed->at += packed->left - flow.in_size;
    packed->left = flow.in_size;
    packed->any |= result == CODEC_BETWEEN;
    if (result == CODEC_FOREIGN || result == CODEC_FAILED)
      return packed_refuse(packed, result, problem);
    if (flow.out_size < size)
      return (ssize_t)(size - flow.out_size);
    if (packed->ended && packed->left == 0)
      return result == CODEC_BETWEEN ? 0 : packed_refuse(packed, result, problem);
  }
}
