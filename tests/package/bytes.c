/*
 * bytes.c - the bytes of filters, as files: bytes DIRECTORY GUAVA
 *
 * Built once with the library and once with the amalgamation, which must write the same. For
 * each strategy it fills a filter by every kind of put, and writes it in each form that can hold
 * it. GUAVA, a file that Java wrote, is read and written again. The time of writing, and the
 * checksum that covers it, are left out.
 */
#ifdef AMALGAMATED
#include "lfbloom.h"
#else
#include <lfbloom/filter_more.h>
#include <lfbloom/mapped.h>
#endif
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  KEYS = 3000,
  MANY = 1000,
  HEADER = 256,
  WRITTEN_AT = 80,   /* in a native header; a mapped file has it at HEADER */
  CHECKSUM_AT = 248, /* docs/formats.md                                       */
};

static const char *directory;

static void must(lfb_status status, const char *what)
{
  if (status == LFB_OK)
    return;
  fprintf(stderr, "%s: %s\n", what, lfb_status_text(status));
  exit(1);
}

/* DIRECTORY/NAME-MORE. */
static const char *path_of(const char *name, const char *more)
{
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s-%s", directory, name, more);
  return path;
}

static void forget(FILE *file, long at)
{
  static const char zeros[8];

  if (fseek(file, at, SEEK_SET) != 0 || fwrite(zeros, sizeof zeros, 1, file) != 1)
    must(LFB_ERROR_WRITE, "leaving out a field");
}

/* Clears the time of writing in a file with a native header at `header`. */
static void forget_time(const char *path, long header)
{
  FILE *file = fopen(path, "r+b");

  if (file == NULL)
    must(LFB_ERROR_OPEN, path);
  forget(file, header + WRITTEN_AT);
  forget(file, header + CHECKSUM_AT);
  fclose(file);
}

static void write_forms(const lfb_filter *filter, const char *name)
{
  for (lfb_form form = LFB_FORM_GUAVA; form <= LFB_FORM_MAPPED; form++) {
    lfb_stats stats;
    lfb_filter_stats(filter, &stats);
    if (!lfb_form_holds(form, stats.strategy))
      continue;
    const char *path = path_of(name, lfb_form_name(form));
    must(lfb_filter_save(filter, form, path), path);
    if (form == LFB_FORM_NATIVE || form == LFB_FORM_MAPPED)
      forget_time(path, form == LFB_FORM_MAPPED ? HEADER : 0);
  }
}

static void fill(lfb_filter *filter)
{
  static uint64_t numbers[MANY], answers[(MANY + 63) / 64];

  for (uint64_t i = 0; i < KEYS; i++) {
    char key[32];
    const int size = snprintf(key, sizeof key, "key-%" PRIu64, i);
    (void)lfb_filter_put(filter, key, (size_t)size);
    (void)lfb_filter_claim_u64(filter, i * 1000003);
  }
  for (uint64_t i = 0; i < MANY; i++)
    numbers[i] = i * 7919;
  (void)lfb_filter_put_many_u64(filter, numbers, MANY, answers);
}

static void strategy(lfb_strategy_id id)
{
  const bool seeded = id == LFB_FAST || id == LFB_FAST_PAIR || id == LFB_JAVA_DOUBLE;
  const lfb_config config = {.expected_insertions = 2 * KEYS + MANY,
                             .fpp = 0.01,
                             .strategy = id,
                             .seed = seeded ? 0x2a00000007 : 0};
  const char *name = lfb_strategy_name(id);
  lfb_filter *filter;

  must(lfb_filter_create(&config, &filter), name);
  fill(filter);
  write_forms(filter, name);
  lfb_filter_free(filter);
}

static void guava(const char *path)
{
  lfb_filter *filter;

  must(lfb_filter_load(path, NULL, &filter), path);
  write_forms(filter, "java");
  lfb_filter_free(filter);
}

int main(int count, char **arguments)
{
  if (count != 3) {
    fprintf(stderr, "usage: bytes DIRECTORY GUAVA\n");
    return 2;
  }
  directory = arguments[1];
  for (lfb_strategy_id id = LFB_GUAVA_MITZ32; id <= LFB_FAST; id++)
    strategy(id);
  guava(arguments[2]);
  return 0;
}
