/* ways.c - the ways to read a file that is in memory: as a stream, in pieces, as a file. */
#define _GNU_SOURCE /* memfd_create */
#include <lfbloom/counting.h>
#include <lfbloom/growing.h>
#include <lfbloom/window.h>
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

/* The functions that read one kind of filter, from a stream and from a file. */
typedef struct opener {
  lfb_status (*read)(lfb_read_fn read, void *from, const lfb_read_limits *limits, void **made);
  lfb_status (*load)(const char *path, const lfb_read_limits *limits, void **made);
} opener;

/* Wraps lfb_`noun`_read() and lfb_`noun`_load() for filters of type `type`. */
#define OPENER(noun, type)                                                                \
  static lfb_status noun##_read(lfb_read_fn read, void *from, const lfb_read_limits *limits, \
                                void **made)                                              \
  {                                                                                       \
    type *it = *made;                                                                     \
    const lfb_status status = lfb_##noun##_read(read, from, limits, &it);                 \
    *made = it;                                                                           \
    return status;                                                                        \
  }                                                                                       \
  static lfb_status noun##_load(const char *path, const lfb_read_limits *limits, void **made) \
  {                                                                                       \
    type *it = *made;                                                                     \
    const lfb_status status = lfb_##noun##_load(path, limits, &it);                       \
    *made = it;                                                                           \
    return status;                                                                        \
  }                                                                                       \
  static const opener noun##_opener = {noun##_read, noun##_load};

OPENER(filter, lfb_filter)
OPENER(growing, lfb_growing)
OPENER(counting, lfb_counting)
OPENER(window, lfb_window)

static lfb_status stream_open(const opener *open, const fuzz_input *input, bool short_reads,
                              const lfb_read_limits *limits, void **made, size_t *taken)
{
  stream from = {.input = input, .short_reads = short_reads};
  const lfb_status status = open->read(stream_read, &from, limits, made);

  *taken = from.at;
  if (!from.ended)
    return status;
  fuzz_must(status == (input->fails_at_end ? LFB_ERROR_READ : LFB_ERROR_TRUNCATED),
            "what ends a stream is what the reader says");
  return LFB_ERROR_TRUNCATED;
}

static lfb_status file_open(const opener *open, const fuzz_input *input,
                            const lfb_read_limits *limits, void **made, size_t *taken)
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
  const lfb_status status = open->load(path, limits, made);
  (void)close(fd);
  *taken = file->size;
  return status;
}

/* Defines the table of ways to read with an opener. */
#define WAYS(noun, name)                                                                       \
  static lfb_status noun##_whole(const fuzz_input *input, const lfb_read_limits *limits,       \
                                 void **made, size_t *taken)                                   \
  {                                                                                            \
    return stream_open(&noun##_opener, input, false, limits, made, taken);                     \
  }                                                                                            \
  static lfb_status noun##_pieces(const fuzz_input *input, const lfb_read_limits *limits,      \
                                  void **made, size_t *taken)                                  \
  {                                                                                            \
    return stream_open(&noun##_opener, input, true, limits, made, taken);                      \
  }                                                                                            \
  static lfb_status noun##_file(const fuzz_input *input, const lfb_read_limits *limits,        \
                                void **made, size_t *taken)                                    \
  {                                                                                            \
    return file_open(&noun##_opener, input, limits, made, taken);                              \
  }                                                                                            \
  const fuzz_way name[] = {                                                                    \
      {.read = noun##_whole},                                                                  \
      {.read = noun##_pieces},                                                                 \
      {.read = noun##_file, .takes_all = true},                                                \
      {.read = NULL},                                                                          \
  };

WAYS(filter, fuzz_stream_ways)
WAYS(growing, fuzz_growing_ways)
WAYS(counting, fuzz_counting_ways)
WAYS(window, fuzz_window_ways)
