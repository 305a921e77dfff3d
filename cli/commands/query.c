/*
 * query.c - `lfbloom query`: prints the keys that a filter may contain.
 */
#define _GNU_SOURCE /* optind */
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/base/figure.h"
#include "cli/base/human.h"
#include "cli/base/options.h"
#include "cli/base/output.h"
#include "cli/base/report.h"
#include "cli/filters/address.h"
#include "cli/filters/source.h"
#include "cli/filters/target.h"
#include "cli/input/walk.h"

enum { QUERY_MOST = 16 }; /* filters */

struct query {
  struct keys_source source;
  bool invert;
  bool count_only;
  bool quiet; /* print no keys: only the status counts */
  bool skipped; /* a file could not be read */
  _Atomic(uint64_t) bad_lines;
  char *filter_paths[QUERY_MOST];
  struct source filters[QUERY_MOST];
  size_t filter_count; /* of those that are open */
  _Atomic(uint64_t) asked, present, selected; /* keys */
  _Atomic(bool) numeric; /* the first keys of chunks were numbers */
};

static bool query_prints(const struct query *query)
{
  return !query->count_only && !query->quiet;
}

/* Asks all filters: bit i % 64 of answers[i / 64] is whether any may have key i. */
static bool query_filters(const struct query *query, const lfb_key *keys, size_t count,
                          uint64_t *answers)
{
  uint64_t more[SOURCE_BATCH / 64];
  size_t found;

  if (!source_do(&query->filters[0], LFB_MIGHT_CONTAIN, keys, count, answers, &found))
    return false;
  for (size_t i = 1; i < query->filter_count; i++) {
    if (!source_do(&query->filters[i], LFB_MIGHT_CONTAIN, keys, count, more, &found))
      return false;
    for (size_t word = 0; word < (count + 63) / 64; word++)
      answers[word] |= more[word];
  }
  return true;
}

/* The least batch of all filters. */
static size_t query_batch(const struct query *query)
{
  size_t least = SOURCE_BATCH;

  for (size_t i = 0; i < query->filter_count; i++)
    least = source_batch(&query->filters[i]) < least ? source_batch(&query->filters[i]) : least;
  return least;
}

/* Whether a key looks like a number. */
static bool query_is_number(lfb_key key)
{
  const char *at = key.bytes, *const end = at + key.size;

  at += at < end && *at == '-';
  const char *const digits = at;
  while (at < end && *at >= '0' && *at <= '9')
    at++;
  return at == end && at > digits;
}

/* Wants the lines whose keys are present, or with -v absent; all are taken at once, so `first` is
 * 0.  With -q, the first such line ends the program. */
static bool query_take(void *context, struct walk_lines *lines, size_t first, const lfb_key *keys)
{
  struct query *query = context;
  const size_t words = (lines->count + 63) / 64;
  uint64_t answers[SOURCE_BATCH / 64] = {0};
  size_t found = 0, asked = 0, selected = 0;

  (void)first;
  if (query_is_number(keys[0]))
    atomic_store_explicit(&query->numeric, true, memory_order_relaxed);
  if (!query_filters(query, keys, lines->count, answers))
    return false;
  for (size_t word = 0; word < words; word++) {
    const uint64_t last = lines->count % 64 != 0 && word + 1 == words
                              ? (UINT64_C(1) << (lines->count % 64)) - 1
                              : UINT64_MAX;
    const uint64_t keyed = last & ~lines->passing[word], present = answers[word] & keyed;
    const uint64_t wanted = query->invert ? keyed & ~present : present;
    asked += (size_t)__builtin_popcountll(keyed);
    found += (size_t)__builtin_popcountll(present);
    selected += (size_t)__builtin_popcountll(wanted);
    lines->wanted[word] |= wanted;
  }
  figure_add(&query->asked, asked);
  figure_add(&query->present, found);
  figure_add(&query->selected, selected);
  if (query->quiet && selected > 0)
    output_end_program(CLI_DONE);
  return true;
}

/* Keys of another type than the filter's are absent, except for false positives.  If nobody said of
 * which type they are, and no more were found than three standard deviations above that: a note.
 * Few keys tell nothing, unless they are numbers in a form of others; nor does a server that does
 * not count its bits. */
static void query_hint(const struct query *query)
{
  enum { MANY = 100 };
  const uint64_t asked = figure_get(&query->asked), found = figure_get(&query->present);
  lfb_figures figures;
  double chance = 0;

  source_plan(&query->filters[0], &figures);
  const bool numeric =
      atomic_load_explicit(&query->numeric, memory_order_relaxed) &&
      (figures.all.form == LFB_FORM_GUAVA || figures.all.form == LFB_FORM_SBBF);
  if (query->source.type != LFB_KEYS_UNKNOWN || found > asked / 10 ||
      (asked < MANY && (found > 0 || !numeric)))
    return;
  for (size_t i = 0; i < query->filter_count; i++) {
    if (source_look(&query->filters[i], &figures) != LFB_OK)
      return;
    chance += figures.all.expected_fpp * (double)asked;
  }
  if (chance > 0 && (double)found <= chance + 3 * sqrt(chance))
    report_note("note: %s of %s keys were found, as many as by chance, and %s does not record what "
                "its keys are: if numbers or UTF-16, give --keys=i64, i32 or utf16, else "
                "--keys=text", human_count(found).text, human_count(asked).text,
                query->filter_paths[0]);
}

static int query_files(struct query *query)
{
  const struct decider decider = {.batch = query_batch(query), .take = query_take};
  const bool read_all = walk_run(&(struct walk){.source = &query->source,
                                                .label = "querying",
                                                .decider = &decider,
                                                .context = query,
                                                .prints = query_prints(query)});

  keys_note_bad(&query->source);
  if (!read_all)
    return CLI_NOT_DONE;
  const uint64_t selected = figure_get(&query->selected);
  if (query->count_only && !query->quiet)
    printf("%" PRIu64 "\n", selected);
  query_hint(query);
  if (query->skipped)
    return CLI_NOT_DONE;
  return selected > 0 ? CLI_DONE : CLI_OTHERWISE;
}

/* Whether keys come from standard input. */
static bool query_reads_standard(const struct keys_source *source)
{
  bool any = source->path_count == 0;

  for (size_t i = 0; i < source->path_count; i++)
    any |= target_is_standard(source->paths[i]);
  return any;
}

static bool query_read_filter(const char *option, const char *text, void *to)
{
  struct query *query = to;

  if (query->filter_count == QUERY_MOST)
    return report_false("%s: more than %d filters", option, QUERY_MOST);
  query->filter_paths[query->filter_count++] = (char *)(uintptr_t)text;
  return true;
}

/* Takes the operands: without -f, the first is the filter.  NULL, or what is wrong. */
static const char *query_operands(struct query *query, int count, char **operands)
{
  const size_t first = query->filter_count == 0;
  size_t standard = 0;

  if (query->filter_count == 0 && count == 0)
    return "no filter given";
  if (first == 1)
    query->filter_paths[query->filter_count++] = operands[0];
  query->source.paths = operands + first;
  query->source.path_count = (size_t)count - first;
  for (size_t i = 0; i < query->filter_count; i++)
    standard += target_is_standard(query->filter_paths[i]);
  if (standard > 0 && query_reads_standard(&query->source))
    return "filter and keys cannot both be standard input";
  return standard > 1 ? "only one filter can be standard input" : NULL;
}

static void query_close(struct query *query)
{
  for (size_t i = 0; i < query->filter_count; i++)
    source_close(&query->filters[i]);
}

/* Opens the filters.  False after a report. */
static bool query_open(struct query *query, const struct options_key *key, bool no_verify)
{
  const lfb_read_limits limits = {.key = options_key_bytes(key)};
  const size_t count = query->filter_count;

  query->filter_count = 0;
  while (query->filter_count < count) {
    const char *path = query->filter_paths[query->filter_count];
    struct source *filter = &query->filters[query->filter_count];
    if (!source_open(path, LFB_OPEN_IN_PLACE, LFB_KIND_NONE, &limits, filter))
      return false;
    query->filter_count++;
    if (!no_verify)
      source_check(filter);
  }
  /* Twice: a later filter may say what keys are that an earlier one does not know. */
  for (size_t i = 0; i < 2 * count; i++)
    if (!source_takes(&query->filters[i % count], &query->source))
      return false;
  return true;
}

static int query_run(int argc, char **argv)
{
  struct options_key key = {0};
  bool no_verify = false;
  struct query query = {.source.threads = options_default_threads()};
  const struct option_row rows[] = {
      {'f', "filter", "FILTER...", "a filter to query; several: a key is present if any has it",
       query_read_filter, &query},
      {'v', "invert", NULL, "print the keys that are definitely absent", NULL, &query.invert},
      {'c', "count", NULL, "print only the number of keys", NULL, &query.count_only},
      {'q', "quiet", NULL,
       "print nothing; stop at the first key that would be printed, with exit status 0", NULL,
       &query.quiet},
      KEYS_ROWS(query.source),
      options_key_file(&key),
      options_no_verify(&no_verify),
      options_threads(&query.source.threads),
      options_progress(&query.source.progress),
      options_timeout(&address_manner.timeout_ms),
  };
  int status = options_parse(&command_query, rows, sizeof rows / sizeof *rows, argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  const char *misuse = query_operands(&query, argc - optind, argv + optind);
  if (misuse == NULL)
    misuse = keys_misuse(&query.source);
  if (misuse != NULL)
    return options_misused(&command_query, misuse);
  query.source.skipped = &query.skipped;
  query.source.bad = &query.bad_lines;
  status = query_open(&query, &key, no_verify) && keys_check(&query.source, &command_query)
               ? query_files(&query)
               : CLI_NOT_DONE;
  query_close(&query);
  return status;
}

const struct command command_query = {
    .name = "query",
    .operands = "FILTER [FILE...]",
    .summary = "print the keys that a filter may contain, in input order",
    .purpose =
        "A key that is not printed is certainly absent.  A printed key may be a false positive.\n",
    .examples =
        "  lfbloom query seen.lfb urls.txt        print what may have been seen\n"
        "  lfbloom query -v seen.lfb < urls.txt   print what was certainly not seen\n"
        "  lfbloom query -q seen.lfb urls.txt && echo 'some may have been seen'\n"
        "  lfbloom query -f mon.lfb -f tue.lfb urls.txt\n"
        "  lfbloom query redis://localhost/seen urls.txt\n",
    .common = 10,
    .details =
        "With -f, no operand is a filter.  The keys in any of the filters are printed, with -v the "
        "others.  For keys in both of two filters, pass the output of one query to the next.\n\n"
        "FILTER may be - for standard input, if the keys come from files.\n\n"
        "A filter of 'build --shared' can be queried while other processes put into it.\n\n"
        "A file of 64 MiB or more is read in place: the query starts at once, while a thread "
        "compares the checksums.  If one differs, the query ends with status 2.  With --no-verify, "
        "none is compared.  If such a file is cut short during the query, the query is killed.\n\n"
        "A growing, counting or window filter, which a program has saved or shares, must be in a "
        "regular file.  A window with a span of time forgets also while its file is closed.  A "
        "window without one answers as when it was saved.\n\n"
        "FILTER may be on Redis, also as a key of the module (BF.*).  The server answers for many "
        "keys at a time.  To query more than 1 million keys in a filter of 100 MB, or 10 million "
        "in one of 1 GB, fetch it first with 'lfbloom convert': that takes less time.\n",
    .run = query_run,
};
