/* codec_zstd.c - decompresses zstd by libzstd. */
#include "cli/input/codec.h"

#ifdef LFBLOOM_ZSTD

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

struct zstd {
  ZSTD_DCtx *context;
  bool between; /* a frame has ended, and none has begun since */
};

static void *zstd_begin(void)
{
  struct zstd *zstd = calloc(1, sizeof *zstd);

  if (zstd == NULL)
    return NULL;
  zstd->context = ZSTD_createDCtx();
  if (zstd->context == NULL) {
    free(zstd);
    return NULL;
  }
  return zstd;
}

/* The library's default limit of the window, 128 MiB, bounds the memory. */
static enum codec_result zstd_failed(size_t result, const char **problem)
{
  switch (ZSTD_getErrorCode(result)) {
  case ZSTD_error_prefix_unknown:
    return CODEC_FOREIGN;
  case ZSTD_error_frameParameter_windowTooLarge:
    *problem = "it needs more than 128 MiB of memory: pass the file through 'zstd -dc --long=31'";
    return CODEC_FAILED;
  default:
    *problem = ZSTD_getErrorName(result);
    return CODEC_FAILED;
  }
}

static enum codec_result zstd_step(void *state, struct codec_flow *flow, const char **problem)
{
  struct zstd *zstd = state;
  ZSTD_inBuffer in = {flow->in, flow->in_size, 0};
  ZSTD_outBuffer out = {flow->out, flow->out_size, 0};

  if (zstd->between && flow->in_size == 0)
    return CODEC_BETWEEN;
  const size_t result = ZSTD_decompressStream(zstd->context, &out, &in);
  flow->in += in.pos;
  flow->in_size -= in.pos;
  flow->out += out.pos;
  flow->out_size -= out.pos;
  if (ZSTD_isError(result))
    return zstd_failed(result, problem);
  zstd->between = result == 0;
  return zstd->between ? CODEC_BETWEEN : CODEC_INSIDE;
}

static void zstd_end(void *state)
{
  struct zstd *zstd = state;

  (void)ZSTD_freeDCtx(zstd->context); /* never fails */
  free(zstd);
}

#else
#define zstd_begin NULL
#define zstd_step NULL
#define zstd_end NULL
#endif

const struct codec codec_zstd = {".zst", "zstd", "zstd -dc", "libzstd",
                                 zstd_begin, zstd_step, zstd_end};
