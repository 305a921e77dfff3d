/*
 * count.c - counts the keys of files.
 *
 * A key ends at a delimiter, or at the end of a file whose last byte is none.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/input/count.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/progress.h"
#include "cli/base/report.h"
#include "cli/input/crew.h"
#include "cli/input/lines.h"
#include "cli/input/packed.h"
#include "cli/input/start.h"

enum {
  COUNT_READ = 64 * 1024, /* on the stack, where ThreadSanitizer leaves 128 KiB */
  COUNT_PIECE = 64 * COUNT_READ,
};

/* What the threads that count one file share. */
struct count {
  const char *path;
  int fd;
  uint64_t begin; /* the offset of the first key */
  char delimiter;
  _Atomic(uint64_t) next; /* the offset of the next piece */
  _Atomic(uint64_t) keys;
  _Atomic(bool) failed;
};

/* As pread(), with a report. */
static ssize_t count_read(struct count *count, char *bytes, size_t size, uint64_t offset)
{
  ssize_t got;

  do
    got = pread(count->fd, bytes, size, (off_t)offset);
  while (got < 0 && errno == EINTR);
  if (got < 0) {
    (void)report_errno(count->path);
    /* relaxed, as `keys`: all threads are joined before it is read. */
    atomic_store_explicit(&count->failed, true, memory_order_relaxed);
  }
  return got;
}

/* Counts the piece at `offset`, into `*keys`.  False at the end of the file, or after a report. */
static bool count_piece(struct count *count, uint64_t offset, uint64_t *keys)
{
  _Alignas(LINES_BLOCK) char bytes[COUNT_READ + LINES_BLOCK];
  const uint64_t end = offset + COUNT_PIECE;
  char before = count->delimiter;

  if (offset > count->begin && count_read(count, &before, 1, offset - 1) != 1)
    return false;
  while (offset < end) {
    const ssize_t got = count_read(count, bytes, COUNT_READ, offset);
    if (got <= 0) {
      *keys += got == 0 && before != count->delimiter; /* the file's last key */
      return false;
    }
    *keys += lines_count(bytes, (size_t)got, count->delimiter);
    before = bytes[got - 1];
    offset += (uint64_t)got;
    progress_add((uint64_t)got);
  }
  return true;
}

static void count_work(void *context, unsigned thread)
{
  struct count *count = context;
  uint64_t offset, keys = 0;

  (void)thread;
  /* relaxed: the number alone is the message. */
  do
    offset = atomic_fetch_add_explicit(&count->next, COUNT_PIECE, memory_order_relaxed);
  while (count_piece(count, offset, &keys));
  /* relaxed: all threads are joined before it is read. */
  atomic_fetch_add_explicit(&count->keys, keys, memory_order_relaxed);
}

/* Counts the open file, of `size` bytes from its begin, in pieces. */
static bool count_plain(struct count *count, uint64_t size, unsigned threads)
{
  const uint64_t pieces = size / COUNT_PIECE + 1;

  /* relaxed: no other thread exists yet. */
  atomic_store_explicit(&count->next, count->begin, memory_order_relaxed);
  const bool ran =
      crew_run(pieces < threads ? (unsigned)pieces : threads, CREW_ANY, count_work, count);

  return ran && !atomic_load_explicit(&count->failed, memory_order_relaxed);
}

/* Counts the open file as it is decompressed: it has no pieces that could be read alone. */
static bool count_packed(struct count *count, const struct codec *codec)
{
  _Alignas(LINES_BLOCK) char bytes[COUNT_READ + LINES_BLOCK];
  struct packed *packed =
      packed_begin(count->path, count->fd, (struct packed_head){.codec = codec});
  char before = count->delimiter;
  uint64_t keys = 0;
  ssize_t got = -1;

  while (packed != NULL && (got = packed_read(packed, bytes, COUNT_READ)) > 0) {
    keys += lines_count(bytes, (size_t)got, count->delimiter);
    before = bytes[got - 1];
  }
  packed_end(packed);
  /* relaxed: no other thread counts. */
  atomic_store_explicit(&count->keys, keys + (before != count->delimiter), memory_order_relaxed);
  return got == 0;
}

/* Counts the open file from where it is to be read next, which stays. */
static bool count_open(struct count *count, unsigned threads)
{
  struct stat status;
  char head[START_MOST];
  const off_t begin = count->fd < 0 ? -1 : lseek(count->fd, 0, SEEK_CUR);

  if (begin < 0 || fstat(count->fd, &status) != 0)
    return report_false_errno(count->path);
  count->begin = (uint64_t)begin;
  const ssize_t got = count_read(count, head, sizeof head, count->begin);
  if (got < 0)
    return false;
  const struct start start = start_of(head, (size_t)got, count->delimiter);
  if (start.kind == START_REFUSED)
    return report_false("%s: %s", count->path, start.why);
  if (start.kind == START_PACKED || packed_is(count->path)) {
    const bool counted = count_packed(count, start.codec);
    return lseek(count->fd, begin, SEEK_SET) == begin && counted;
  }
  return count_plain(count, begin < status.st_size ? (uint64_t)(status.st_size - begin) : 0,
                     threads);
}

static bool count_file(struct count *count, unsigned threads)
{
  count->fd = open(count->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  const bool counted = count_open(count, threads);
  if (count->fd >= 0)
    (void)close(count->fd);
  return counted;
}

static bool count_standard(struct count *count, unsigned threads)
{
  count->path = "standard input";
  count->fd = STDIN_FILENO;
  return count_open(count, threads);
}

bool count_keys(char *const *paths, size_t path_count, char delimiter, unsigned threads,
                uint64_t *keys)
{
  uint64_t total = 0;
  bool had_standard = false;

  for (size_t i = 0; i < (path_count == 0 ? 1 : path_count); i++) {
    const char *path = path_count == 0 ? "-" : paths[i];
    const bool standard = strcmp(path, "-") == 0;
    struct count count = {.path = path, .delimiter = delimiter};
    if (standard && had_standard) /* at its end by then */
      continue;
    had_standard |= standard;
    if (!(standard ? count_standard : count_file)(&count, threads))
      return false;
    total += atomic_load_explicit(&count.keys, memory_order_relaxed);
  }
  *keys = total;
  return true;
}
