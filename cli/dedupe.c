/*
 * dedupe.c - `lfbloom dedupe`: prints each distinct key once.
 *
 * All threads claim their keys in one filter.  One claim of each key wins; its thread prints the
 * key.
 */
#define _GNU_SOURCE /* optind */
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/clock.h"
#include "cli/figures.h"
#include "cli/human.h"
#include "cli/json.h"
#include "cli/kept.h"
#include "cli/keys.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/source.h"
#include "cli/target.h"
#include "cli/window.h"

enum { DEDUPE_PARTS = 64 }; /* of the filling, each taken at its middle: error 0.3 % */

struct dedupe {
  struct keys_source source;
  struct options_count expected;
  struct options_strategy strategy;
  struct options_hash hash;
  struct options_reading reading;
  struct options_mode mode;
  lfb_config config;
  bool quiet;
  bool json;

  const char *shared; /* the path of a shared filter; NULL: none */
  struct window_options forgets;

  struct window window;      /* where keys are claimed with --window; else its filter is NULL */
  struct source_shared into; /* where they are claimed otherwise */
  uint64_t before; /* estimates of the distinct keys: at the start, and at the end */
  uint64_t after;
  _Atomic(uint64_t) in, out; /* keys read, and keys that were new */
  _Atomic(uint64_t) bytes;
  double seconds;
};

/* relaxed, as in dedupe_get(): all threads are joined before the figures are read. */
static void dedupe_add(_Atomic(uint64_t) *figure, uint64_t amount)
{
  atomic_fetch_add_explicit(figure, amount, memory_order_relaxed);
}

static uint64_t dedupe_get(const _Atomic(uint64_t) *figure)
{
  return atomic_load_explicit(figure, memory_order_relaxed);
}

/* Claims keys in a filter that is here.  If no other thread puts into it, a put of a new key is a
 * claim that wins. */
static size_t dedupe_claim_here(struct dedupe *dedupe, const lfb_key *keys, size_t count,
                                uint64_t *answers)
{
  const bool alone = dedupe->source.threads == 1 && dedupe->shared == NULL;

  return alone ? lfb_filter_put_many(dedupe->into.filter, keys, count, answers)
               : lfb_filter_claim_many(dedupe->into.filter, keys, count, answers);
}

/* Claims the keys of records, keeps the records of new ones, and adds their number to `*out`. */
static bool dedupe_claim(struct dedupe *dedupe, const lfb_key *records, size_t count,
                         struct kept *kept, uint64_t *out)
{
  const lfb_key *keys = keys_of(&dedupe->source, kept->chunk, records, count);
  uint64_t answers[SOURCE_BATCH / 64];
  size_t claimed;

  if (keys == NULL)
    return false;
  if (dedupe->window.filter != NULL)
    claimed = window_claim(&dedupe->window, keys, count, answers);
  else if (dedupe->into.filter != NULL)
    claimed = dedupe_claim_here(dedupe, keys, count, answers);
  else if (!remote_put(&dedupe->into.remote, keys, count, answers, &claimed))
    return false;
  *out += claimed;
  if (!dedupe->json)
    kept_add(kept, records, count, answers, true);
  return true;
}

static bool dedupe_work(void *context, unsigned thread, struct chunk *chunk)
{
  struct dedupe *dedupe = context;
  const size_t most = source_shared_batch(&dedupe->into);
  lfb_key keys[SOURCE_BATCH];
  struct kept kept = kept_begin(chunk, keys_delimiter(&dedupe->source));
  uint64_t in = 0, out = 0;
  bool claimed = true;
  size_t at = 0;
  size_t count;

  (void)thread;
  dedupe_add(&dedupe->bytes, chunk->size);
  while (claimed && (count = chunk_keys(chunk, kept.delimiter, &at, keys, most)) > 0) {
    in += count;
    claimed = dedupe_claim(dedupe, keys, count, &kept, &out);
  }
  kept_end(&kept);
  dedupe_add(&dedupe->in, in);
  dedupe_add(&dedupe->out, out);
  return claimed;
}

static void dedupe_emit(void *context, const struct chunk *chunk)
{
  (void)context;
  if (chunk->size > 0)
    output_write(chunk->bytes, chunk->size);
}

/*
 * The expected number of distinct keys that were false positives.  After i keys, the next distinct
 * key is a false positive with probability f(i); so for each key that gets in, f / (1 - f) do not.
 * The result is the sum of this over all i below `out`, the number of keys that got in.
 *
 * The sum leaves out keys that came after the last one that got in.  This matters if nearly every
 * key is a false positive: the number is then unknown, and the result is infinity.  The result is
 * NaN if it is unknown what the filter was made for.
 */
static double dedupe_expected_false_positives(const struct dedupe *dedupe, const lfb_stats *stats)
{
  if (stats->expected_fpp > 0.99)
    return INFINITY;
  if (dedupe->config.fpp == 0)
    return NAN;

  const uint64_t out = dedupe_get(&dedupe->out);
  /* Other processes fill a shared filter too; this one's keys are spread over all its filling. */
  const uint64_t span = dedupe->after > dedupe->before + out ? dedupe->after - dedupe->before : out;
  const uint64_t parts = span < DEDUPE_PARTS ? span : (uint64_t)DEDUPE_PARTS;
  double sum = 0;

  for (uint64_t part = 0; part < parts; part++) {
    const uint64_t each = span / parts, longer = span % parts; /* the first parts have one more */
    const uint64_t size = each + (part < longer);
    const uint64_t first = part * each + (part < longer ? part : longer);
    double fpp = 0;
    lfb_ignore(lfb_config_fpp_after(&dedupe->config, dedupe->before + first + (size - 1) / 2, &fpp));
    sum += (double)size * fpp / (1 - fpp);
  }
  return span == 0 ? 0 : sum * (double)out / (double)span;
}

/* The figures of a window as those of a filter: its bits and bytes are those of all generations. */
static lfb_stats dedupe_window_stats(const lfb_window_figures *figures)
{
  return (lfb_stats){.expected_insertions = figures->expected_insertions,
                     .fpp = figures->fpp,
                     .expected_fpp = figures->expected_fpp,
                     .bit_count = 8 * figures->bytes,
                     .bytes = figures->bytes,
                     .probes = figures->probes};
}

static void dedupe_summary_json(const struct dedupe *dedupe, const lfb_stats *stats, double wrong)
{
  json_open(NULL);
  json_count("in", dedupe_get(&dedupe->in));
  json_count("out", dedupe_get(&dedupe->out));
  json_real("expected_false_positives", wrong);
  if (dedupe->window.filter != NULL)
    json_count("generations", dedupe->forgets.generations);
  figures_json_filled(stats);
  json_count("threads", dedupe->source.threads);
  json_count("input_bytes", dedupe_get(&dedupe->bytes));
  json_real("seconds", dedupe->seconds);
  json_close();
}

static void dedupe_summary_text(const struct dedupe *dedupe, const lfb_stats *stats, double wrong)
{
  const uint64_t in = dedupe_get(&dedupe->in);
  const double seconds = dedupe->seconds > 0 ? dedupe->seconds : 1e-9;
  char left_out[64] = "most distinct ones";

  if (isnan(wrong))
    (void)strcpy(left_out, "an unknown number");
  else if (isfinite(wrong))
    (void)snprintf(left_out, sizeof left_out, "%s %.3g distinct ones",
                   dedupe->window.filter != NULL ? "at most about" : "about", wrong);
  report_note("%s key%s in, %s out, %s wrongly left out; in %s; %s, %s keys/s",
              human_count(in).text, in == 1 ? "" : "s", human_count(dedupe_get(&dedupe->out)).text,
              left_out, human_bytes(stats->bytes).text, human_seconds(dedupe->seconds).text,
              human_short((double)in / seconds).text);
}

static void dedupe_summary(const struct dedupe *dedupe, const lfb_stats *stats, double wrong)
{
  if (dedupe->json)
    dedupe_summary_json(dedupe, stats, wrong);
  else if (!dedupe->quiet)
    dedupe_summary_text(dedupe, stats, wrong);
}

/* Whether more than n keys are in a span, also after generations of few keys were rounded up. */
static bool dedupe_window_overfull(const lfb_window_figures *figures)
{
  const double live = figures->generations + 1, each = live / figures->generations;
  const double room = each * (double)figures->expected_insertions + live;
  double keys = 0;

  for (uint32_t i = 0; i <= figures->generations; i++)
    keys += (double)figures->live[i].approximate_count;
  return keys > 1.02 * room; /* an estimate */
}

/* The number of false positives is a bound for spans of at most n distinct keys: each key had at most
 * the probability p, or that of the end.  Nor are there more than keys that were left out. */
static void dedupe_summary_window(const struct dedupe *dedupe)
{
  lfb_window_figures figures;

  lfb_window_stats(dedupe->window.filter, &figures);
  const lfb_stats stats = dedupe_window_stats(&figures);
  const double fpp = fmax(stats.fpp, stats.expected_fpp), out = (double)dedupe_get(&dedupe->out);
  const double left_out = (double)dedupe_get(&dedupe->in) - out;
  if (fpp > stats.fpp && dedupe_window_overfull(&figures))
    report_overfull("window was", &stats);
  dedupe_summary(dedupe, &stats,
                 fpp > 0.99 ? (double)INFINITY : fmin(out * fpp / (1 - fpp), left_out));
}

/* False after a report. */
static bool dedupe_summary_filter(struct dedupe *dedupe)
{
  lfb_stats stats;

  if (!source_shared_stats(&dedupe->into, &stats))
    return false;
  dedupe->after = stats.approximate_count;
  if (stats.fpp > 0 && dedupe->before + dedupe_get(&dedupe->out) > stats.expected_insertions &&
      stats.expected_fpp > stats.fpp)
    report_overfull("filter was", &stats);
  dedupe_summary(dedupe, &stats, dedupe_expected_false_positives(dedupe, &stats));
  return true;
}

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
       !target_check_shared(dedupe->shared, source->paths, source->path_count)) ||
      !keys_expected(source, command_dedupe.name, &dedupe->expected,
                     &dedupe->config.expected_insertions))
    return false;
  if (!dedupe->strategy.given)
    report_oversized(&dedupe->config);
  if (dedupe->shared != NULL)
    return source_share_new(dedupe->shared, wish, &dedupe->into);
  const lfb_status status = lfb_filter_create(&dedupe->config, &dedupe->into.filter);
  if (status != LFB_OK)
    (void)report_error("dedupe: %" PRIu64 " keys at -p %g: %s",
                       dedupe->config.expected_insertions, dedupe->config.fpp,
                       lfb_status_text(status));
  return status == LFB_OK;
}

static int dedupe_fill(struct dedupe *dedupe)
{
  const struct records_job job = {.context = dedupe,
                                  .work = dedupe_work,
                                  .emit = dedupe->json ? NULL : dedupe_emit};
  const uint64_t began = clock_ns();

  if (!keys_read(&dedupe->source, "deduplicating", job))
    return CLI_TROUBLE;
  dedupe->seconds = clock_seconds(clock_ns() - began);
  if (dedupe->window.filter != NULL) {
    dedupe_summary_window(dedupe);
    return CLI_FOUND;
  }
  return (dedupe->shared == NULL || source_settle(dedupe->shared, &dedupe->into)) &&
                 dedupe_summary_filter(dedupe)
             ? CLI_FOUND
             : CLI_TROUBLE;
}

static bool dedupe_begin_window(struct dedupe *dedupe)
{
  if (dedupe->forgets.generations == 0)
    dedupe->forgets.generations = 3;
  if (dedupe->forgets.span.keys > 0)
    dedupe->source.threads = 1; /* keys are counted in their order */
  return dedupe_has_fpp(dedupe) &&
         window_expected(&command_dedupe, &dedupe->forgets.span, &dedupe->expected,
                         &dedupe->config.expected_insertions) &&
         window_begin(&dedupe->window, &command_dedupe, &dedupe->forgets, &dedupe->config);
}

/* Opens or makes the filter.  False after a report. */
static bool dedupe_begin_filter(struct dedupe *dedupe)
{
  const struct source_wish wish = {command_dedupe.name, &dedupe->config, &dedupe->reading,
                                   !dedupe->expected.given, !dedupe->strategy.given};
  bool there = false;

  return (dedupe->shared == NULL ||
          source_share(dedupe->shared, &wish, &there, &dedupe->into)) &&
         (there || dedupe_create(dedupe, &wish)) &&
         (dedupe->shared == NULL || dedupe_begin_shared(dedupe));
}

static int dedupe_files(struct dedupe *dedupe)
{
  dedupe->config.expected_insertions = dedupe->expected.value;
  if (!keys_check(&dedupe->source, &command_dedupe) ||
      !(dedupe->forgets.span.text != NULL ? dedupe_begin_window(dedupe)
                                          : dedupe_begin_filter(dedupe)))
    return CLI_TROUBLE;
  const int status = dedupe_fill(dedupe);
  window_end(&dedupe->window);
  source_shared_close(&dedupe->into);
  return status;
}

/* What is wrong with --window and --generations together with other options; NULL: nothing. */
static const char *dedupe_window_misuse(const struct dedupe *dedupe)
{
  if (dedupe->forgets.span.text == NULL)
    return dedupe->forgets.generations != 0 ? "--generations applies only to --window" : NULL;
  if (dedupe->shared != NULL)
    return "processes cannot share a window: leave out --shared";
  return dedupe->strategy.given ? "--window has a layout of its own: leave out --strategy" : NULL;
}

static int dedupe_run(int argc, char **argv)
{
  struct dedupe dedupe = {.source.threads = options_default_threads()};
  struct remote_manner manner = {0};
  const struct option_row rows[] = {
      options_fpp(&dedupe.config.fpp),
      options_expected(&dedupe.expected),
      options_nul(&dedupe.source.nul),
      part_field_row(&dedupe.source.part),
      part_separator_row(&dedupe.source.part),
      part_jsonl_row(&dedupe.source.part),
      options_strategy(&dedupe.strategy),
      options_hash(&dedupe.hash),
      options_key_file(&dedupe.reading.key),
      options_helper(&dedupe.reading.helper),
      {'\0', "shared", "FILE",
       "the filter, which several processes share; made if it does not exist", options_read_path,
       &dedupe.shared},
      options_mode(&dedupe.mode),
      window_span_row(&dedupe.forgets.span),
      window_generations_row(&dedupe.forgets.generations),
      options_threads(&dedupe.source.threads),
      {'q', "quiet", NULL, "print no summary", NULL, &dedupe.quiet},
      options_json(&dedupe.json),
      options_progress(&dedupe.source.progress),
      options_timeout(&manner.timeout_ms),
  };
  const int status = options_parse(&command_dedupe, rows, sizeof rows / sizeof *rows, argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  remote_behave(manner);
  if (dedupe.reading.helper.given && dedupe.shared == NULL)
    return options_misused(&command_dedupe,
                           "--helper opens a filter on Redis: give it with --shared");
  const char *misuse = options_hash_misuse(&dedupe.hash, 0, &dedupe.reading.key);
  if (misuse == NULL)
    misuse = options_mode_misuse(&dedupe.mode, dedupe.shared != NULL,
                                 dedupe.shared != NULL && remote_is(dedupe.shared));
  if (misuse == NULL)
    misuse = dedupe_window_misuse(&dedupe);
  if (misuse != NULL)
    return options_misused(&command_dedupe, misuse);
  if (!options_helper_use(&command_dedupe, &dedupe.reading.helper, &dedupe.expected,
                          &dedupe.config.fpp, &dedupe.strategy))
    return CLI_TROUBLE;
  dedupe.config.strategy = dedupe.strategy.id;
  dedupe.config.file_mode = dedupe.mode.bits;
  dedupe.config.hash = dedupe.hash.id;
  options_key_use(&dedupe.reading.key, &dedupe.config);
  dedupe.source.paths = argv + optind;
  dedupe.source.path_count = (size_t)(argc - optind);
  return dedupe_files(&dedupe);
}

const struct command command_dedupe = {
    .name = "dedupe",
    .operands = "[FILE...]",
    .summary = "print each distinct key once",
    .details =
        "Reads FILE..., or standard input if there is no FILE or FILE is -.  Standard\n"
        "input and pipes need -n.  A key is a line of any bytes; a carriage return is\n"
        "part of the key, and empty lines are skipped.  With --json, the object is\n"
        "printed instead of the keys.\n"
        "\n"
        "Without --window, no key is printed twice.  Only keys of the input are printed.\n"
        "With --threads 1 the first occurrence of each key is printed, in input order;\n"
        "with more threads, any one of its occurrences.  A new key is left out if it is a\n"
        "false positive; the probability of that grows to P while N distinct keys come.\n"
        "The summary on standard error says how many keys that should be: the sum of the\n"
        "probability at each key as the filter filled.  After far too many keys this\n"
        "number is unknown: null in --json.\n"
        "\n"
        "With --window, a key that was printed is left out for SPAN, and printed again\n"
        "when it next comes after SPAN * (1 + 1/G) at the latest.  N is the number of\n"
        "distinct keys in a SPAN, if they come evenly; otherwise G times the most in a\n"
        "SPAN/G.  A time counts from when a key is read; it is from 1 ms to 1e9 s.  A\n"
        "number counts all keys, repeats included, in input order: then one thread works,\n"
        "and a key that was printed is left out among the next SPAN keys; SPAN/G is\n"
        "rounded up.  The summary's number of keys that were left out wrongly is an upper\n"
        "bound if N was right.  It is computed with P, or with the probability at the end\n"
        "if that is greater.\n"
        "\n"
        "With --shared, a key that any process, or an earlier run, has put into FILE is\n"
        "left out too: of all runs that read a key, one prints it.  FILE and --mode are\n"
        "as for 'lfbloom build --shared'.  If a key is claimed but not printed, because\n"
        "the output failed or the process was killed, no run prints it: start again with\n"
        "a new FILE.  While a process has FILE open, do not delete, replace or cut it\n"
        "short.  If another file takes its place, keys are printed twice, and the run\n"
        "ends with an error (status 2) after the last key.  If it is cut short, the\n"
        "processes that use it are killed.\n"
        "\n"
        "FILE may be on Redis: of all processes that claim a key there, one prints it;\n"
        "with --threads 1, each process prints its keys in input order.  If a connection\n"
        "is lost during a claim, the keys are claimed again, and some may be printed\n"
        "twice.  If the server stays away, the run ends with status 2, and up to one\n"
        "batch of keys per thread may be claimed but not printed.\n"
        "\n" KEYS_HELP
        "\n" REMOTE_HELP
        "\n"
        "  lfbloom dedupe -p 1e-6 urls.txt > distinct.txt\n"
        "  lfbloom dedupe -p 1e-6 -n 50M urls.gz > distinct.txt\n"
        "  tail -F log | lfbloom dedupe --window 15m -n 1M -p 0.001\n"
        "  lfbloom dedupe --shared /dev/shm/seen -n 50M -p 1e-6 part1.txt > new1.txt\n"
        "  lfbloom dedupe --shared redis://localhost/seen -n 50M -p 1e-6 1.txt > new.txt\n",
    .run = dedupe_run,
};
