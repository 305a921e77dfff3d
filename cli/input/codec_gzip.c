/* codec_gzip.c - decompresses gzip by zlib. */
#include "cli/input/codec.h"

#ifdef LFBLOOM_ZLIB

#define ZLIB_CONST /* next_in is const */
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

enum {
  GZIP_WINDOW = 15 + 16, /* zlib's number for gzip headers, and the largest window: 32 KiB */
  GZIP_MAGIC = 2,
};

struct gzip {
  z_stream stream;
  bool inside;   /* a member has begun */
  bool followed; /* a member has ended */
};

static void *gzip_begin(void)
{
  struct gzip *gzip = calloc(1, sizeof *gzip);

  if (gzip != NULL && inflateInit2(&gzip->stream, GZIP_WINDOW) != Z_OK) {
    free(gzip);
    return NULL;
  }
  return gzip;
}

/* Skips zero bytes after a member, with which a tape fills its last block.  gzip -d does, too. */
static void gzip_skip_padding(struct codec_flow *flow)
{
  while (flow->in_size > 0 && *flow->in == 0) {
    flow->in++;
    flow->in_size--;
  }
}

static uInt gzip_limit(size_t size)
{
  return size < UINT_MAX ? (uInt)size : UINT_MAX;
}

/* As inflate(), with the flow's pointers and sizes. */
static int gzip_inflate(z_stream *stream, struct codec_flow *flow)
{
  stream->next_in = flow->in;
  stream->avail_in = gzip_limit(flow->in_size);
  stream->next_out = flow->out;
  stream->avail_out = gzip_limit(flow->out_size);
  const int result = inflate(stream, Z_NO_FLUSH);
  flow->in_size -= (size_t)(stream->next_in - flow->in);
  flow->in = stream->next_in;
  flow->out_size -= (size_t)(stream->next_out - flow->out);
  flow->out = stream->next_out;
  return result;
}

static enum codec_result gzip_failed(const struct gzip *gzip, int result, const char **problem)
{
  if (result == Z_DATA_ERROR && gzip->stream.total_in <= GZIP_MAGIC)
    return CODEC_FOREIGN;
  *problem = gzip->stream.msg != NULL ? gzip->stream.msg : zError(result);
  return CODEC_FAILED;
}

static enum codec_result gzip_step(void *state, struct codec_flow *flow, const char **problem)
{
  struct gzip *gzip = state;

  if (gzip->followed && !gzip->inside) {
    gzip_skip_padding(flow);
    if (flow->in_size == 0)
      return CODEC_BETWEEN;
    (void)inflateReset(&gzip->stream); /* fails only for a stream that was not begun */
  }
  const int result = gzip_inflate(&gzip->stream, flow);
  gzip->inside = result != Z_STREAM_END;
  gzip->followed |= !gzip->inside;
  if (result == Z_STREAM_END)
    return CODEC_BETWEEN;
  return result == Z_OK || result == Z_BUF_ERROR ? CODEC_INSIDE
                                                 : gzip_failed(gzip, result, problem);
}

static void gzip_end(void *state)
{
  struct gzip *gzip = state;

  (void)inflateEnd(&gzip->stream);
  free(gzip);
}

#else
#define gzip_begin NULL
#define gzip_step NULL
#define gzip_end NULL
#endif

const struct codec codec_gzip = {
    ".gz", "gzip", "gzip -dc", "zlib", gzip_begin, gzip_step, gzip_end};
