/*
 * urls.c - prints each URL of a file once: the thread that claims a URL prints it.
 *
 * Two spellings of one URL are one key: case does not matter in the scheme and the host, and the
 * part from '#' on is ignored.  The funnel passes these bytes to the filter without a copy.
 */
#define _GNU_SOURCE /* memmem */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <lfbloom/filter_more.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { URLS_TROUBLE = 2, URLS_THREADS_MOST = 256 };

/* A part of the file, of whole lines. */
struct part {
  const char *begin;
  const char *end;
  lfb_filter *seen;
  uint64_t count; /* URLs in the part                      */
  uint64_t first; /* of them, those that this thread claimed */
};

/* Returns the size of scheme and host in bytes: up to the slash after "://". */
static size_t url_host_end(const lfb_key *url)
{
  const char *text = url->bytes;
  const char *scheme = memmem(text, url->size, "://", 3);
  const size_t host = scheme == NULL ? 0 : (size_t)(scheme - text) + 3;
  const char *slash = memchr(text + host, '/', url->size - host);

  if (scheme == NULL)
    return 0;
  return slash == NULL ? url->size : (size_t)(slash - text);
}

/* Passes the bytes that identify a URL. */
static void url_funnel(const void *object, lfb_sink *sink)
{
  const lfb_key *url = object;
  const char *text = url->bytes;
  const char *fragment = memchr(text, '#', url->size);
  const lfb_key whole = {text, fragment == NULL ? url->size : (size_t)(fragment - text)};
  const size_t host_end = url_host_end(&whole);

  for (size_t at = 0; at < host_end; at++) {
    const char lower = (char)tolower((unsigned char)text[at]);
    lfb_sink_put_bytes(sink, &lower, 1);
  }
  lfb_sink_put_bytes(sink, text + host_end, whole.size - host_end);
}

/* Held while a line is printed. */
static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;

/* Claims one line, and prints it if the claim succeeded. */
static void part_claim(struct part *part, lfb_key line)
{
  if (line.size == 0)
    return;
  part->count++;
  if (!lfb_filter_claim_object(part->seen, url_funnel, &line))
    return;
  part->first++;
  pthread_mutex_lock(&printing);
  (void)fwrite(line.bytes, 1, line.size, stdout);
  (void)putchar('\n');
  pthread_mutex_unlock(&printing);
}

static void *part_work(void *self)
{
  struct part *part = self;

  for (const char *at = part->begin; at < part->end;) {
    const char *end = memchr(at, '\n', (size_t)(part->end - at));
    if (end == NULL)
      end = part->end;
    part_claim(part, (lfb_key){at, (size_t)(end - at)});
    at = end + 1;
  }
  return NULL;
}

/* The first beginning of a line at or after `at`. */
static const char *line_after(const char *begin, const char *at, const char *end)
{
  if (at == begin)
    return at;
  const char *newline = memchr(at - 1, '\n', (size_t)(end - at) + 1);
  return newline == NULL ? end : newline + 1;
}

/* Cuts the file into `count` parts, at ends of lines. */
static void parts_cut(struct part *parts, unsigned count, const char *begin, size_t size,
                      lfb_filter *seen)
{
  const char *end = begin + size;

  for (unsigned i = 0; i < count; i++) {
    const size_t share = size / count;
    parts[i] = (struct part){.begin = line_after(begin, begin + i * share, end), .seen = seen};
    if (i > 0)
      parts[i - 1].end = parts[i].begin;
  }
  parts[count - 1].end = end;
}

/* Processes all parts concurrently.  This thread takes the first one, and each part for which no
 * thread can be started. */
static void parts_work(struct part *parts, unsigned count)
{
  pthread_t threads[URLS_THREADS_MOST];
  unsigned started = 1;

  while (started < count &&
         pthread_create(&threads[started], NULL, part_work, &parts[started]) == 0)
    started++;
  (void)part_work(&parts[0]);
  for (unsigned i = started; i < count; i++)
    (void)part_work(&parts[i]);
  for (unsigned i = 1; i < started; i++)
    (void)pthread_join(threads[i], NULL);
}

/* Prints each URL once, and the counts on standard error. */
static int urls_print(const char *bytes, size_t size, unsigned count, lfb_filter *seen)
{
  struct part parts[URLS_THREADS_MOST];
  uint64_t all = 0, first = 0;

  parts_cut(parts, count, bytes, size, seen);
  parts_work(parts, count);
  for (unsigned i = 0; i < count; i++) {
    all += parts[i].count;
    first += parts[i].first;
  }
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fprintf(stderr, "urls: standard output: %s\n", strerror(errno));
    return URLS_TROUBLE;
  }
  fprintf(stderr, "urls: %llu URLs, %llu of them distinct\n", (unsigned long long)all,
          (unsigned long long)first);
  return EXIT_SUCCESS;
}

/* Maps an open file into memory; an empty one is an empty string.  Fails with errno. */
static const char *file_map(int file, size_t *size)
{
  struct stat status;

  if (fstat(file, &status) != 0)
    return NULL;
  if (!S_ISREG(status.st_mode)) {
    errno = ENODEV; /* as mmap(2) */
    return NULL;
  }
  *size = (size_t)status.st_size;
  if (*size == 0)
    return "";
  const char *bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
  return bytes == MAP_FAILED ? NULL : bytes;
}

/* The same for a path; NULL after a report.  It stays mapped until the program ends. */
static const char *path_map(const char *path, size_t *size)
{
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const char *bytes = file < 0 ? NULL : file_map(file, size);

  if (bytes == NULL)
    fprintf(stderr, "urls: %s: %s\n", path, strerror(errno));
  if (file >= 0)
    (void)close(file);
  return bytes;
}

/* Parses a whole number from 1 to `most`; returns 0 if it is not one. */
static uint64_t read_number(const char *text, uint64_t most)
{
  char *end;

  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && value <= most ? value
                                                                                         : 0;
}

static int urls_run(const char *path, unsigned threads, uint64_t expected)
{
  const lfb_config config = {.expected_insertions = expected, .fpp = 1e-6};
  lfb_filter *seen;
  size_t size;
  const char *bytes = path_map(path, &size);

  if (bytes == NULL)
    return URLS_TROUBLE;
  const lfb_status status = lfb_filter_create(&config, &seen);
  if (status != LFB_OK) {
    fprintf(stderr, "urls: %s\n", lfb_status_text(status));
    return URLS_TROUBLE;
  }
  const int result = urls_print(bytes, size, threads, seen);
  lfb_filter_free(seen);
  return result;
}

int main(int argc, char **argv)
{
  const unsigned threads =
      argc == 4 ? (unsigned)read_number(argv[1], URLS_THREADS_MOST) : 0;
  const uint64_t expected = argc == 4 ? read_number(argv[2], UINT64_C(1) << 40) : 0;

  if (threads != 0 && expected != 0)
    return urls_run(argv[3], threads, expected);
  fprintf(stderr, "usage: urls THREADS EXPECTED FILE\n"
                  "Prints each URL of FILE, which has one per line, once, in any order.\n"
                  "THREADS: 1 to %d.  EXPECTED: the number of distinct URLs.  Up to it, one URL\n"
                  "in a million is a false positive and is not printed; beyond it, more.\n",
          URLS_THREADS_MOST);
  return URLS_TROUBLE;
}
