/*
 * build.c - `lfbloom build`: builds a filter file from keys, in parallel.
 */
#define _GNU_SOURCE /* optind */
#include <inttypes.h>
#include <lfbloom/builder.h>
#include <stdio.h>
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
#include "cli/filters/like.h"
#include "cli/filters/source.h"
#include "cli/filters/target.h"
#include "cli/input/walk.h"

struct build {
  struct keys_source source;
  struct options_count expected;
  struct options_strategy strategy;
  struct options_formula formula;
  struct options_hash hash;
  struct like like;
  struct options_key key;
  struct options_mode mode;
  lfb_config config;
  lfb_form form;
  bool quiet;
  bool json;
  bool shared; /* OUT is a filter that processes share */
  bool growing; /* --growing */
  bool counting; /* OUT has counters or tags */
  struct options_count copies;
  bool unsized; /* the number of keys is known only at the end of a pipe */
  const char *out;

  lfb_builder *builder; /* if unsized                               */
  struct source into;   /* the filter; if unsized, the finished one */
  _Atomic(uint64_t) bad_lines;
  struct walk_figures read;
  _Atomic(uint64_t) changed; /* the new keys: those that turned on a bit */
  double seconds; /* of putting, with reading */
};

/* Puts keys into the builder.  How many are new is known at the end. */
static void build_collect(struct build *build, const lfb_key *keys, size_t count)
{
  uint64_t numbers[SOURCE_BATCH];

  if (build->source.type == LFB_KEYS_I64) {
    typed_numbers(keys, count, numbers);
    lfb_builder_put_many(build->builder, numbers, count, LFB_U64_KEY);
  } else {
    lfb_builder_put_many(build->builder, keys, count, LFB_BYTES_KEY);
  }
}

/* Reports that a counting filter has no place for a key. */
static bool build_full(const struct build *build)
{
  lfb_figures figures;

  lfb_any_stats(build->into.any, &figures);
  return report_false("%s: not written: it is full with %s keys, made for %s: give a larger -n, or "
                      "if keys repeat --copies, or put each key once ('lfbloom dedupe')",
                      build->out, human_count(figures.all.copies).text,
                      human_count(figures.all.expected_insertions).text);
}

static bool build_take(void *context, struct walk_lines *lines, size_t first, const lfb_key *keys)
{
  struct build *build = context;
  const size_t count = lines->count - first;
  size_t changed = 0;

  if (build->builder != NULL)
    build_collect(build, keys, count);
  else if (!source_do(&build->into, LFB_PUT, keys, count, NULL, &changed))
    return false;
  figure_add(&build->changed, changed);
  return !build->counting || changed == count || build_full(build);
}

/* Reads and puts all keys. */
static bool build_read(struct build *build)
{
  const struct decider decider = {.batch = source_batch(&build->into), .take = build_take};
  const uint64_t began = clock_ns();
  const bool read_all = walk_run(&(struct walk){.source = &build->source,
                                                .label = "building",
                                                .decider = &decider,
                                                .context = build,
                                                .figures = &build->read});

  keys_note_bad(&build->source);
  build->seconds = clock_seconds(clock_ns() - began);
  return read_all;
}

static int build_refused(const struct build *build, lfb_status status)
{
  lfb_stats stats = {.bytes = 0};

  if (status == LFB_ERROR_UNKNOWN_HASH)
    return report_error("build: --strategy %s: %s", lfb_strategy_name(build->config.strategy),
                        lfb_status_text(status));
  lfb_ignore(lfb_config_plan(&build->config, &stats));
  if (build->counting)
    figures_of_counters(&stats);
  return report_unmade("build", &build->config, stats.bytes, status);
}

/* Warns if the strategy keeps the rate above twice what was asked for. */
static void build_warn_rate(const lfb_config *config, const lfb_stats *stats)
{
  double then = 0;

  lfb_ignore(lfb_config_fpp_after(config, config->expected_insertions, &then)); /* it was planned */
  if (then > 2 * stats->fpp)
    report_note("warning: %s has a false-positive probability of about %s with so few bits, not %s",
                lfb_strategy_name(stats->strategy), human_probability(then).text,
                human_probability(stats->fpp).text);
}

/* Warns if part of the filter is unused, or its rate out of reach. */
static void build_warn(const struct build *build, const lfb_stats *stats)
{
  if (stats->reachable_bits < stats->bit_count)
    report_note("warning: %s can use only %s of the filter's %s bits; use another --strategy",
                lfb_strategy_name(stats->strategy), human_count(stats->reachable_bits).text,
                human_count(stats->bit_count).text);
  else
    build_warn_rate(&build->config, stats);
}

/* Makes the filter to put into, or begins one of unknown size. */
static lfb_status build_begin(struct build *build)
{
  lfb_any *any = &build->into.any;

  build->into.numbers = build->source.type == LFB_KEYS_I64;
  if (build->unsized)
    return lfb_builder_create(&build->config, &build->builder);
  any->kind = build->counting ? LFB_KIND_COUNTING : LFB_KIND_PLAIN;
  return build->counting ? lfb_counting_create(&build->config, &any->counting)
                         : lfb_filter_create(&build->config, &any->plain);
}

/* The same after checks, with reports. */
static bool build_create(struct build *build)
{
  lfb_stats stats;
  lfb_status status = lfb_config_plan(&build->config, &stats);

  if (status == LFB_OK && address_is(build->out) &&
      !target_holds(build->out, build->form, command_build.name, &stats))
    return false;
  if (status == LFB_OK)
    status = build_begin(build);
  if (status == LFB_OK && !build->unsized)
    build_warn(build, &stats);
  return status == LFB_OK || build_refused(build, status) == CLI_DONE;
}

static void build_summary_json(const struct build *build, const lfb_figures *figures)
{
  json_open(NULL);
  json_count("keys", figure_get(&build->read.keys));
  json_count("new_keys", figure_get(&build->changed));
  figures_json(figures_form(address_is(build->out) && !build->shared ? LFB_KIND_NONE
                                                                      : figures->kind,
                            build->form),
               &figures->all);
  json_count("threads", build->source.threads);
  json_count("input_bytes", figure_get(&build->read.bytes));
  json_count("bad_lines", figure_get(&build->bad_lines));
  json_float("seconds", build->seconds);
  json_close();
}

static void build_summary_text(const struct build *build, const lfb_stats *stats)
{
  const uint64_t keys = figure_get(&build->read.keys);
  const double seconds = build->seconds > 0 ? build->seconds : 1e-9;
  char distinct[64] = "saturated";

  if (stats->strategy == LFB_TAGS)
    (void)snprintf(distinct, sizeof distinct, "all stored");
  else if (!stats->saturated)
    (void)snprintf(distinct, sizeof distinct, "about %s distinct",
                   human_count(stats->approximate_count).text);
  report_note("%s: %s key%s, %s, in %s; expected fpp %s; %s, %s keys/s, %s/s", build->out,
              human_count(keys).text, keys == 1 ? "" : "s", distinct,
              human_bytes(stats->bytes).text, human_probability(stats->expected_fpp).text,
              human_seconds(build->seconds).text, human_short((double)keys / seconds).text,
              human_bytes((uint64_t)((double)figure_get(&build->read.bytes) / seconds)).text);
}

/* Whether more than half of the absent keys that should be told apart are not.  stats->fpp is 0 if
 * it is unknown. */
static bool build_is_useless(const lfb_stats *stats)
{
  return stats->saturated || stats->expected_fpp > (1 + stats->fpp) / 2;
}

/* Whether OUT is fuller than planned, after a warning. */
static bool build_is_too_full(const struct build *build, const lfb_stats *stats)
{
  /* Not `keys`: a repeated key does not fill the filter.  For a shared filter the number is an
   * estimate; 2 % less, so that its error causes no warning. */
  const uint64_t in = build->shared ? stats->approximate_count - stats->approximate_count / 50
                                    : figure_get(&build->changed);

  if (stats->fpp > 0 && in > stats->expected_insertions && stats->expected_fpp > stats->fpp)
    report_overfull("filter was", stats);
  else if (build_is_useless(stats))
    report_note("warning: %s answers \"maybe\" to most absent keys: false-positive probability %s",
                build->out, human_probability(stats->expected_fpp).text);
  else
    return false;
  return true;
}

/* Returns the exit status. */
static int build_summary(const struct build *build)
{
  lfb_figures figures;

  if (!source_stats(&build->into, &figures))
    return CLI_NOT_DONE;
  const lfb_stats *stats = &figures.all;
  const bool full = build_is_too_full(build, stats);
  if (build->json)
    build_summary_json(build, &figures);
  else if (!build->quiet)
    build_summary_text(build, stats);
  return full ? CLI_OTHERWISE : CLI_DONE;
}

/* Makes the filter for the keys that came.  False after a report. */
static bool build_size(struct build *build)
{
  lfb_filter *filter;
  uint64_t changed;
  lfb_stats stats;
  const lfb_status status = lfb_builder_finish(build->builder, &filter, &changed);

  build->config.expected_insertions = figure_get(&build->read.keys);
  if (status != LFB_OK)
    return build_refused(build, status) == CLI_DONE;
  build->builder = NULL;
  build->into.any = (lfb_any){LFB_KIND_PLAIN, {filter}};
  figure_add(&build->changed, changed);
  lfb_filter_stats(filter, &stats);
  build->config.expected_insertions = stats.expected_insertions;
  build_warn(build, &stats);
  return true;
}

static int build_fill(struct build *build)
{
  const uint64_t began = clock_ns();

  if (!build_read(build) || (build->unsized && !build_size(build))) {
    lfb_builder_free(build->builder);
    return CLI_NOT_DONE;
  }
  build->seconds = clock_seconds(clock_ns() - began);
  const lfb_redis_module_value value = {.any = build->into.any};
  return target_save(build->out, &value, build->form) ? build_summary(build) : CLI_NOT_DONE;
}

/* Other processes see each put at once, and it stays even if the command fails later. */
static int build_fill_shared(struct build *build)
{
  if (!build_read(build))
    return CLI_NOT_DONE;
  return source_settle(&build->into) ? build_summary(build) : CLI_NOT_DONE;
}

/* Whether the strategy takes --probes-formula, if that was given.  False after a report. */
static bool build_formula_fits(const struct build *build)
{
  const lfb_strategy_id strategy = build->config.strategy;

  if (!build->formula.given || strategy == LFB_GUAVA_MITZ64 || strategy == LFB_GUAVA_MITZ32 ||
      strategy == LFB_JAVA_DOUBLE)
    return true;
  return report_false("build: --strategy %s takes no --probes-formula: only guava-mitz64, "
                      "guava-mitz32 and java-double do",
                      lfb_strategy_name(strategy));
}

/* Puts into the shared filter; makes it first if it does not exist. */
static int build_share(struct build *build)
{
  const struct source_wish wish = {.command = &command_build,
                                   .config = &build->config,
                                   .key = &build->key,
                                   .expected = &build->expected,
                                   .keys = &build->source,
                                   .any_strategy = !build->strategy.given,
                                   .grows = build->growing,
                                   .only_growing = build->growing};

  build->config.strategy = build->strategy.id;
  if (!build_formula_fits(build) || !keys_check(&build->source, &command_build) ||
      !source_share(build->out, &wish, &build->into))
    return CLI_NOT_DONE;
  const int status = source_takes(&build->into, &build->source) ? build_fill_shared(build)
                                                                    : CLI_NOT_DONE;
  source_close(&build->into);
  return status;
}

/* If no strategy was given: the first of `preferred` that the form holds. */
static lfb_strategy_id build_strategy(const struct build *build)
{
  static const lfb_strategy_id preferred[] = {LFB_DEFAULT, LFB_GUAVA_MITZ64, LFB_SBBF};
  size_t i = 0;

  if (build->strategy.given || build->counting)
    return build->strategy.given ? build->strategy.id : LFB_TAGS;
  while (i + 1 < sizeof preferred / sizeof *preferred && !lfb_form_holds(build->form, preferred[i]))
    i++;
  return preferred[i];
}

static int build_from_files(struct build *build)
{
  if (build->shared)
    return build_share(build);
  build->config.strategy = build_strategy(build);
  if (!address_is(build->out) && !build->counting &&
      !lfb_form_holds(build->form, build->config.strategy))
    return report_error("build: --form %s, --strategy %s: %s", lfb_form_name(build->form),
                        lfb_strategy_name(build->config.strategy),
                        lfb_status_text(LFB_ERROR_FORM_CANNOT_HOLD));
  const struct keys_source *source = &build->source;
  if (!build_formula_fits(build) || !keys_check(source, &command_build) ||
      !target_check(build->out) ||
      !target_spares_shared(build->out, build->form))
    return CLI_NOT_DONE;
  build->unsized = !build->expected.given && !build->counting &&
                   !input_is_rereadable(source->paths, source->path_count);
  if ((!build->unsized && !walk_expected(source, command_build.name, false, &build->expected,
                                         &build->config.expected_insertions)) ||
      !build_create(build))
    return CLI_NOT_DONE;
  const int status = build_fill(build);
  source_close(&build->into);
  return status;
}

/* Whether an option was given that --like takes from its file, unless -p is given. */
static bool build_has_size(const struct build *build)
{
  return build->expected.given || build->strategy.given || build->formula.given ||
         build->config.foldable;
}

/* The same of those of a counting filter. */
static const char *build_counting_misuse(const struct build *build)
{
  if (!build->counting && build->copies.given)
    return "--copies needs --counting";
  if (!build->counting)
    return build->strategy.id == LFB_TAGS ? "--strategy tags needs --counting" : NULL;
  if (address_is(build->out))
    return "--counting does not apply to a filter on Redis";
  if (build->shared || build->like.path != NULL || build->form != LFB_FORM_NONE ||
      build->config.foldable)
    return "--counting takes no --shared, --like, --form or --foldable";
  return NULL;
}

/* What is wrong with the combination of options; NULL: nothing. */
static const char *build_misuse(const struct build *build)
{
  if (build->config.fpp == 0 && !build->shared && build->like.path == NULL)
    return "no -p given: give the false-positive probability";
  if (build->out == NULL)
    return "no -o given: give the file to write";
  if (build->shared && target_is_standard(build->out))
    return "--shared needs a file, not standard output";
  if (build->shared && build->form != LFB_FORM_NONE && build->form != LFB_FORM_MAPPED)
    return "--shared allows only --form mapped";
  if (address_is(build->out) && build->form != LFB_FORM_NONE)
    return "--form does not apply to a filter on Redis";
  if (build->json && target_is_standard(build->out))
    return "-o - and --json both write to standard output";
  if (build->config.keep_key && !build->key.given)
    return "--keep-key needs --key-file";
  if (build->like.path != NULL && address_is(build->like.path))
    return "--like takes a filter in a file: 'lfbloom convert' fetches one from Redis";
  if (build->like.path != NULL && build->config.fpp == 0 && build_has_size(build))
    return "--like without -p takes -n, --strategy, --probes-formula and --foldable from its file: "
           "leave them out, or give -p, too";
  if (build->like.path != NULL && build->config.fpp == 0 && build->growing)
    return "--like without -p makes a filter that merges, --growing one that does not: leave one "
           "out";
  if (build->like.path != NULL && (build->hash.given || build->hash.id != LFB_HASH_DEFAULT))
    return "--like replaces --hash and --seed: leave them out";
  if (build->growing && address_is(build->out))
    return "--growing does not apply to a filter on Redis";
  if (build->growing && !build->shared)
    return "--growing applies only to a file of --shared";
  if (build->mode.given && address_is(build->out))
    return "--mode does not apply to a filter on Redis";
  if (build->mode.given && !build->shared)
    return "--mode applies only to a new file of --shared";
  const char *misuse = build_counting_misuse(build);
  return misuse != NULL ? misuse
                        : options_hash_misuse(&build->hash, build->config.seed, &build->key);
}

/* Checks the combination of options, and chooses the form.  False after a report. */
static bool build_settle(struct build *build)
{
  const char *misuse = build_misuse(build);

  if (misuse != NULL)
    return options_misused(&command_build, misuse) != CLI_NOT_DONE;
  if (build->form == LFB_FORM_NONE)
    build->form = build->shared ? LFB_FORM_MAPPED : LFB_FORM_NATIVE;
  build->like.all = build->config.fpp == 0;
  return typed_take_form(build->form, &build->source.type);
}

/* Takes what --like says, if it was given.  False after a report. */
static bool build_take_like(struct build *build)
{
  if (build->like.path == NULL)
    return true;
  spared_add(build->like.path);
  if (!build->shared && spared_has(build->out))
    return report_false("%s: OUT would lose its keys: to add keys to a filter, use 'lfbloom build "
                        "--shared', or build another file and use 'lfbloom merge'", build->out);
  build->config.key_type = build->source.type;
  if (!like_take(&build->like, &build->key, &build->strategy, &build->config))
    return false;
  build->source.type = build->config.key_type;
  if (build->like.all)
    build->expected = (struct options_count){true, build->config.expected_insertions};
  return true;
}

static int build_run(int argc, char **argv)
{
  struct build build = {.source.threads = options_default_threads(), .form = LFB_FORM_NONE};
  struct options_count seed = {0};
  const struct option_row rows[] = {
      options_fpp(&build.config.fpp),
      options_expected(&build.expected),
      {'o', "output", "OUT", "filter file to write", options_read_path, &build.out},
      {'\0', "like", "FILE",
       "take everything from the filter in FILE, so that both can be merged; with -p only hash, "
       "key and strategy", options_read_path, &build.like.path},
      {'\0', "shared", NULL,
       "OUT is a filter that several processes share; made if it does not exist", NULL,
       &build.shared},
      KEYS_ROWS(build.source),
      options_strategy(&build.strategy),
      {'\0', "form", "FORM",
       "file form: native (default); guava, for Java (guava-mitz64); sbbf, for Parquet files "
       "(sbbf); milvus-int64 or milvus-utf8, for Milvus (sbbf); or mapped, for --shared",
       options_read_form, &build.form},
      {'\0', "probes-formula", "F",
       "Guava's formula for the number of probes: 31 (up to release 31; the default) or current; "
       "for guava-mitz64, guava-mitz32 and java-double",
       options_read_formula, &build.formula},
      options_hash(&build.hash),
      {'\0', "seed", "S",
       "hash with xxh3 and this seed (0: a random one); files with the same seed can be merged",
       options_read_count, &seed},
      {'\0', "key-file", "FILE",
       "hash with the secret key in FILE (32 hexadecimal digits; default: a random key, which is "
       "written into OUT)",
       options_read_key, &build.key},
      {'\0', "keep-key", NULL,
       "write the key of --key-file into OUT, which then opens without it; OUT gets mode 0600, or "
       "less if the file that it replaces had less",
       NULL, &build.config.keep_key},
      {'\0', "foldable", NULL,
       "round the size up, by 3 % at most for large filters, so that fold and merge can shrink OUT",
       NULL, &build.config.foldable},
      options_growing(&build.growing),
      options_mode(&build.mode),
      options_counting(&build.counting),
      options_copies(&build.copies),
      options_threads(&build.source.threads),
      {'q', "quiet", NULL, "print no summary", NULL, &build.quiet},
      options_json(&build.json),
      options_progress(&build.source.progress),
      options_timeout(&address_manner.timeout_ms),
  };
  const int status = options_parse(&command_build, rows, sizeof rows / sizeof *rows, argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  address_manner.progress = progress_wanted(build.source.progress);
  build.config.seed = seed.value;
  build.config.probes_formula = build.formula.id;
  build.config.file_mode = build.mode.bits;
  build.config.copies = build.copies.value;
  if (seed.given && !build.hash.given)
    build.hash.id = LFB_HASH_XXH3;
  build.config.hash = build.hash.id;
  options_key_use(&build.key, &build.config);
  build.source.paths = argv + optind;
  build.source.path_count = (size_t)(argc - optind);
  build.source.bad = &build.bad_lines;
  if (build.source.bad_lines == KEYS_PASS) /* nothing is printed */
    build.source.bad_lines = KEYS_SKIP;
  if (!build_settle(&build) || !build_take_like(&build))
    return CLI_NOT_DONE;
  build.config.key_type = typed_is_text(build.source.type) ? LFB_KEYS_TEXT : build.source.type;
  spared_add_operands(build.source.paths, build.source.path_count);
  return build_from_files(&build);
}

const struct command command_build = {
    .name = "build",
    .operands = "[FILE...]",
    .summary = "build a filter file from keys",
    .purpose = "'lfbloom query' then says which keys are in it.\n",
    .examples =
        "  lfbloom build -p 0.001 -o seen.lfb urls.txt\n"
        "  lfbloom build --like seen.lfb -o more.lfb more.txt.gz\n"
        "  lfbloom build --shared -n 50M -p 0.001 -o /dev/shm/seen urls.txt\n"
        "  lfbloom build --shared -n 50M -p 0.001 -o redis://localhost/seen urls.txt\n",
    .common = 10,
    .details =
        "OUT is written as a whole or not at all; - is standard output.  If OUT holds the key of "
        "its hash, protect standard output from other users.\n\n"
        "Without -n, the keys of files are counted first; compressed files are then decompressed "
        "twice.  Of a pipe, a hash of 8 to 16 bytes is kept for each key, and OUT is made at its "
        "end for the distinct keys.  With -n, a pipe needs only the memory of OUT.\n\n"
        "With --like FILE, OUT can be merged with FILE, and is made for as many keys.  With -p, "
        "OUT has the size for -n keys at P, and only the hash, the key and the strategy of FILE.  "
        "FILE must be of form native or mapped, record n and p, and not have been folded.\n\n"
        "With --shared, any number of processes build and query OUT at the same time, on /dev/shm "
        "or on a disk.  A killed process loses no key that it has put, and nothing needs "
        "repair.\n\n"
        "The first process makes OUT.  It needs -p, and for keys from a pipe also -n.  Give -n, "
        "too, if several processes start at once: otherwise OUT has the size for the keys of the "
        "first.  Later processes need none of -p, -n, --strategy, --hash and --seed.  A value that "
        "differs from OUT's is an error.\n\n"
        "With --growing, a new OUT grows with its keys, and its false-positive probability stays "
        "below P.  A pipe then needs no -n.  Such a filter cannot be merged, folded or converted.  "
        "If it cannot grow, the command ends with status 2.\n\n"
        "With --counting, 'lfbloom remove' can remove keys from OUT.  Each line is put, so a key "
        "that comes twice must be removed twice.  The strategy is tags; any other has a counter of "
        "4 bits for each bit.  If tags have no place for a key, the command ends with status 2 and "
        "OUT is not written.  A key that comes more than 64 times never fits.\n\n"
        "While a process has OUT open, do not cut OUT short, as truncate, cp and > do: that kills "
        "the process.  Do not delete or replace OUT either: what was put is lost.\n\n"
        "OUT may be on Redis, with strategy fast, guava-mitz64, guava-mitz32 or redis-mitz32.  "
        "Without --shared, the filter is built here and then sent; its name must be unused.  With "
        "--shared, the keys are put into the filter on the server, or into a key of the module "
        "(BF.*); if there is none, it is made.  If the server goes away, run the command again "
        "with all keys.\n",
    .run = build_run,
};
