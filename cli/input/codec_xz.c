/* codec_xz.c - decompresses xz by liblzma. */
#include "cli/input/codec.h"

#ifdef LFBLOOM_LZMA

#include <lzma.h>
#include <stdlib.h>

/* Four times what `xz -9` needs; a file can ask for 4 GiB. */
#define XZ_MEMORY (UINT64_C(256) << 20)

static void *xz_begin(void)
{
  lzma_stream *stream = malloc(sizeof *stream);

  if (stream == NULL)
    return NULL;
  *stream = (lzma_stream)LZMA_STREAM_INIT;
  if (lzma_stream_decoder(stream, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK) {
    free(stream);
    return NULL;
  }
  return stream;
}

static const char *xz_problem(lzma_ret result)
{
  switch (result) {
  case LZMA_MEMLIMIT_ERROR:
    return "it needs more than 256 MiB of memory: pass the file through 'xz -dc'";
  case LZMA_MEM_ERROR:
    return "no memory";
  case LZMA_OPTIONS_ERROR:
    return "an unknown filter or check";
  default:
    return "its data do not match their checks";
  }
}

static enum codec_result xz_step(void *state, struct codec_flow *flow, const char **problem)
{
  lzma_stream *stream = state;

  stream->next_in = flow->in;
  stream->avail_in = flow->in_size;
  stream->next_out = flow->out;
  stream->avail_out = flow->out_size;
  const lzma_ret result = lzma_code(stream, flow->last ? LZMA_FINISH : LZMA_RUN);
  flow->in = stream->next_in;
  flow->in_size = stream->avail_in;
  flow->out = stream->next_out;
  flow->out_size = stream->avail_out;
  if (result == LZMA_STREAM_END) /* of the last stream */
    return CODEC_BETWEEN;
  if (result == LZMA_OK || result == LZMA_BUF_ERROR)
    return CODEC_INSIDE;
  if (result == LZMA_FORMAT_ERROR)
    return CODEC_FOREIGN;
  *problem = xz_problem(result);
  return CODEC_FAILED;
}

static void xz_end(void *state)
{
  lzma_end(state);
  free(state);
}

#else
#define xz_begin NULL
#define xz_step NULL
#define xz_end NULL
#endif

const struct codec codec_xz = {".xz", "xz", "xz -dc", "liblzma", xz_begin, xz_step, xz_end};
