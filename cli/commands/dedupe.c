/*
 * dedupe.c - `lfbloom dedupe`: prints each distinct key once.  The options, and the filter.
 */
#define _GNU_SOURCE /* optind */
#include "cli/commands/dedupe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/clock.h"
#include "cli/base/numbers.h"
#include "cli/base/report.h"
#include "cli/base/spared.h"
#include "cli/filters/target.h"
#include "cli/input/input.h"

/* Reads the figures of the shared filter. */
static bool dedupe_begin_shared(struct dedupe *dedupe)
{
  lfb_stats stats;

  if (!source_shared_stats(&dedupe->into, &stats))
    return false;
  dedupe->before = stats.approximate_count - stats.approximate_count / 50; /* an estimate */
  if (stats.fpp > 0) {
    dedupe->config.expected_insertions = stats.expected_insertions;
    dedupe->config.fpp = stats.fpp;
  }
  dedupe->config.strategy = stats.strategy;
  return true;
}

/* False after a report. */
static bool dedupe_has_fpp(const struct dedupe *dedupe)
{
  if (dedupe->config.fpp == 0)
    (void)options_misused(&command_dedupe, "no -p given: give the false-positive probability");
  return dedupe->config.fpp != 0;
}

/* Makes the filter that all threads claim in.  `wish` is for a shared one. */
static bool dedupe_create(struct dedupe *dedupe, const struct source_wish *wish)
{
  const struct keys_source *source = &dedupe->source;

  if (!dedupe_has_fpp(dedupe) ||
      (dedupe->shared != NULL &&
       !target_check_shared(dedupe->shared)) ||
      !keys_expected(source, command_dedupe.name, wish->grows, &dedupe->expected,
                     &dedupe->config.expected_insertions))
    return false;
  if (!dedupe->strategy.given && !wish->grows)
    report_oversized(&dedupe->config);
  if (dedupe->shared != NULL)
    return source_share_new(dedupe->shared, wish, &dedupe->into);
  dedupe->into.any.kind = LFB_KIND_PLAIN;
  const lfb_status status = lfb_filter_create(&dedupe->config, &dedupe->into.any.plain);
  return status == LFB_OK ||
         report_false("dedupe: %" PRIu64 " keys at -p %g: %s",
                      dedupe->config.expected_insertions, dedupe->config.fpp,
                      lfb_status_text(status));
}

static int dedupe_fill(struct dedupe *dedupe)
{
  const uint64_t began = clock_ns();

  if (!dedupe_keys(dedupe))
    return CLI_NOT_DONE;
  dedupe->seconds = clock_seconds(clock_ns() - began);
  if (!window_settle(&dedupe->window))
    return CLI_NOT_DONE;
  return dedupe->shared == NULL || source_settle(dedupe->shared, &dedupe->into)
             ? dedupe_summary(dedupe)
             : CLI_NOT_DONE;
}

/* Opens or makes the window. */
static bool dedupe_begin_window(struct dedupe *dedupe)
{
  const struct window_options *forgets = &dedupe->forgets;
  const uint8_t *key = options_key_bytes(&dedupe->reading.key);

  if (forgets->span.keys > 0)
    dedupe->unordered = false; /* keys are counted in their order */
  if (!window_resume(&dedupe->window, forgets, key, &dedupe->config))
    return false;
  return dedupe->window.filter != NULL ||
         (dedupe_has_fpp(dedupe) &&
          window_expected(&command_dedupe, &forgets->span, &dedupe->expected,
                          &dedupe->config.expected_insertions) &&
          (forgets->state == NULL || target_check(forgets->state)) &&
          window_begin(&dedupe->window, &command_dedupe, forgets, key, &dedupe->config));
}

/* Opens or makes the filter.  False after a report. */
static bool dedupe_begin_filter(struct dedupe *dedupe)
{
  /* Without -n, the size of a new file would be that of the first run alone. */
  const bool grows = dedupe->growing || (dedupe->shared != NULL && !remote_is(dedupe->shared) &&
                                         !dedupe->expected.given &&
                                         dedupe->config.strategy != LFB_GO_FNV14);
  const struct source_wish wish = {command_dedupe.name, &dedupe->config, &dedupe->reading,
                                   !dedupe->expected.given, !dedupe->strategy.given, grows,
                                   dedupe->growing};
  bool there = false;

  return (dedupe->shared == NULL ||
          source_share(dedupe->shared, &wish, &there, &dedupe->into)) &&
         (there || dedupe_create(dedupe, &wish)) &&
         (dedupe->shared == NULL ||
          (source_takes_type(dedupe->shared, &dedupe->into.remote, dedupe->source.type) &&
           dedupe_begin_shared(dedupe)));
}

static int dedupe_files(struct dedupe *dedupe)
{
  dedupe->config.expected_insertions = dedupe->expected.value;
  if (!keys_check(&dedupe->source, &command_dedupe) ||
      !(dedupe->forgets.span.text != NULL ? dedupe_begin_window(dedupe)
                                          : dedupe_begin_filter(dedupe)))
    return CLI_NOT_DONE;
  const int status = dedupe_fill(dedupe);
  window_end(&dedupe->window);
  source_shared_close(&dedupe->into);
  return status;
}

/* What is wrong with --window and --generations together with other options; NULL: nothing. */
static const char *dedupe_window_misuse(const struct dedupe *dedupe)
{
  const struct window_options *forgets = &dedupe->forgets;

  if (forgets->span.text == NULL)
    return forgets->generations != 0 ? "--generations applies only to --window"
           : forgets->state != NULL  ? "--state applies only to --window"
                                     : NULL;
  if (dedupe->shared != NULL)
    return "with --window give --state or --shared, which mean the same, once";
  if (forgets->state != NULL && remote_is(forgets->state))
    return "a window of the tool is in a file: a server has its own, BF.WINDOW.RESERVE";
  if (forgets->state != NULL && forgets->span.keys > 0)
    return "one run counts the keys of a span of keys: give --state with a time";
  return dedupe->strategy.given ? "--window has a layout of its own: leave out --strategy" : NULL;
}

/* Whether a filter decides, with its loss; otherwise dedupe_exactly() does. */
static bool dedupe_is_approximate(const struct dedupe *dedupe)
{
  return dedupe->config.fpp != 0 || dedupe->shared != NULL || dedupe->forgets.span.text != NULL;
}

/* What is wrong with the options for the way that was chosen; NULL: nothing. */
static const char *dedupe_way_misuse(const struct dedupe *dedupe)
{
  if (dedupe_is_approximate(dedupe))
    return dedupe->memory.given        ? "--memory applies only without -p, --shared and --window"
           : dedupe->temp != NULL      ? "--temp applies only without -p, --shared and --window"
           : dedupe->seen_path != NULL ? "--seen applies only without -p, --shared and --window; "
                                         "with -p, --shared FILE remembers"
           : dedupe->counted || dedupe->repeated || dedupe->unique
               ? "a filter does not count: --count, --repeated and --unique apply only without -p, "
                 "--shared and --window"
               : NULL;
  if (dedupe->repeated && dedupe->unique)
    return "give --repeated or --unique";
  if (dedupe->seen_path != NULL && (dedupe->counted || dedupe->repeated || dedupe->unique))
    return "--seen does not count: leave out --count, --repeated and --unique";
  return dedupe->expected.given         ? "no -p given: -n applies only with it"
         : dedupe->strategy.given       ? "no -p given: --strategy applies only with it"
         : dedupe->hash.given           ? "no -p given: --hash applies only with it"
         : dedupe->reading.key.given    ? "no -p given: --key-file applies only with it"
         : dedupe->unordered            ? "no -p given: --unordered applies only with it"
                                        : NULL;
}

static int dedupe_all(struct dedupe *dedupe)
{
  return dedupe_is_approximate(dedupe) ? dedupe_files(dedupe) : dedupe_exactly(dedupe);
}

/* Whether both are one file. */
static bool dedupe_is_same(const char *a, const char *b)
{
  struct stat of_a, of_b;

  return strcmp(a, b) == 0 || (stat(a, &of_a) == 0 && stat(b, &of_b) == 0 &&
                               of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino);
}

/* Whether -o would replace the file in which the run keeps its filter or state. */
static bool dedupe_replaces_filter(const struct dedupe *dedupe)
{
  const char *kept = dedupe->shared != NULL      ? dedupe->shared
                     : dedupe->seen_path != NULL ? dedupe->seen_path
                                                 : dedupe->forgets.state;

  return kept != NULL && dedupe_is_same(dedupe->out_path, kept);
}

/* Does it all, to the file of -o or to standard output. */
static int dedupe_print(struct dedupe *dedupe)
{
  if (dedupe->out_path == NULL || target_is_standard(dedupe->out_path))
    return dedupe_remember(dedupe, dedupe_all(dedupe));
  if (dedupe_replaces_filter(dedupe)) {
    (void)report_error("dedupe: -o: %s: is the %s of this run", dedupe->out_path,
                       dedupe->seen_path != NULL ? "state" : "filter");
    return CLI_NOT_DONE;
  }
  if (!target_check_replaced(dedupe->out_path) || !target_redirect(dedupe->out_path))
    return CLI_NOT_DONE;
  int status = dedupe_all(dedupe);
  if (status == CLI_OTHERWISE)
    report_note("%s: not written, since keys may be missing", dedupe->out_path);
  if (!target_settle(dedupe->out_path, status == CLI_DONE) && status == CLI_DONE)
    status = CLI_NOT_DONE;
  return dedupe_remember(dedupe, status); /* after the output is in its place */
}

/* -n: in a shared file it counts the keys of all runs. */
static struct option_row dedupe_expected(struct options_count *to)
{
  struct option_row row = options_expected(to);
  row.help = "with -p: number of distinct keys, with --shared of all runs together (default: the "
             "keys in FILE..., repeats included; with --shared a new file grows)";
  return row;
}

static int dedupe_run(int argc, char **argv)
{
  struct dedupe dedupe = {.source = {.threads = options_default_threads(), .empty = true}};
  struct remote_manner manner = {0};
  const struct option_row rows[] = {
      options_fpp(&dedupe.config.fpp),
      dedupe_expected(&dedupe.expected),
      KEYS_ROWS(dedupe.source),
      options_strategy(&dedupe.strategy),
      options_hash(&dedupe.hash),
      options_key_file(&dedupe.reading.key),
      options_helper(&dedupe.reading.helper),
      {'\0', "shared", "FILE",
       "the filter, which several processes share; made if it does not exist", options_read_path,
       &dedupe.shared},
      options_growing(&dedupe.growing),
      options_mode(&dedupe.mode),
      window_span_row(&dedupe.forgets.span),
      window_generations_row(&dedupe.forgets.generations),
      window_state_row(&dedupe.forgets.state),
      {'c', "count", NULL, "without -p: begin each line with how often its key comes", NULL,
       &dedupe.counted},
      {'d', "repeated", NULL, "without -p: print only lines whose key comes again", NULL,
       &dedupe.repeated},
      {'u', "unique", NULL, "without -p: print only lines whose key comes once", NULL,
       &dedupe.unique},
      {'\0', "header", "N",
       "print the first N lines of the first FILE, leave out those of the others",
       options_read_count, &dedupe.header_lines},
      {'o', "output", "OUT", "file to write, at the end; it may be a FILE", options_read_path,
       &dedupe.out_path},
      {'\0', "memory", "BYTES",
       "without -p: at most this much memory (default: half of what there is)", options_read_count,
       &dedupe.memory},
      {'\0', "temp", "DIR", "without -p: where temporary files are (default: $TMPDIR, or /tmp)",
       options_read_path, &dedupe.temp},
      {'\0', "seen", "FILE",
       "without -p: leave out what earlier runs with FILE have printed; made if it does not exist",
       options_read_path, &dedupe.seen_path},
      options_threads(&dedupe.source.threads),
      {'\0', "unordered", NULL, "print any one of a key's occurrences, as threads find them", NULL,
       &dedupe.unordered},
      {'q', "quiet", NULL, "print no summary", NULL, &dedupe.quiet},
      options_json(&dedupe.json),
      options_progress(&dedupe.source.progress),
      options_timeout(&manner.timeout_ms),
  };
  const int status = options_parse(&command_dedupe, rows, sizeof rows / sizeof *rows, argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  remote_behave(manner);
  if (dedupe.forgets.span.text != NULL && dedupe.forgets.state == NULL) { /* they mean the same */
    dedupe.forgets.state = dedupe.shared;
    dedupe.shared = NULL;
  }
  if (dedupe.reading.helper.given && dedupe.shared == NULL)
    return options_misused(&command_dedupe,
                           "--helper opens a filter on Redis: give it with --shared");
  const char *misuse = options_hash_misuse(&dedupe.hash, 0, &dedupe.reading.key);
  if (misuse == NULL)
    misuse = options_mode_misuse(&dedupe.mode,
                                 dedupe.shared != NULL || dedupe.forgets.state != NULL,
                                 dedupe.shared != NULL && remote_is(dedupe.shared));
  if (misuse == NULL)
    misuse = options_growing_misuse(dedupe.growing, dedupe.shared != NULL,
                                    dedupe.shared != NULL && remote_is(dedupe.shared));
  if (misuse == NULL)
    misuse = dedupe_window_misuse(&dedupe);
  if (misuse == NULL)
    misuse = dedupe_way_misuse(&dedupe);
  if (misuse == NULL && dedupe.json && dedupe.out_path != NULL)
    misuse = "--json prints figures and no keys: leave out -o";
  if (misuse != NULL)
    return options_misused(&command_dedupe, misuse);
  if (!options_helper_use(&command_dedupe, &dedupe.reading.helper, &dedupe.expected,
                          &dedupe.config.fpp, &dedupe.strategy))
    return CLI_NOT_DONE;
  dedupe.config.strategy = dedupe.strategy.id;
  dedupe.config.file_mode = dedupe.mode.bits;
  dedupe.config.hash = dedupe.hash.id;
  options_key_use(&dedupe.reading.key, &dedupe.config);
  dedupe.source.bad = &dedupe.bad_lines;
  dedupe.source.paths = argv + optind;
  dedupe.source.path_count = (size_t)(argc - optind);
  if (dedupe.header_lines.given) {
    dedupe.header =
        (struct input_header){.lines = dedupe.header_lines.value, .prints = !dedupe.json};
    dedupe.source.header = &dedupe.header;
  }
  spared_add_operands(dedupe.source.paths, dedupe.source.path_count);
  const int result = dedupe_print(&dedupe);
  free(dedupe.header.bytes);
  return result;
}

const struct command command_dedupe = {
    .name = "dedupe",
    .operands = "[FILE...]",
    .summary = "print each distinct key once",
    .details =
        "Reads FILE..., or standard input if there is no FILE or FILE is -.  A key is a\n"
        "line of any bytes, also an empty one; a carriage return is part of it.  Prints\n"
        "the first occurrence of each key, in the order of the input, with any number of\n"
        "threads.  With --json, the object is printed instead of the keys.  Each thread\n"
        "takes up to 16 MiB, with lines of a few bytes 64, and twice the longest line, or\n"
        "with --jsonl or several -k four times; --memory does not count that.\n"
        "\n"
        "Without -p, the output is that of awk '!seen[$0]++'.  Keys are compared by 128\n"
        "bits of hash, under a key drawn for each run.  Keys of up to 15 bytes never have\n"
        "the same hash; of 1e9 longer ones, 5e-17 are expected to be lost at most.  A\n"
        "large file is read twice, and takes 2 bytes of memory for a line that comes\n"
        "once, 24 for one that is repeated; a pipe 24 for each distinct line.  Beyond\n"
        "--memory, hashes go to temporary files without names: a file is read once more,\n"
        "and what a pipe still brings is stored and printed at its end.  A hash takes 16\n"
        "bytes; how many there are is known only after reading, so a --temp that is too\n"
        "small ends the run then, with status 2.  A pipe without an end needs -p or\n"
        "--window.  If a file changes between two reads, the run ends with status 2.\n"
        "\n"
        "With -c, -d or -u the input is read three times, and a pipe is stored in --temp\n"
        "first; all repeated keys must fit into --memory.  A number is as that of\n"
        "uniq -c.  -d and -u are those of uniq, for lines that need not be sorted.\n"
        "\n"
        "With --seen, a line that an earlier run with FILE has printed is left out.  FILE\n"
        "keeps 22 bytes for each line, and is locked: of several runs the later ones\n"
        "wait, and say so; so one must not read what another prints.  At its end, after\n"
        "all output was written, a run adds its lines to FILE.  A run that fails or is\n"
        "killed adds nothing: the next run prints its lines again.  So a line is printed\n"
        "at least once, and at most once more for each such run.  A damaged FILE is an\n"
        "error; one that is cut short while a run has it open kills that run.  With\n"
        "--json, FILE stays as it is.\n"
        "\n"
        "With -o, OUT is replaced after the last key, so it may be one of FILE...; not if\n"
        "the exit status is not 0.  With --header, each further FILE must begin with the\n"
        "same N lines, as far as it has lines.\n"
        "\n"
        "With -p, the input is read once, for a filter; without -n a file is read before,\n"
        "to count it, and a pipe needs -n, except with --shared FILE.  One thread at a\n"
        "time decides which keys are new, 20 to 50 ns each: if nearly all are new and\n"
        "there are many cores, --unordered may be faster, which prints any one of the\n"
        "occurrences, in an order that may differ from run to run.\n"
        "\n",
    .more[0] =
        "Without --window, no key is printed twice.  Only keys of the input are printed.\n"
        "With -p, a new key is left out if it is a false positive; its probability grows\n"
        "to P while N distinct keys come.  The summary on standard error says how many\n"
        "keys that should be: the sum of the probability at each key as the filter\n"
        "filled.  After far too many keys this number is unknown: null in --json.\n"
        "If more than N distinct keys came, new ones may be missing from the output: a\n"
        "warning says so, and the exit status is 1.\n"
        "\n"
        "With --window, a key that was printed is left out for SPAN, and printed again\n"
        "when it next comes after SPAN * (1 + 1/G) at the latest.  N is the number of\n"
        "distinct keys in a SPAN, if they come evenly; otherwise G times the most in a\n"
        "SPAN/G.  A time counts from when a key is decided; it is from 1 ms to 1e9 s.  A\n"
        "number counts all keys, repeats included, in input order, also with\n"
        "--unordered; a key that was printed is left out among the next SPAN keys; SPAN/G\n"
        "is rounded up.  The summary's number of keys that were left out wrongly is an\n"
        "upper bound if N was right.  It is computed with P, or with the probability at\n"
        "the end if that is greater.\n"
        "\n"
        "With --window and --state FILE, or --shared FILE, which means the same there,\n"
        "FILE keeps the window: later runs go on with it, also after a restart of the\n"
        "host, and of all processes that use it at once, one prints a line within a\n"
        "SPAN.  A run needs -n and -p only to make FILE; a value of them or of --hash\n"
        "that differs from FILE's is an error.  Its SPAN must be that of FILE, a time.  A\n"
        "line that was decided but not printed, because the process was killed, is left\n"
        "out by the next run.\n"
        "\n"
        "With --shared, a key that any process, or an earlier run, has put into FILE is\n"
        "left out too: of all runs that read a key, one prints it.  Each run prints its\n"
        "keys in the order of its input; which run prints a key depends on when they\n"
        "claim it.  A new FILE grows with its keys, so that the probability stays below P\n"
        "in all runs; with -n it has the size for N keys of all runs together, unless\n"
        "--growing is given.  A query of a file that has grown takes longer: give N if it\n"
        "is known.  If FILE is full and cannot grow, the run ends with status 2 after the\n"
        "keys that it has claimed.  --mode is as in 'lfbloom build --shared'.  If a key\n"
        "is claimed but not printed, because the output failed, the process was killed,\n"
        "or (with --unordered) an earlier line has no key of --jsonl, no run prints it:\n"
        "start again with a new FILE.  While a process has FILE open, do not delete,\n"
        "replace or cut it short.  If another file takes its place, keys are printed\n"
        "twice, and the run ends with an error (status 2) after the last key.  If it is\n"
        "cut short, the processes that use it are killed.\n"
        "\n"
        "FILE may be on Redis, also as a key of the module: of all processes that claim a\n"
        "key there, one prints it.\n"
        "In order, a process waits for one answer of the server at a time; with\n"
        "--unordered each thread has a connection of its own.  If a connection is lost\n"
        "during a claim, the keys are claimed again, and some may be printed twice.  If\n"
        "the server stays away, the run ends with status 2, and up to one batch of keys\n"
        "(with --unordered: one per thread) may be claimed but not printed.\n"
        "\n",
    .more[1] =
        KEYS_HELP
        "\n" REMOTE_HELP
        "\n"
        "  lfbloom dedupe urls.txt > distinct.txt\n"
        "  lfbloom dedupe --memory 2G --temp /scratch urls.gz > distinct.txt\n"
        "  lfbloom dedupe --header 1 -k 2 -t , -o people.csv people.csv\n"
        "  lfbloom dedupe -cd access.log > repeated.txt\n"
        "  lfbloom dedupe --seen printed.seen today.txt > new.txt\n"
        "  lfbloom dedupe -p 1e-6 -n 50M urls.gz > distinct.txt\n"
        "  tail -F log | lfbloom dedupe --window 15m -n 1M -p 0.001 --state seen\n"
        "  lfbloom dedupe --shared seen -p 1e-6 today.txt > new.txt\n"
        "  lfbloom dedupe --shared redis://localhost/seen -n 50M -p 1e-6 1.txt > new.txt\n",
    .run = dedupe_run,
};
