/*
 * claim.c - `lfbloom claim`: prints each line whose key it claims in a filter.
 *
 * In order     All threads ask the filter which of their keys are present: a key that is present
 *              was put by an earlier chunk or another process, and stays present.  Only the other
 *              keys are left to be decided, in the order of the input, and their lines of the
 *              filter are in a cache.
 * Unordered    All threads claim their keys concurrently.  One claim of each key wins.
 */
#define _GNU_SOURCE /* optind */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/clock.h"
#include "cli/base/figure.h"
#include "cli/base/human.h"
#include "cli/base/json.h"
#include "cli/base/options.h"
#include "cli/base/report.h"
#include "cli/base/spared.h"
#include "cli/filters/address.h"
#include "cli/filters/figures.h"
#include "cli/filters/source.h"
#include "cli/filters/window.h"
#include "cli/input/walk.h"

struct claim {
  struct keys_source source;
  struct options_count expected;
  struct options_strategy strategy;
  struct options_hash hash;
  struct options_key key;
  struct options_mode mode;
  lfb_config config;
  bool unordered;
  bool quiet;
  bool json;
  const char *kept; /* --shared: the path or address of a filter that stays; NULL: none */
  struct window_span span; /* --window */

  struct source into;        /* where keys are claimed                            */
  struct window_count count; /* of --window with a number of keys                 */
  uint64_t before;           /* an estimate of the distinct keys at the start */
  struct walk_figures read;
  _Atomic(uint64_t) out; /* keys that were claimed */
  _Atomic(uint64_t) bad_lines;
  double seconds;
};

/* ---- the lines ------------------------------------------------------------------ */

/* Claims keys, at most SOURCE_BATCH, and adds the number of those that it won to the figure. */
static bool claim_keys(struct claim *claim, const lfb_key *keys, size_t count, uint64_t *answers)
{
  /* If no other thread puts into it at the same time, a put of a new key is a claim that wins. */
  const bool alone = claim->into.any.kind == LFB_KIND_PLAIN && claim->kept == NULL &&
                     !claim->into.numbers && (!claim->unordered || claim->source.threads == 1);
  size_t claimed;

  if (claim->count.each != 0)
    claimed = window_claim(&claim->count, claim->into.any.window, keys, count, answers);
  else if (!source_do(&claim->into, alone ? LFB_PUT : LFB_CLAIM, keys, count, answers, &claimed))
    return false;
  figure_add(&claim->out, claimed);
  return true;
}

/* Whether to ask about more lines of a chunk: of new keys it only takes time. */
static bool claim_asks(const struct claim *claim, const struct walk_lines *lines, size_t first)
{
  const lfb_kind kind = claim->into.any.kind;

  return !claim->unordered && (kind == LFB_KIND_PLAIN || kind == LFB_KIND_GROWING) &&
         claim->source.threads > 1 &&
         claim->source.type != LFB_KEYS_I64 && /* it asks by bytes */
         first - lines->open_count >= first / 4;
}

/* Opens the lines whose keys are not present. */
static bool claim_take(void *context, struct walk_lines *lines, size_t first, const lfb_key *keys)
{
  const struct claim *claim = context;
  uint64_t present[WALK_BATCH / 64] = {0};

  if (claim_asks(claim, lines, first))
    (void)lfb_any_many(claim->into.any, LFB_MIGHT_CONTAIN, keys, lines->count - first, present);
  for (size_t i = first; i < lines->count; i++)
    if (!lfb_answer(present, i - first) && !walk_passes(lines, i))
      walk_open(lines, i);
  return true;
}

/* Claims the keys of `count` open lines from open[at] on, and wants the lines that it wins. */
static bool claim_open(struct claim *claim, struct walk_lines *lines, size_t at, size_t count)
{
  const uint32_t *const open = lines->open + at;
  const lfb_key *keys = lines->keys + open[0];
  lfb_key some[SOURCE_BATCH];
  uint64_t answers[SOURCE_BATCH / 64];

  if (open[count - 1] - open[0] != count - 1) { /* they do not follow one another */
    for (size_t i = 0; i < count; i++)
      some[i] = lines->keys[open[i]];
    keys = some;
  }
  if (!claim_keys(claim, keys, count, answers))
    return false;
  for (size_t i = 0; i < count; i++) /* without branches: open lines are not wanted before */
    lines->wanted[open[i] / 64] |= (uint64_t)lfb_answer(answers, i) << (open[i] % 64);
  return true;
}

static bool claim_decide(void *context, struct walk_lines *lines)
{
  struct claim *claim = context;
  const size_t most = source_batch(&claim->into);

  for (size_t at = 0; at < lines->open_count; at += most) {
    const size_t left = lines->open_count - at, count = left < most ? left : most;
    if (!claim_open(claim, lines, at, count)) {
      lines->count = lines->open[at]; /* what was decided is printed */
      return false;
    }
  }
  return true;
}

static bool claim_lines(struct claim *claim)
{
  const struct decider decider = {.batch = source_batch(&claim->into),
                                  .keeps_keys = true,
                                  .take = claim_take,
                                  .decide = claim_decide};
  const uint64_t began = clock_ns();
  const bool read_all = walk_run(&(struct walk){.source = &claim->source,
                                                .label = "claiming",
                                                .decider = &decider,
                                                .context = claim,
                                                .prints = !claim->json,
                                                .unordered = claim->unordered,
                                                .figures = &claim->read});

  claim->seconds = clock_seconds(clock_ns() - began);
  keys_note_bad(&claim->source);
  return read_all;
}

/* ---- the filter ----------------------------------------------------------------- */

/* Reads the figures of a filter that stays.  False after a report. */
static bool claim_begin_kept(struct claim *claim)
{
  lfb_figures figures;

  if (claim->kept == NULL || claim->into.any.kind == LFB_KIND_WINDOW)
    return true;
  if (!source_stats(&claim->into, &figures))
    return false;
  const lfb_stats *stats = &figures.all;
  claim->before = stats->approximate_count - stats->approximate_count / 50; /* an estimate */
  return true;
}

/* Opens or makes the filter, or the window.  False after a report. */
static bool claim_begin(struct claim *claim)
{
  const struct window_span *span = claim->span.text != NULL ? &claim->span : NULL;
  const struct source_wish wish = {
      .command = &command_claim,
      .config = &claim->config,
      .key = &claim->key,
      .expected = &claim->expected,
      .keys = &claim->source,
      .span = span,
      .any_strategy = !claim->strategy.given,
      /* Without -n, the size of a new file would be that of the first run alone. */
      .grows = claim->kept != NULL && !address_is(claim->kept) && !claim->expected.given &&
               claim->config.strategy != LFB_GO_FNV14};

  if (!source_share(claim->kept, &wish, &claim->into))
    return false;
  if (span != NULL && span->keys > 0) {
    claim->unordered = false; /* keys are counted in their order */
    claim->count.each = claim->count.keys =
        window_each(span, window_config(span, &claim->config).generations);
  }
  return source_takes(&claim->into, &claim->source) && claim_begin_kept(claim);
}

/* ---- the figures ---------------------------------------------------------------- */

/* At most how many distinct keys were false positives: each was one with at most the probability of
 * the end, or in a window p, if no span has more than n distinct keys.  Infinite: most were. */
static double claim_most_wrong(const struct claim *claim, const lfb_figures *figures)
{
  const bool window = figures->kind == LFB_KIND_WINDOW;
  const double fpp = fmax(window ? figures->all.fpp : 0, figures->all.expected_fpp);
  const double out = (double)figure_get(&claim->out);
  const double left_out = (double)figure_get(&claim->read.keys) - out;

  return fpp > 0.99 ? (double)INFINITY : fmin(out * fpp / (1 - fpp), left_out);
}

static void claim_json(const struct claim *claim, const lfb_figures *figures, double wrong)
{
  const lfb_form form = figures->all.form;
  const bool formless = figures->kind == LFB_KIND_PLAIN && form == LFB_FORM_NONE;

  json_open(NULL);
  json_count("in", figure_get(&claim->read.keys));
  json_count("out", figure_get(&claim->out));
  json_float("expected_false_positives", wrong);
  if (figures->kind == LFB_KIND_WINDOW)
    json_count("generations", figures->window.generations);
  figures_json(formless ? NULL : figures_form(figures->kind, form), &figures->all);
  json_count("bad_lines", figure_get(&claim->bad_lines));
  json_count("threads", claim->source.threads);
  json_count("input_bytes", figure_get(&claim->read.bytes));
  json_float("seconds", claim->seconds);
  json_close();
}

static void claim_text(const struct claim *claim, const lfb_figures *figures, double wrong)
{
  const uint64_t in = figure_get(&claim->read.keys);
  const double seconds = claim->seconds > 0 ? claim->seconds : 1e-9;
  char left_out[64] = "most distinct ones";

  if (isfinite(wrong))
    (void)snprintf(left_out, sizeof left_out, "at most about %.3g distinct ones", wrong);
  report_note("%s key%s in, %s out, %s wrongly left out; in %s; %s, %s keys/s",
              human_count(in).text, in == 1 ? "" : "s", human_count(figure_get(&claim->out)).text,
              left_out, human_bytes(figures->all.bytes).text, human_seconds(claim->seconds).text,
              human_short((double)in / seconds).text);
}

/* Whether more than n keys are in a span, also after generations of few keys were rounded up. */
static bool claim_window_overfull(const lfb_window_figures *figures)
{
  const double live = figures->generations + 1, each = live / figures->generations;
  const double room = each * (double)figures->expected_insertions + live;
  double keys = 0;

  for (uint32_t i = 0; i <= figures->generations; i++)
    keys += (double)figures->live[i].approximate_count;
  return keys > 1.02 * room; /* an estimate */
}

/* Prints the figures: of a window, or of another filter.  Returns the exit status: CLI_OTHERWISE
 * after a warning that more keys came than the filter was made for. */
static int claim_figures(const struct claim *claim)
{
  lfb_figures figures;

  if (!source_stats(&claim->into, &figures))
    return CLI_NOT_DONE;
  const lfb_stats *stats = &figures.all;
  const bool window = figures.kind == LFB_KIND_WINDOW;
  const bool overfull =
      stats->fpp > 0 && stats->expected_fpp > stats->fpp &&
      (window ? claim_window_overfull(&figures.window)
              : claim->before + figure_get(&claim->out) > stats->expected_insertions);
  const double wrong = claim_most_wrong(claim, &figures);
  if (overfull)
    report_overfull(window ? "window was" : "filter was", stats);
  if (claim->json)
    claim_json(claim, &figures, wrong);
  else if (!claim->quiet)
    claim_text(claim, &figures, wrong);
  return overfull ? CLI_OTHERWISE : CLI_DONE;
}

/* ---- the whole ------------------------------------------------------------------- */

static int claim_files(struct claim *claim)
{
  const bool done = keys_check(&claim->source, &command_claim) && claim_begin(claim) &&
                    claim_lines(claim) && source_settle(&claim->into);
  const int status = done ? claim_figures(claim) : CLI_NOT_DONE;

  source_close(&claim->into);
  return status;
}

/* ---- the options ---------------------------------------------------------------- */

/* What is wrong with the combination of options; NULL: nothing. */
static const char *claim_misuse(const struct claim *claim)
{
  const char *kept = claim->kept;

  if (claim->mode.given && kept != NULL && address_is(kept))
    return "--mode does not apply to a filter on Redis";
  if (claim->span.text != NULL) {
    if (claim->strategy.given)
      return "--window has a layout of its own: leave out --strategy";
    if (kept != NULL && address_is(kept))
      return "a window of the tool is in a file: a server has its own, BF.WINDOW.RESERVE";
    if (kept != NULL && claim->span.keys > 0)
      return "one run counts the keys of a span of keys: give --shared with a time";
  }
  return options_hash_misuse(&claim->hash, 0, &claim->key);
}

/* -n: in a filter that stays it counts the keys of all runs. */
static struct option_row claim_expected_row(struct options_count *to)
{
  struct option_row row = options_expected(to);
  row.help = "number of distinct keys, with --shared of all runs together (default: the keys in "
             "FILE..., repeats included; a new file of --shared grows)";
  return row;
}

static int claim_run(int argc, char **argv)
{
  struct claim claim = {.source = {.threads = options_default_threads()}};
  const struct option_row rows[] = {
      options_fpp(&claim.config.fpp),
      claim_expected_row(&claim.expected),
      {'\0', "shared", "FILE",
       "the filter or window, which several processes and later runs share; made if it does not "
       "exist", options_read_path, &claim.kept},
      window_span_row(&claim.span),
      KEYS_ROWS(claim.source),
      options_strategy(&claim.strategy),
      options_hash(&claim.hash),
      options_key_file(&claim.key),
      options_mode(&claim.mode),
      options_threads(&claim.source.threads),
      {'\0', "unordered", NULL, "print any one of a key's occurrences, as threads find them", NULL,
       &claim.unordered},
      {'q', "quiet", NULL, "print no summary", NULL, &claim.quiet},
      options_json(&claim.json),
      options_progress(&claim.source.progress),
      options_timeout(&address_manner.timeout_ms),
  };
  const int status = options_parse(&command_claim, rows, sizeof rows / sizeof *rows, argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  const char *misuse = claim_misuse(&claim);
  if (misuse != NULL)
    return options_misused(&command_claim, misuse);
  if (claim.mode.given && claim.kept == NULL)
    report_note("note: --mode changes nothing without --shared");
  claim.config.strategy = claim.strategy.id;
  claim.config.file_mode = claim.mode.bits;
  claim.config.hash = claim.hash.id;
  claim.config.key_type = typed_is_text(claim.source.type) ? LFB_KEYS_TEXT : claim.source.type;
  options_key_use(&claim.key, &claim.config);
  claim.source.bad = &claim.bad_lines;
  claim.source.paths = argv + optind;
  claim.source.path_count = (size_t)(argc - optind);
  spared_add_operands(claim.source.paths, claim.source.path_count);
  return claim_files(&claim);
}

const struct command command_claim = {
    .name = "claim",
    .operands = "[FILE...]",
    .summary = "print lines whose key is new to a filter, each once",
    .purpose =
        "Of all threads, processes and runs that share the filter, one prints a line.  A fraction "
        "of the new lines is lost, at most P; 'lfbloom dedupe' loses none.\n",
    .examples =
        "  lfbloom claim -p 1e-6 -n 50M urls.gz > distinct.txt\n"
        "  lfbloom claim -p 1e-6 --shared seen today.txt > new.txt\n"
        "  tail -F log | lfbloom claim --window 15m -n 1M -p 0.001 --shared seen\n"
        "  lfbloom claim --shared redis://localhost/seen -n 50M -p 1e-6 1.txt > new.txt\n",
    .common = 10,
    .details =
        "The first line of each key is printed, in the order of the input, with any number of "
        "threads.  The filter then has the key, and no later line of it is printed.  With --json, "
        "figures are printed instead of the lines.\n\n"
        "A new key is lost if it is a false positive.  The probability of that grows from 0 to P "
        "while N distinct keys come.  The summary on standard error says how many keys were lost "
        "at most.  If more than N come, a warning says so, and the exit status is 1.  After far "
        "too many keys the number is unknown, null in --json.\n\n"
        "Without -n, a file is read twice, first to count its keys.  A pipe needs -n, except with "
        "--shared.\n\n"
        "One thread at a time decides which keys are new, in 20 to 50 ns each.  With --unordered "
        "all threads do, which may be faster if nearly all keys are new.  It prints any one of a "
        "key's lines, in any order.\n\n"
        "With --shared FILE, a key that another process or an earlier run has put into FILE is "
        "left out, too.  A new FILE grows with its keys, so that the probability stays below P in "
        "all runs.  With -n it has the size for N keys of all runs together, and its queries take "
        "less time.  If FILE is full and cannot grow, the run ends with status 2.\n\n"
        "A claimed key may not be printed: if the output fails, if the process is killed, or, with "
        "--unordered, if an earlier line has no key.  A kill loses at most the lines of 256 KiB "
        "for each thread, such as 3,000 of 85 bytes: --threads 1 loses least.  No later run prints "
        "them: start again with a new FILE.  'lfbloom dedupe --seen' loses none.\n\n"
        "While a process has FILE open, do not delete or replace it: keys are then printed twice.  "
        "Nor cut it short: that kills the process.\n\n"
        "With --window 15m, a key is printed once in 15 to 20 minutes: not again for SPAN, and "
        "again after SPAN * (1 + 1/G) at the latest.  G is 3; SPAN/G sets 1 or 7.  A time is from "
        "1 ms to 1e9 s, and begins when a key is decided.  A number, as 10M, counts all keys of "
        "the input, repeats included; a Gth of it is rounded up.\n\n"
        "With --window, -n is the number of distinct keys within a SPAN, if they come evenly.  If "
        "they come in bursts, take the busiest third of SPAN (a Gth), and give three times (G "
        "times) its distinct keys.  Then no more keys are lost than the summary says.\n\n"
        "With --window and --shared FILE, later runs go on with the window in FILE, also after a "
        "restart of the host.  SPAN must be a time, and FILE's.  Only a new FILE needs -n and -p.  "
        "If they or --hash differ from FILE's, that is an error.\n\n"
        "FILE of --shared may be on Redis, also as a key of the module (BF.*).  In order, a "
        "process waits for one answer of the server at a time; with --unordered, each thread has a "
        "connection of its own.  If a connection is lost during a claim, some keys may be printed "
        "twice.  If the server stays away, the run ends with status 2, and some keys may be "
        "claimed but not printed.\n",
    .run = claim_run,
};
