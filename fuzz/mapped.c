/* mapped.c - see mapped.h. */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz/mapped.h"

#include <lfbloom/mapped.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/outcomes.h"

enum { KEYS = 64, HEAD = 512, AT_ORDER = 16 };

/* A file in memory, and a path at which it can be opened. */
typedef struct file {
  int fd;
  char path[32];
} file;

static file file_make(const fuzz_bytes *bytes)
{
  file made = {.fd = memfd_create("fuzz", MFD_CLOEXEC)};

  fuzz_must(made.fd >= 0, "a file in memory can be made");
  for (size_t at = 0; at < bytes->size;) {
    const ssize_t wrote = write(made.fd, bytes->at + at, bytes->size - at);
    fuzz_must(wrote > 0, "a file in memory can be written");
    at += (size_t)wrote;
  }
  (void)snprintf(made.path, sizeof made.path, "/proc/self/fd/%d", made.fd);
  return made;
}

/* Whether the words are in this host's byte order; the file must be readable. */
static bool file_is_of_this_machine(const fuzz_bytes *bytes)
{
  const uint64_t mark = UINT64_C(0x0102030405060708);
  return memcmp(bytes->at + AT_ORDER, &mark, sizeof mark) == 0;
}

/* The status expected when a file that can be read as a form is opened. */
static lfb_status wanted_status(const fuzz_input *input, size_t taken)
{
  if (!file_is_of_this_machine(&input->file))
    return LFB_ERROR_BYTE_ORDER;
  return taken < input->file.size ? LFB_ERROR_TRAILING_BYTES : LFB_OK;
}

static bool shared_has(const lfb_filter *filter, uint64_t chance)
{
  bool all = true;

  for (uint64_t i = 0; i < KEYS; i++)
    all = all && lfb_filter_might_contain_hash(filter, fuzz_mix(chance + i));
  return all;
}

static void check_figures(const lfb_filter *filter)
{
  lfb_stats stats;

  lfb_filter_stats(filter, &stats);
  fuzz_must(stats.form == LFB_FORM_MAPPED, "the filter knows that it is shared");
  fuzz_must(stats.bits_set <= stats.bit_count && stats.expected_fpp >= 0 &&
                stats.expected_fpp <= 1,
            "figures of a shared filter fit one another");
}

/* Puts half of the keys, and claims each of the others in two mappings. */
static void shared_put(lfb_filter *one, lfb_filter *other, uint64_t chance)
{
  for (uint64_t i = 0; i < KEYS; i++) {
    const uint64_t hash = fuzz_mix(chance + i);
    if (i % 2 == 0) {
      (void)lfb_filter_put_hash(one, hash);
      continue;
    }
    const bool there = lfb_filter_might_contain_hash(one, hash);
    const bool first = lfb_filter_claim_hash(one, hash),
                       second = lfb_filter_claim_hash(other, hash);
    fuzz_must(!second && !(there && first), "at most one claim of a key wins");
  }
}

static void check_count(const lfb_filter *filter)
{
  lfb_filter *copy;
  lfb_stats counted, exact;

  fuzz_must(lfb_filter_copy(filter, &copy) == LFB_OK, "a shared filter is copied");
  lfb_filter_stats(filter, &counted);
  lfb_filter_stats(copy, &exact);
  fuzz_must(counted.bits_set == exact.bits_set, "a shared filter's count is that of its words");
  lfb_filter_free(copy);
}

static void check_written(const lfb_filter *filter, const uint8_t *key, uint64_t chance)
{
  const fuzz_bytes bytes = fuzz_outcome_written(fuzz_reader_find("mapped"), filter);
  const file again = file_make(&bytes);
  const lfb_read_limits limits = {.key = key};
  const lfb_filter *opened;

  fuzz_must(lfb_mapped_open_read_only(again.path, &limits, &opened) == LFB_OK,
            "what was written of a shared filter opens");
  fuzz_must(shared_has(opened, chance), "and has its keys");
  lfb_mapped_close(opened);
  (void)close(again.fd);
  free(bytes.at);
}

/* Uses a file that opens. */
static void check_use(const fuzz_input *input, const file *shared, const lfb_read_limits *limits,
                      lfb_filter *filter, const lfb_filter *watching)
{
  lfb_filter *other;

  fuzz_must(lfb_mapped_open(shared->path, limits, &other) == LFB_OK, "it opens twice");
  check_figures(watching);
  shared_put(filter, other, input->chance);
  fuzz_must(shared_has(filter, input->chance) && shared_has(other, input->chance) &&
                shared_has(watching, input->chance),
            "what is put is found by all");
  check_count(other);
  check_figures(filter);
  const lfb_status synced = lfb_mapped_sync(filter);
  fuzz_must(synced == LFB_OK, "it is synced");
  check_written(watching, limits->key, input->chance);
  lfb_mapped_close(other);
}

static void check_afterwards(const fuzz_input *input, const file *shared,
                             const lfb_read_limits *limits)
{
  unsigned char head[HEAD];
  const lfb_filter *again;

  fuzz_must(pread(shared->fd, head, HEAD, 0) == HEAD && memcmp(head, input->file.at, HEAD) == 0,
            "the head is as it was");
  fuzz_must(lfb_mapped_open_read_only(shared->path, limits, &again) == LFB_OK &&
                shared_has(again, input->chance),
            "what was put is in the file");
  lfb_mapped_close(again);
}

void fuzz_mapped_use(const fuzz_input *input, const lfb_read_limits *limits, lfb_status read,
                     size_t taken)
{
  const file shared = file_make(&input->file);
  const lfb_filter *watching = NULL;
  lfb_filter *filter = NULL;
  const lfb_status status = lfb_mapped_open(shared.path, limits, &filter);

  fuzz_must((status == LFB_OK) == (filter != NULL), "what is refused is not handed out");
  const lfb_status reading = lfb_mapped_open_read_only(shared.path, limits, &watching);
  fuzz_must((reading == LFB_OK) == (watching != NULL), "nor in the other way");
  fuzz_must(reading == status, "both ways to open agree");
  fuzz_must(read == LFB_OK ? status == wanted_status(input, taken) : status != LFB_OK,
            "what can be read can be shared, and nothing else");
  if (status == LFB_OK) {
    check_use(input, &shared, limits, filter, watching);
    lfb_mapped_close(filter);
    check_afterwards(input, &shared, limits);
  }
  lfb_mapped_close(watching);
  (void)close(shared.fd);
}

/* The filter that loading a file gives, unless its words are damaged. */
static lfb_filter *loaded_from(const file *from, const lfb_read_limits *limits)
{
  const lfb_read_limits strict = {.key = limits->key, .max_bytes = limits->max_bytes};
  lfb_filter *loaded = NULL;

  lfb_ignore(lfb_filter_load(from->path, &strict, &loaded));
  return loaded;
}

static void check_answers(const lfb_filter *in_place, const lfb_filter *loaded, uint64_t chance)
{
  lfb_stats one, other;

  for (uint64_t i = 0; i < KEYS; i++) {
    const uint64_t hash = fuzz_mix(chance + i);
    fuzz_must(lfb_filter_might_contain_hash(in_place, hash) ==
                  lfb_filter_might_contain_hash(loaded, hash),
              "answers in place are those of the loaded filter");
  }
  lfb_filter_stats(in_place, &one);
  lfb_filter_stats(loaded, &other);
  fuzz_must(one.bits_set == other.bits_set, "and so is the count");
}

void fuzz_in_place_use(const fuzz_input *input, const lfb_read_limits *limits, lfb_status read,
                       size_t taken)
{
  const file from = file_make(&input->file);
  const lfb_filter *in_place = NULL;
  const lfb_status status = lfb_mapped_open_read_only(from.path, limits, &in_place);
  lfb_filter *loaded = loaded_from(&from, limits);

  fuzz_must((status == LFB_OK) == (in_place != NULL), "what is refused is not handed out");
  fuzz_must(read != LFB_OK || taken < input->file.size || status == LFB_OK ||
                status == LFB_ERROR_BAD_HEADER || status == LFB_ERROR_BYTE_ORDER,
            "what can be read can be opened in place, unless damage is after the last bit");
  fuzz_must(loaded == NULL || status == LFB_OK || status == LFB_ERROR_BYTE_ORDER,
            "what can be loaded can be opened in place");
  if (in_place != NULL && loaded != NULL)
    check_answers(in_place, loaded, input->chance);
  lfb_filter_free(loaded);
  lfb_mapped_close(in_place);
  (void)close(from.fd);
}
