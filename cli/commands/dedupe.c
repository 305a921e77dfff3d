/*
 * dedupe.c - `lfbloom dedupe`: prints each line the first time only, without loss.
 */
#define _GNU_SOURCE /* optind, getrusage */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/base/clock.h"
#include "cli/base/figure.h"
#include "cli/base/human.h"
#include "cli/base/json.h"
#include "cli/base/options.h"
#include "cli/base/report.h"
#include "cli/base/spared.h"
#include "cli/base/usable.h"
#include "cli/exact/exact.h"
#include "cli/exact/seen.h"
#include "cli/filters/target.h"

struct dedupe {
  struct keys_source source;
  bool quiet;
  bool json;
  bool counted, repeated, unique;    /* --count, --repeated, --unique */
  struct options_count header_lines; /* --header */
  struct input_header header;
  struct options_count memory; /* --memory */
  const char *out_path;        /* --output; NULL: standard output */
  const char *temp;            /* --temp */
  const char *seen_path;       /* --seen */

  struct exact exact;
  _Atomic(uint64_t) bad_lines;
  double seconds;
};

/* The most memory that the process had. */
static uint64_t dedupe_peak_bytes(void)
{
  struct rusage usage;

  return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

static void dedupe_json(const struct dedupe *dedupe)
{
  const struct exact *exact = &dedupe->exact;

  json_open(NULL);
  json_count("in", figure_get(&exact->in));
  json_count("out", figure_get(&exact->out));
  json_count("repeated_keys", figure_get(&exact->repeated));
  json_count("reads", exact->reads);
  json_count("doubtful", exact->spill.count);
  json_count("temporary_bytes", exact->spill.bytes);
  json_count("memory_bytes", exact->memory);
  json_count("peak_bytes", dedupe_peak_bytes());
  json_count("bad_lines", figure_get(&dedupe->bad_lines));
  json_count("threads", dedupe->source.threads);
  json_float("seconds", dedupe->seconds);
  json_close();
}

static void dedupe_text(const struct dedupe *dedupe)
{
  const struct exact *exact = &dedupe->exact;
  const uint64_t in = figure_get(&exact->in);
  const double seconds = dedupe->seconds > 0 ? dedupe->seconds : 1e-9;

  if (exact->spill.count > 0)
    report_note("%s lines were decided by temporary files of %s",
                human_count(exact->spill.count).text, human_bytes(exact->spill.bytes).text);
  report_note("%s key%s in, %s out, %s came again; in %s; %s, %s keys/s", human_count(in).text,
              in == 1 ? "" : "s", human_count(figure_get(&exact->out)).text,
              human_count(figure_get(&exact->repeated)).text, human_bytes(dedupe_peak_bytes()).text,
              human_seconds(dedupe->seconds).text, human_short((double)in / seconds).text);
}

/* Chooses the memory.  False after a report. */
static bool dedupe_choose_memory(struct dedupe *dedupe)
{
  const unsigned threads = dedupe->source.threads;
  struct exact *exact = &dedupe->exact;
  const uint64_t least = exact_memory_least(&exact->tuning, threads) +
                         (exact->seen != NULL ? seen_bytes(exact->seen) : 0);

  exact->memory = dedupe->memory.given ? dedupe->memory.value : usable_memory("") / 2;
  return exact->memory >= least ||
         report_false("dedupe: %u thread%s%s: give at least --memory %s%s", threads,
                      threads == 1 ? "" : "s",
                      exact->seen != NULL ? " and the filters of --seen" : "",
                      human_count(least).text, threads == 1 ? "" : ", or fewer --threads");
}

/* Opens the state, before any output is opened: it may be none.  False after a report. */
static bool dedupe_begin(struct dedupe *dedupe)
{
  struct exact *exact = &dedupe->exact;

  return keys_check(&dedupe->source, &command_dedupe) &&
         (dedupe->temp == NULL || spill_check(&exact->spill)) &&
         (dedupe->seen_path == NULL ||
          (exact->seen = seen_open(dedupe->seen_path, dedupe->temp)) != NULL);
}

/* Prints the lines, and the figures.  Returns the exit status. */
static int dedupe_all(struct dedupe *dedupe)
{
  struct exact *exact = &dedupe->exact;
  const uint64_t began = clock_ns();

  if (!dedupe_choose_memory(dedupe) || !exact_run(exact))
    return CLI_NOT_DONE;
  dedupe->seconds = clock_seconds(clock_ns() - began);
  if (dedupe->json)
    dedupe_json(dedupe);
  else if (!dedupe->quiet)
    dedupe_text(dedupe);
  return CLI_DONE;
}

/* Does it all, to the file of -o or to standard output.  Returns the exit status. */
static int dedupe_print(struct dedupe *dedupe)
{
  const char *out = dedupe->out_path;

  if (out == NULL || target_is_standard(out))
    return dedupe_all(dedupe);
  if (dedupe->exact.seen != NULL && seen_is_at(dedupe->exact.seen, out))
    return report_error("%s: is both output and state", out);
  if (!target_check_replaced(out) || !target_redirect(out))
    return CLI_NOT_DONE;
  const int status = dedupe_all(dedupe);
  return target_settle(out, status == CLI_DONE) ? status : CLI_NOT_DONE;
}

/* Whether what was printed is where it stays, as far as the system knows. */
static bool dedupe_is_out(void)
{
  if (fsync(STDOUT_FILENO) == 0 || errno == EINVAL || errno == EROFS) /* these: not on a disk */
    return true;
  return report_false_errno("standard output");
}

/* The same, and then adds what was printed to the file of --seen. */
static int dedupe_and_remember(struct dedupe *dedupe)
{
  int status = dedupe_begin(dedupe) ? dedupe_print(dedupe) : CLI_NOT_DONE;
  struct seen *seen = dedupe->exact.seen;

  if (seen != NULL && status == CLI_DONE &&
      !(dedupe_is_out() && seen_commit(seen, dedupe->exact.memory))) {
    status = CLI_NOT_DONE;
    if (dedupe->out_path != NULL && !target_is_standard(dedupe->out_path))
      report_note("%s was replaced, but %s lacks its lines", dedupe->out_path, dedupe->seen_path);
  }
  seen_close(seen);
  return status;
}

/* What is wrong with the combination of options; NULL: nothing. */
static const char *dedupe_misuse(const struct dedupe *dedupe)
{
  if (dedupe->repeated && dedupe->unique)
    return "give --repeated or --unique";
  if (dedupe->seen_path != NULL && (dedupe->counted || dedupe->repeated || dedupe->unique))
    return "--seen does not count: leave out --count, --repeated and --unique";
  return dedupe->json && dedupe->out_path != NULL
             ? "--json prints figures and no keys: leave out -o"
             : NULL;
}

/* What follows from the options. */
static void dedupe_prepare(struct dedupe *dedupe)
{
  struct exact *exact = &dedupe->exact;

  dedupe->source.bad = &dedupe->bad_lines;
  if (dedupe->header_lines.given) {
    dedupe->header =
        (struct input_header){.lines = dedupe->header_lines.value, .prints = !dedupe->json};
    dedupe->source.header = &dedupe->header;
  }
  exact->source = &dedupe->source;
  exact->tuning = exact_tuning_default();
  exact->prints = !dedupe->json;
  exact->which = dedupe->repeated ? EXACT_REPEATED : dedupe->unique ? EXACT_UNIQUE : EXACT_FIRST;
  exact->numbered = dedupe->counted;
  exact->spill.folder = dedupe->temp;
}

static int dedupe_run(int argc, char **argv)
{
  struct dedupe dedupe = {.source = {.threads = options_default_threads()}};
  const struct option_row rows[] = {
      {'c', "count", NULL, "begin each line with how often its key occurs", NULL, &dedupe.counted},
      {'d', "repeated", NULL, "print the first line of each repeated key", NULL, &dedupe.repeated},
      {'u', "unique", NULL, "print only lines whose key occurs once", NULL, &dedupe.unique},
      {'o', "output", "OUT", "file to replace at the end; it may be one of FILE...",
       options_read_path, &dedupe.out_path},
      {'\0', "seen", "FILE",
       "leave out what earlier runs with FILE have printed; made if it does not exist",
       options_read_path, &dedupe.seen_path},
      {'\0', "memory", "BYTES", "at most this much memory (default: half of what there is)",
       options_read_count, &dedupe.memory},
      KEYS_ROWS(dedupe.source),
      {'\0', "header", "N",
       "print the first N lines of the first FILE, leave out those of the others",
       options_read_count, &dedupe.header_lines},
      {'\0', "temp", "DIR", "where temporary files are (default: $TMPDIR, or /tmp)",
       options_read_path, &dedupe.temp},
      options_threads(&dedupe.source.threads),
      {'q', "quiet", NULL, "print no summary", NULL, &dedupe.quiet},
      options_json(&dedupe.json),
      options_progress(&dedupe.source.progress),
  };
  const int status = options_parse(&command_dedupe, rows, sizeof rows / sizeof *rows, argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  const char *misuse = dedupe_misuse(&dedupe);
  if (misuse != NULL)
    return options_misused(&command_dedupe, misuse);
  dedupe.source.paths = argv + optind;
  dedupe.source.path_count = (size_t)(argc - optind);
  dedupe_prepare(&dedupe);
  spared_add_operands(dedupe.source.paths, dedupe.source.path_count);
  const int result = dedupe_and_remember(&dedupe);
  free(dedupe.header.bytes);
  return result;
}

const struct command command_dedupe = {
    .name = "dedupe",
    .operands = "[FILE...]",
    .summary = "print each distinct line once, exactly",
    .purpose = "The output is that of awk '!seen[$0]++', by all cores and in bounded memory.\n",
    .examples =
        "  lfbloom dedupe urls.txt > distinct.txt\n"
        "  lfbloom dedupe -cd access.log > repeated.txt\n"
        "  lfbloom dedupe --seen printed.seen today.txt > new.txt\n"
        "  lfbloom dedupe --header 1 -k 2 -t , -o people.csv people.csv\n"
        "  lfbloom dedupe --memory 2G --temp /scratch urls.gz > distinct.txt\n",
    .common = 11,
    .details =
        "The first line of each key is printed, in the order of the input, with any number of "
        "threads.  With --json, figures are printed instead of the lines.\n\n"
        "With -c, each line begins with a number, as from uniq -c.  -d and -u print the lines that "
        "uniq -d and uniq -u print, but the input need not be sorted.  All three read the input "
        "three times, store a pipe in --temp first, and need memory for all repeated keys.\n\n"
        "With --seen FILE, lines that earlier runs with FILE have printed are left out.  At its "
        "end, a run adds its lines to FILE: 20 to 24 bytes for each.  A run that fails adds "
        "nothing, so the next run prints its lines again.  One that is killed adds all or none.  "
        "With --json, FILE stays as it is.\n\n"
        "Only one run at a time uses FILE of --seen.  Later ones wait, and say so; so one run must "
        "not read what another prints.  A damaged FILE is an error.  If FILE is cut short while a "
        "run has it open, the run is killed.\n\n"
        "With -o, OUT is replaced after the last key, so it may be one of FILE...  If the exit "
        "status is not 0, it is not replaced, unless an error says so.\n\n"
        "With --header N, the first N lines of the first FILE are printed as they are.  Each "
        "further FILE must begin with the same lines, as far as it has lines.\n\n"
        "A large file is read twice.  It takes 2 bytes of memory for a line that comes once, and "
        "24 for one that is repeated.  A pipe takes 24 bytes for each distinct line.  If a file "
        "changes between two reads, the run ends with status 2.\n\n"
        "Beyond --memory, hashes of 16 bytes each go to temporary files without names.  A file is "
        "then read once more; what a pipe still brings is stored and printed at its end.  If "
        "--temp is too small, the run ends with status 2.  A pipe without an end needs 'lfbloom "
        "claim'.\n\n"
        "Each thread takes up to 16 MiB more, or 64 MiB with lines of a few bytes, which --memory "
        "does not count; and twice the longest line, or four times with --jsonl or several -k.\n\n"
        "Keys are compared by 128 bits of hash, under a key drawn for each run.  Keys of up to 15 "
        "bytes never have the same hash.  With 1e9 longer ones, one run in 2e16 is expected to "
        "lose a key.\n",
    .run = dedupe_run,
};
