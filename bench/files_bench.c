/*
 * files_bench.c - saving a filter to a file and loading it, against the system's time for the
 * same bytes.
 *
 * VERB/KIND/SIZE/PLACE; one iteration is one file.
 *   save (with its fsync), load, load_cold (no page of the file in memory): KIND is native, or
 *     plain: the bare words by one write() and fsync(), or by one read() into new memory.
 *   open (a query, and close): KIND is mapped, a filter that processes share, or plain: one
 *     mmap(), a byte, munmap().
 *   PLACE is disk (--files=DIRECTORY), or shm, a file system in memory, where no disk hides the
 *     library's time.
 *   copy/KIND/SIZE, without a file: lfb_filter_copy(), or memcpy() into new memory.
 */
#define _GNU_SOURCE /* O_CLOEXEC, posix_fadvise */
#include <fcntl.h>
#include <lfbloom/mapped.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/benches.h"
#include "bench/keys.h"
#include "bench/shim.h"
#include "bloom/filter/filter.h"
#include "bloom/files/forms.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { PLACES = 2, PATH_SIZE = 4096 };

static struct {
  const char *name;
  const char *directory;
} places[PLACES] = {{"disk", "."}, {"shm", "/dev/shm"}};

void lfb_bench_files_in(const char *directory)
{
  places[0].directory = directory;
}

/* The filter that is saved; its words are random bits. */
static struct {
  lfb_filter *filter;
  uint64_t size; /* requested, in bytes */
} stage;

static bool stage_enter(uint64_t size)
{
  const lfb_config config = {
      .expected_insertions = size * 8 / 10, .fpp = 0.01, .strategy = LFB_FAST,
      .hash = LFB_HASH_XXH3, .seed = 1};

  if (stage.size == size)
    return true;
  lfb_bench_clear_files();
  if (lfb_filter_create(&config, &stage.filter) != LFB_OK)
    return false;
  uint64_t *words = stage.filter->pages.address;
  for (uint64_t i = 0; i < stage.filter->pages.size / sizeof *words; i++)
    words[i] = lfb_keys_number(i);
  stage.size = size;
  return true;
}

void lfb_bench_clear_files(void)
{
  lfb_filter_free(stage.filter);
  memset(&stage, 0, sizeof stage);
}

/* ---- what is timed ------------------------------------------------------- */

static bool save_native(const char *path)
{
  return lfb_filter_save(stage.filter, LFB_FORM_NATIVE, path) == LFB_OK;
}

static bool save_plain(const char *path)
{
  const lfb_pages *pages = &stage.filter->pages;
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

  if (fd < 0)
    return false;
  const bool wrote =
      write(fd, pages->address, pages->size) == (ssize_t)pages->size && fsync(fd) == 0;
  return close(fd) == 0 && wrote;
}

static bool load_native(const char *path)
{
  lfb_filter *filter;

  if (lfb_filter_load(path, NULL, &filter) != LFB_OK)
    return false;
  lfb_filter_free(filter);
  return true;
}

static bool load_plain(const char *path)
{
  lfb_pages pages;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);

  if (fd < 0)
    return false;
  bool got = lfb_pages_init(&pages, stage.filter->pages.size, false) == LFB_OK;
  if (got) {
    got = read(fd, pages.address, pages.size) == (ssize_t)pages.size;
    lfb_pages_free(&pages);
  }
  return close(fd) == 0 && got;
}

static bool save_mapped(const char *path)
{
  return lfb_filter_save(stage.filter, LFB_FORM_MAPPED, path) == LFB_OK;
}

static bool open_mapped(const char *path)
{
  lfb_filter *filter;

  if (lfb_mapped_open(path, NULL, &filter) != LFB_OK)
    return false;
  __asm__ volatile("" : : "r"(lfb_filter_might_contain_u64(filter, 1))); /* keeps the query */
  lfb_mapped_close(filter);
  return true;
}

static bool open_plain(const char *path)
{
  struct stat found;
  const int fd = open(path, O_RDWR | O_CLOEXEC);

  if (fd < 0)
    return false;
  if (fstat(fd, &found) != 0) {
    (void)close(fd);
    return false;
  }
  const size_t size = (size_t)found.st_size;
  char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (bytes != MAP_FAILED) {
    __asm__ volatile("" : : "r"(*(volatile char *)(bytes + size / 2))); /* the page is touched */
    (void)munmap(bytes, size);
  }
  return close(fd) == 0 && bytes != MAP_FAILED;
}

static bool copy_native(const char *path)
{
  lfb_filter *copy;

  (void)path;
  if (lfb_filter_copy(stage.filter, &copy) != LFB_OK)
    return false;
  lfb_filter_free(copy);
  return true;
}

static bool copy_plain(const char *path)
{
  const lfb_pages *from = &stage.filter->pages;
  lfb_pages pages;

  (void)path;
  if (lfb_pages_init(&pages, from->size, true) != LFB_OK) /* as a copy: touched by the stores */
    return false;
  memcpy(pages.address, from->address, from->size);
  __asm__ volatile("" : : "r"(pages.address) : "memory"); /* keeps the copy */
  lfb_pages_free(&pages);
  return true;
}

/* Removes a synced file from the system's page cache. */
static bool forget(const char *path)
{
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  const bool done = fd >= 0 && posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0;

  if (fd >= 0)
    (void)close(fd);
  return done;
}

static bool nothing(const char *path)
{
  (void)path;
  return true;
}

typedef bool (*file_act)(const char *path);

typedef struct file_way {
  const char *name;  /* VERB/KIND                                       */
  file_act prepare;  /* before the first iteration; not timed           */
  file_act before;   /* before each iteration; not timed                */
  file_act act;
  unsigned places;   /* runs in so many of them, from the first; 0: has no file */
} file_way;

static const file_way ways[] = {
    {"save/plain", nothing, nothing, save_plain, PLACES},
    {"save/native", nothing, nothing, save_native, PLACES},
    {"load/plain", save_native, nothing, load_plain, PLACES},
    {"load/native", save_native, nothing, load_native, PLACES},
    {"load_cold/plain", save_native, forget, load_plain, 1},
    {"load_cold/native", save_native, forget, load_native, 1},
    {"open/plain", save_mapped, nothing, open_plain, PLACES},
    {"open/mapped", save_mapped, nothing, open_mapped, PLACES},
    {"copy/plain", nothing, nothing, copy_plain, 0},
    {"copy/native", nothing, nothing, copy_native, 0},
};

typedef struct file_case {
  const file_way *way;
  unsigned place;
  uint64_t size;
} file_case;

static void file_body(lfb_bench_state *state, const void *argument)
{
  const file_case *c = argument;
  char path[PATH_SIZE];

  (void)snprintf(path, sizeof path, "%s/lfbloom-bench-%ld", places[c->place].directory,
                 (long)getpid());
  bool done = stage_enter(c->size) && c->way->prepare(path);
  while (lfb_bench_keep_running(state, 1)) {
    lfb_bench_pause();
    done = done && c->way->before(path);
    lfb_bench_resume();
    done = done && c->way->act(path);
  }
  (void)unlink(path);
  if (!done)
    lfb_bench_fail(state, "no memory, or no room for the file");
}

/* ---- the table ----------------------------------------------------------- */

void lfb_bench_register_files(const lfb_bench_size *size)
{
  static file_case cases[LFB_BENCH_SIZES * COUNT(ways) * PLACES];
  static file_case *next = cases;

  if (size->bytes < 2 * LFB_CHECKED_BYTES)
    return;
  for (unsigned place = 0; place < PLACES; place++)
    for (size_t i = 0; i < COUNT(ways); i++) {
      const bool file = ways[i].places > 0;
      char name[64];
      if (file ? place >= ways[i].places : place > 0)
        continue;
      *next = (file_case){&ways[i], place, size->bytes};
      (void)snprintf(name, sizeof name, "%s/%s%s%s", ways[i].name, size->name, file ? "/" : "",
                     file ? places[place].name : "");
      lfb_bench_register(
          &(lfb_bench_row){.name = name, .body = file_body, .argument = next++, .threads = 1});
    }
}
