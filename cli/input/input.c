/* input.c - reads files or standard input as chunks of whole records. */
#define _GNU_SOURCE /* memrchr */
#include "cli/input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/human.h"
#include "cli/base/output.h"
#include "cli/base/progress.h"
#include "cli/base/report.h"
#include "cli/input/lines.h"
#include "cli/input/start.h"

enum {
  /* The size of one read(): small enough to be in the core's cache when it is split. */
  INPUT_READ = 256 * 1024,
  /* Where read() stores: at a cache line.  The kernel's copy to 16 bytes after the start of a page
   * took 1.4 times as long on AMD Zen 4, to 1 byte after it 3.5 times. */
  INPUT_LINE = 64,
  /* The longest record of a compressed file: few bytes can hold one that fills the memory. */
  INPUT_PACKED_RECORD = 256 * 1024 * 1024,
  /* The size of a pipe: Linux allows as much to every user by default. */
  INPUT_PIPE = 1024 * 1024,
};

void chunk_free(struct chunk *chunk)
{
  free(chunk->memory);
  free(chunk->parts);
  free(chunk->text);
  chunk->bytes = chunk->memory = NULL; /* by fields: clang-tidy does not follow a copy of all */
  chunk->parts = NULL;
  chunk->text = NULL;
  chunk->size = chunk->capacity = chunk->text_capacity = 0;
}

bool chunk_parts(struct chunk *chunk, size_t size)
{
  if (chunk->parts == NULL)
    chunk->parts = malloc(CHUNK_PARTS * sizeof *chunk->parts);
  if (chunk->text_capacity < size) {
    free(chunk->text);
    chunk->text = malloc(size);
    chunk->text_capacity = chunk->text != NULL ? size : 0;
  }
  if (chunk->parts != NULL && chunk->text_capacity >= size)
    return true;
  return report_false_errno("input");
}

/* Counts the delimiters from `at` to `end`. */
static uint64_t chunk_delimiters(const char *at, const char *end, char delimiter)
{
  uint64_t count = 0;

  while (at < end && (at = memchr(at, delimiter, (size_t)(end - at))) != NULL) {
    count++;
    at++;
  }
  return count;
}

void chunk_refuse(struct chunk *chunk, char delimiter, const char *at, const char *why)
{
  chunk->refused = chunk->lines + 1 - chunk_delimiters(at, chunk->bytes + chunk->size, delimiter);
  (void)snprintf(chunk->why, sizeof chunk->why, "%s", why);
}

void chunk_report(const struct chunk *chunk)
{
  if (chunk->refused != 0)
    (void)report_error("%s:%" PRIu64 ": %s", chunk->name, chunk->refused, chunk->why);
}

size_t chunk_keys(const struct chunk *chunk, char delimiter, size_t *at, lfb_key *keys,
                  size_t most)
{
  return lines_keys(chunk->bytes, chunk->size, delimiter, at, keys, most);
}

/* Makes room for `room` bytes after chunk->size, and for those that `bytes` promises. */
static bool chunk_grow(struct chunk *chunk, size_t room)
{
  const size_t before = chunk->memory == NULL ? 0 : (size_t)(chunk->bytes - chunk->memory);
  const size_t needed = before + chunk->size + room + CHUNK_ROOM;
  size_t capacity = 2 * (size_t)INPUT_READ + INPUT_LINE + CHUNK_ROOM;

  if (chunk->memory != NULL && needed <= chunk->capacity)
    return true;
  while (capacity < needed)
    capacity *= 2; /* no overflow: `needed` is at most the bytes in memory and one read */
  char *memory = realloc(chunk->memory, capacity);
  if (memory == NULL)
    return false;
  chunk->memory = memory;
  chunk->bytes = memory + before;
  chunk->capacity = capacity;
  return true;
}

/* Empties the chunk, and frees memory that a very long record needed. */
static void chunk_reset(struct chunk *chunk)
{
  if (chunk->capacity > 16 * (size_t)INPUT_READ)
    chunk_free(chunk);
  chunk->size = 0;
  chunk->refused = 0;
}

static bool input_is_standard(const char *path)
{
  return strcmp(path, "-") == 0;
}

bool input_check(char *const *paths, size_t path_count)
{
  struct stat status;

  for (size_t i = 0; i < path_count; i++) {
    if (input_is_standard(paths[i]))
      continue;
    if (stat(paths[i], &status) == 0 && S_ISDIR(status.st_mode))
      errno = EISDIR;
    else if (access(paths[i], R_OK) == 0) {
      if (packed_check(paths[i]))
        continue;
      return false;
    }
    return report_false_errno(paths[i]);
  }
  return true;
}

bool input_check_starts(char *const *paths, size_t path_count, char delimiter)
{
  char head[START_MOST];

  for (size_t i = 0; i < path_count; i++) {
    const size_t got = input_is_standard(paths[i]) ? 0 : start_read(paths[i], head, sizeof head);
    const struct start start = start_of(head, got, delimiter);
    if (start.kind != START_REFUSED)
      continue;
    return report_false("%s: %s", paths[i], start.why);
  }
  return true;
}

/* Whether it is a regular file.  Adds to `*left` its bytes: of standard input what is left. */
static bool input_is_regular(const char *path, uint64_t *left)
{
  const bool standard = input_is_standard(path);
  struct stat status;

  if ((standard ? fstat(STDIN_FILENO, &status) : stat(path, &status)) != 0 ||
      !S_ISREG(status.st_mode))
    return false;
  const off_t at = standard ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
  if (at < status.st_size)
    *left += (uint64_t)(status.st_size - at);
  return at >= 0;
}

/* Adds the sizes.  False if not all are regular files. */
static bool input_are_regular(char *const *paths, size_t path_count, uint64_t *left)
{
  for (size_t i = 0; i < path_count; i++)
    if (!input_is_regular(paths[i], left))
      return false;
  return path_count > 0 || input_is_regular("-", left);
}

bool input_is_rereadable(char *const *paths, size_t path_count)
{
  uint64_t left = 0;

  return input_are_regular(paths, path_count, &left);
}

uint64_t input_total_bytes(char *const *paths, size_t path_count)
{
  uint64_t total = 0;

  return input_are_regular(paths, path_count, &total) ? total : 0;
}

bool input_begin(struct input *input)
{
  input->fd = -1;
  input->rest = malloc(INPUT_READ);
  return input->rest != NULL || report_false_errno("input");
}

static void input_close_file(struct input *input)
{
  packed_end(input->packed);
  input->packed = NULL;
  if (input->fd > STDERR_FILENO)
    (void)close(input->fd);
  input->fd = -1;
}

void input_end(struct input *input)
{
  input_close_file(input);
  free(input->rest);
}

/* A file that is copied to itself grows without end. */
static bool input_is_output(int fd)
{
  struct stat in;
  struct stat out;

  return fstat(fd, &in) == 0 && fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(in.st_mode) &&
         in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

/* Gives up the open file, after a report.  Returns INPUT_CHUNK if it is skipped. */
static enum input_result input_give_up(struct input *input)
{
  if (input->skipped == NULL)
    return INPUT_FAILED;
  *input->skipped = true;
  input_close_file(input);
  return INPUT_CHUNK;
}

/* Reports what is wrong with the open file, and gives it up. */
static enum input_result input_fail(struct input *input, const char *problem)
{
  if (input->skipped == NULL)
    (void)report_error("%s: %s", input->name, problem);
  else
    report_note("%s: %s", input->name, problem);
  return input_give_up(input);
}

static void input_begin_header(struct input *input)
{
  input->header->known |= input->header->size > 0;
  input->header_left = input->header->lines;
  input->header_at = 0;
}

/* Opens the next file.  Returns INPUT_CHUNK if there was one; if it is skipped, none is open. */
static enum input_result input_open(struct input *input)
{
  const size_t count = input->path_count > 0 ? input->path_count : 1;

  if (input->header != NULL)
    input_begin_header(input);
  if (input->next_path == count)
    return INPUT_END;
  const char *path = input->path_count > 0 ? input->paths[input->next_path] : "-";
  const bool standard = input_is_standard(path);
  input->next_path++;
  input->lines = 0;
  input->name = standard ? "standard input" : path;
  input->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (input->fd < 0)
    return input_fail(input, strerror(errno));
  if (input->refuse_output && input_is_output(input->fd))
    return input_fail(input, "is also the output");
  /* For a pipe, so that its writer waits less; for anything else it fails without effect. */
  (void)fcntl(input->fd, F_SETPIPE_SZ, INPUT_PIPE);
  input->fresh = !input->plain;
  input->lines_end_in_cr = input->delimiter == '\n';
  input->any_line = false;
  return INPUT_CHUNK;
}

/* Reads at most `size` bytes once, to `to`.  Returns as read(). */
static ssize_t input_read(const struct input *input, char *to, size_t size)
{
  ssize_t got;

  if (input->packed != NULL)
    return packed_read(input->packed, to, size);
  do
    got = read(input->fd, to, size);
  while (got < 0 && errno == EINTR);
  if (got > 0)
    progress_add((uint64_t)got);
  return got;
}

/* Reads the first bytes of a file into an empty chunk.  If they are compressed, or the name says
 * so, the file is read by its codec from now on, and `*got` is 0.  Returns as input_open(). */
static enum input_result input_read_start(struct input *input, struct chunk *chunk, ssize_t *got)
{
  struct start start = {START_OPEN, NULL, NULL};
  size_t size = 0;

  do {
    *got = input_read(input, chunk->bytes + size, PACKED_READ - size);
    size += *got > 0 ? (size_t)*got : 0;
    start = start_of(chunk->bytes, size, input->delimiter);
  } while (*got > 0 && start.kind == START_OPEN);
  input->fresh = false;
  if (*got < 0)
    return INPUT_CHUNK;
  *got = (ssize_t)size;
  if (start.kind == START_REFUSED)
    return input_fail(input, start.why);
  if (start.kind != START_PACKED && (input->fd == STDIN_FILENO || !packed_is(input->name)))
    return INPUT_CHUNK;
  const struct packed_head head = {start.codec, chunk->bytes, size};
  input->packed = packed_begin(input->name, input->fd, head);
  *got = 0;
  return input->packed != NULL ? INPUT_CHUNK : input_give_up(input);
}

/* Keeps the bytes after the last delimiter for the next chunk.  False if there is no delimiter. */
static bool input_cut(struct input *input, struct chunk *chunk, size_t got)
{
  const char *fresh = chunk->bytes + chunk->size;
  const char *last = memrchr(fresh, input->delimiter, got);

  chunk->size += got;
  if (last == NULL)
    return false;
  input->rest_size = (size_t)(fresh + got - (last + 1)); /* below INPUT_READ */
  memcpy(input->rest, last + 1, input->rest_size);
  chunk->size -= input->rest_size;
  return true;
}

/* Begins the chunk with the rest of the last one, so that it ends where read() is to store. */
static bool input_take_rest(struct input *input, struct chunk *chunk)
{
  chunk_reset(chunk);
  chunk->bytes = chunk->memory;
  if (!chunk_grow(chunk, input->rest_size + INPUT_LINE))
    return report_false_errno("input");
  chunk->bytes += -((uintptr_t)chunk->memory + input->rest_size) % INPUT_LINE;
  memcpy(chunk->bytes, input->rest, input->rest_size);
  chunk->size = input->rest_size;
  input->rest_size = 0;
  return true;
}

/* Whether the lines of the chunk end in CR, too.  Of a file with one other line nothing is read. */
static void input_look_for_cr(struct input *input, const struct chunk *chunk)
{
  const char *at = chunk->bytes, *const end = at + chunk->size;

  while (input->lines_end_in_cr && at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (stop == NULL)
      stop = end;
    input->lines_end_in_cr = stop > at && stop[-1] == '\r';
    input->any_line = true;
    at = stop + 1;
  }
}

/* Warns, at the end of a file, if each of its lines ended in CR. */
static void input_warn_of_cr(struct input *input)
{
  if (input->lines_end_in_cr && input->any_line && !input->crlf && input->skip == 0)
    report_note("warning: %s: each line ends in a carriage return, which is part of the line: give "
                "--crlf if it should not be", input->name);
  input->any_line = false;
}

/* Reads more of the open file.  `*complete` says whether the chunk has whole records. */
static enum input_result input_more(struct input *input, struct chunk *chunk, bool *complete)
{
  if (input->packed != NULL && chunk->size > INPUT_PACKED_RECORD) {
    (void)report_error("%s: a record of over %s in a compressed file: decompress the file first",
                       input->name, human_bytes(INPUT_PACKED_RECORD).text);
    return INPUT_FAILED;
  }
  if (!chunk_grow(chunk, INPUT_READ)) {
    (void)report_error("%s: a record of over %zu bytes: %s", input->name, chunk->size,
                       strerror(errno));
    return INPUT_FAILED;
  }
  ssize_t got = 0;
  if (!input->fresh)
    got = input_read(input, chunk->bytes + chunk->size, INPUT_READ);
  else {
    const enum input_result started = input_read_start(input, chunk, &got);
    if (started != INPUT_CHUNK || input->fd < 0 || input->packed != NULL)
      return started;
  }
  if (got < 0) {
    chunk->size = 0; /* the record that the error cuts off is no key */
    return input->packed != NULL ? input_give_up(input) : input_fail(input, strerror(errno));
  }
  if (got == 0) {
    input_close_file(input);
    *complete = chunk->size > 0; /* the file's last record, without a delimiter */
    if (!*complete)
      input_warn_of_cr(input);
  } else {
    *complete = input_cut(input, chunk, (size_t)got);
  }
  return INPUT_CHUNK;
}

/* Gives a whole chunk its place in the file. */
static void input_place(struct input *input, struct chunk *chunk)
{
  chunk->name = input->name;
  input_look_for_cr(input, chunk);
  if (input->fd < 0)
    input_warn_of_cr(input);
  if (input->number_lines)
    input->lines +=
        chunk_delimiters(chunk->bytes, chunk->bytes + chunk->size, input->delimiter);
  chunk->lines = input->lines;
}

/* Leaves out what is to be skipped.  Returns whether a record is left. */
static bool input_skip(struct input *input, struct chunk *chunk)
{
  const size_t size = input->skip < chunk->size ? (size_t)input->skip : chunk->size;

  chunk->bytes += size;
  chunk->size -= size;
  input->skip -= size;
  return chunk->size > 0;
}

/* Keeps more of the header, and prints it.  False after a report. */
static bool header_add(struct input_header *header, const char *bytes, size_t size)
{
  char *const grown = realloc(header->bytes, header->size + size);

  if (grown == NULL)
    return report_false_errno("--header");
  header->bytes = grown;
  memcpy(grown + header->size, bytes, size);
  header->size += size;
  if (header->prints)
    output_write(bytes, size);
  return true;
}

/* Takes what is left of the header from the chunk.  False after a report. */
static bool input_take_header(struct input *input, struct chunk *chunk)
{
  struct input_header *const header = input->header;
  size_t size = 0;

  for (; input->header_left > 0 && size < chunk->size; input->header_left--) {
    const char *end = memchr(chunk->bytes + size, input->delimiter, chunk->size - size);
    if (end == NULL) /* the file ends so: its last byte may be followed by one more */
      chunk->bytes[chunk->size++] = input->delimiter;
    size = end == NULL ? chunk->size : (size_t)(end - chunk->bytes) + 1;
  }
  if (size == 0)
    return true;
  if (!header->known && !header_add(header, chunk->bytes, size))
    return false;
  if (size > header->size - input->header_at ||
      memcmp(header->bytes + input->header_at, chunk->bytes, size) != 0)
    return report_false("%s: begins with another header than the first file", chunk->name);
  input->header_at += size;
  chunk->bytes += size;
  chunk->size -= size;
  return true;
}

/* Gives up a file of JSON that has no object in each line, by its first chunk.  Returns INPUT_CHUNK
 * if it has, or was skipped: then the chunk is empty. */
static enum input_result input_check_json(struct input *input, struct chunk *chunk)
{
  const char *why = input->json && input->lines == 0
                        ? start_no_json_lines(chunk->bytes, chunk->size)
                        : NULL;

  if (why == NULL)
    return INPUT_CHUNK;
  chunk->size = input->rest_size = 0;
  return input_fail(input, why);
}

enum input_result input_next(struct input *input, struct chunk *chunk)
{
  bool complete = false;

  if (!input_take_rest(input, chunk))
    return INPUT_FAILED;
  for (;;) {
    enum input_result result = input->fd < 0 ? input_open(input) : INPUT_CHUNK;
    if (result == INPUT_CHUNK && input->fd >= 0)
      result = input_more(input, chunk, &complete);
    if (result != INPUT_CHUNK)
      return result;
    if (!complete)
      continue;
    if (input_check_json(input, chunk) != INPUT_CHUNK)
      return INPUT_FAILED;
    input_place(input, chunk);
    if (input->header != NULL && !input_take_header(input, chunk))
      return INPUT_FAILED;
    if (input_skip(input, chunk))
      return INPUT_CHUNK;
    if (!input_take_rest(input, chunk))
      return INPUT_FAILED;
  }
}
