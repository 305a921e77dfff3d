/* ways.c - the ways to read a file that is in memory: as a stream, in pieces, as a file. */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/readers.h"

/* A stream over an input's file. */
typedef struct stream {
  const fuzz_input *input;
  size_t at;
  uint64_t pieces;
  bool short_reads;
  bool ended;
} stream;

/* How many of the `size` bytes asked for to return. */
static size_t stream_piece(stream *from, size_t size)
{
  const uint32_t longest = from->input->longest_piece;
  const uint64_t chance = fuzz_mix(from->input->chance + from->pieces++);

  if (!from->short_reads || longest == 0)
    return size;
  const size_t piece = (size_t)(1 + chance % longest);
  return piece < size ? piece : size;
}

static lfb_status stream_read(void *of, void *bytes, size_t size, size_t *got)
{
  stream *from = of;
  const fuzz_bytes *file = &from->input->file;

  fuzz_must(size > 0 && !from->ended, "a reader asks for at least a byte, and not behind the end");
  const size_t left = file->size - from->at, piece = stream_piece(from, size);
  const size_t given = left < piece ? left : piece;
  from->ended = given == 0;
  if (from->ended && from->input->fails_at_end)
    return LFB_ERROR_READ;
  if (given > 0)
    memcpy(bytes, file->at + from->at, given);
  from->at += given;
  *got = given;
  return LFB_OK;
}

static lfb_status stream_open(lfb_kind kind, const fuzz_input *input, bool short_reads,
                              const lfb_read_limits *limits, lfb_any *made, size_t *taken)
{
  stream from = {.input = input, .short_reads = short_reads};
  const lfb_status status = lfb_any_read(stream_read, &from, kind, limits, made);

  *taken = from.at;
  if (!from.ended)
    return status;
  fuzz_must(status == (input->fails_at_end ? LFB_ERROR_READ : LFB_ERROR_TRUNCATED),
            "what ends a stream is what the reader says");
  return LFB_ERROR_TRUNCATED;
}

static lfb_status read_whole(lfb_kind kind, const fuzz_input *input, const lfb_read_limits *limits,
                             lfb_any *made, size_t *taken)
{
  return stream_open(kind, input, false, limits, made, taken);
}

static lfb_status read_pieces(lfb_kind kind, const fuzz_input *input, const lfb_read_limits *limits,
                              lfb_any *made, size_t *taken)
{
  return stream_open(kind, input, true, limits, made, taken);
}

static lfb_status read_file(lfb_kind kind, const fuzz_input *input, const lfb_read_limits *limits,
                            lfb_any *made, size_t *taken)
{
  char path[32];
  const int fd = memfd_create("fuzz", 0);
  const fuzz_bytes *file = &input->file;

  fuzz_must(fd >= 0, "a file in memory can be made");
  for (size_t at = 0; at < file->size;) {
    const ssize_t wrote = write(fd, file->at + at, file->size - at);
    fuzz_must(wrote > 0, "a file in memory can be written");
    at += (size_t)wrote;
  }
  (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  const lfb_status status = lfb_any_open(path, kind, LFB_OPEN_COPY, limits, made);
  (void)close(fd);
  *taken = file->size;
  return status;
}

const fuzz_way fuzz_ways[] = {
    {.read = read_whole},
    {.read = read_pieces},
    {.read = read_file, .takes_all = true},
    {.read = NULL},
};
