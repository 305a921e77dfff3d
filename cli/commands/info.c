/*
 * info.c - `lfbloom info`: prints the properties of a filter file.
 */
#define _GNU_SOURCE /* optind, gmtime_r */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/human.h"
#include "cli/base/json.h"
#include "cli/base/options.h"
#include "cli/base/report.h"
#include "cli/filters/address.h"
#include "cli/filters/figures.h"
#include "cli/filters/source.h"
#include "cli/input/typed.h"

/* 2024-05-17 08:30:00 UTC */
static const char *info_time(uint64_t seconds, char *text, size_t size)
{
  const time_t since_1970 = (time_t)seconds;
  struct tm parts;

  if (seconds > INT64_MAX || gmtime_r(&since_1970, &parts) == NULL ||
      strftime(text, size, "%Y-%m-%d %H:%M:%S UTC", &parts) == 0)
    return "unknown"; /* out of range */
  return text;
}

/* The properties of a filter. */
struct info {
  lfb_figures figures; /* of kind LFB_KIND_NONE: of a plain filter on a server */
  bool there; /* on a server */
};

static void info_json_generations(const lfb_window_figures *figures)
{
  json_count("generation", figures->generation);
  json_count("generation_bits", figures->bit_count);
  json_open_list("live");
  for (uint32_t i = 0; i <= figures->generations; i++) {
    const uint64_t count = figures->live[i].approximate_count;
    json_open(NULL);
    json_count("bits_set", figures->live[i].bits_set);
    json_count_if("approximate_count", count, count != UINT64_MAX);
    json_close();
  }
  json_close_list();
}

static void info_json_window(const struct info *info)
{
  const lfb_window_figures *figures = &info->figures.window;

  if (figures->span > 0)
    json_float("span", figures->span);
  json_count("generations", figures->generations);
  if (!info->there)
    info_json_generations(figures);
}

/* What a window does not have: a time and a seed. */
static void info_json_kept(const struct info *info)
{
  const lfb_stats *stats = &info->figures.all;

  json_count_if("written", stats->written, stats->written > 0);
  if (stats->seed > 0)
    json_digits("seed", stats->seed);
  else
    json_text("seed", NULL);
}

static void info_json(const struct info *info)
{
  const lfb_kind kind = info->figures.kind;
  const lfb_stats *stats = &info->figures.all;

  json_open(NULL);
  figures_json(figures_form(kind, stats->form), stats);
  if (kind == LFB_KIND_WINDOW)
    info_json_window(info);
  if (kind == LFB_KIND_GROWING)
    json_count("layers", info->figures.growing.layers);
  if (kind == LFB_KIND_COUNTING && stats->strategy == LFB_TAGS) {
    json_count("copies", stats->copies);
    json_count("slots", stats->slots);
  } else if (kind == LFB_KIND_COUNTING) {
    json_count("counters_stuck", stats->counters_stuck);
  }
  json_text("hash", stats->hash == LFB_HASH_DEFAULT ? NULL : lfb_hash_name(stats->hash));
  json_bool("keyed", figures_keyed(stats->hash));
  json_text("key_type", stats->key_type == LFB_KEYS_UNKNOWN ? NULL : typed_name(stats->key_type));
  if (kind != LFB_KIND_WINDOW)
    info_json_kept(info);
  json_close();
}

static void info_row(const char *name, const char *value, const char *remark)
{
  printf("%-20s %s%s\n", name, value, remark);
}

static void info_hash(lfb_hash_id hash, bool key_kept, bool there)
{
  if (hash != LFB_HASH_DEFAULT)
    info_row("hash", lfb_hash_name(hash),
             !figures_keyed(hash) ? ""
             : there              ? " (keyed)"
             : key_kept           ? " (its key is in the file)"
                                  : " (its key is not in the file)");
}

static void info_seed(const lfb_stats *stats)
{
  char digits[24];

  (void)snprintf(digits, sizeof digits, "%" PRIu64, stats->seed);
  if (stats->seed > 0)
    info_row("seed", digits, "");
}

static void info_bytes(uint64_t bytes)
{
  char remark[64];

  (void)snprintf(remark, sizeof remark, " (%s)", human_bytes(bytes).text);
  info_row("bytes", human_count(bytes).text, bytes < 1024 ? "" : remark);
}

static void info_key_type(const lfb_stats *stats)
{
  info_row("keys", typed_name(stats->key_type),
           stats->key_type == LFB_KEYS_UNKNOWN ? " (not recorded: see --keys of query)" : "");
}

/* How the filter hashes, and what it was made for. */
static void info_text_made(const struct info *info)
{
  const lfb_stats *stats = &info->figures.all;
  const bool grows = info->figures.kind == LFB_KIND_GROWING;

  info_hash(stats->hash, stats->key_kept, info->there);
  info_seed(stats);
  if (grows) {
    info_row("layers", human_count(info->figures.growing.layers).text, "");
    info_row("first layer for keys", human_count(stats->expected_insertions).text, "");
    info_row("made for fpp", human_probability(stats->fpp).text, " (however many keys)");
    return;
  }
  if (figures_made_for(stats))
    info_row("made for keys", human_count(stats->expected_insertions).text, "");
  else
    info_row("made for keys", "unknown", " (the file does not say)");
  if (stats->fpp > 0)
    info_row("made for fpp", human_probability(stats->fpp).text, "");
  else
    info_row("made for fpp", "unknown", " (the file does not say)");
}

/* The keys, by the bits that are set. */
static void info_text_keys(const lfb_stats *stats, bool grows)
{
  if (stats->strategy == LFB_TAGS)
    info_row("keys stored", human_count(stats->copies).text, " (each as often as it was put)");
  else if (!stats->saturated)
    info_row("distinct keys", human_count(stats->approximate_count).text,
             figures_counted(stats) ? " (estimated)" : " (counted by the server)");
  else
    info_row("distinct keys", "unknown",
             grows ? " (a layer is saturated: every answer is \"maybe\")"
                   : " (saturated: every bit is set, every answer is \"maybe\")");
}

/* Its bits, and what they say. */
static void info_text_bits(const struct info *info)
{
  const lfb_stats *stats = &info->figures.all;
  const double full = (double)stats->bits_set / (double)stats->bit_count;
  char remark[64];

  info_bytes(stats->bytes);
  info_row("bits", human_count(stats->bit_count).text, "");
  if (stats->reachable_bits < stats->bit_count)
    info_row("bits ever used", human_count(stats->reachable_bits).text,
             " (the strategy cannot address the others)");
  if (stats->probes > 0) /* the layers of a growing filter differ */
    info_row(stats->strategy == LFB_TAGS ? "bits of a key's tag" : "probes per key",
             human_count(stats->probes).text, "");
  (void)snprintf(remark, sizeof remark, " (%.2f %%)", full * 100);
  if (figures_counted(stats))
    info_row("bits set", human_count(stats->bits_set).text, remark);
  if (info->figures.kind == LFB_KIND_COUNTING && stats->strategy != LFB_TAGS)
    info_row("counters stuck", human_count(stats->counters_stuck).text, " (at 15, permanently)");
  info_text_keys(stats, info->figures.kind == LFB_KIND_GROWING);
}

static void info_text(const struct info *info)
{
  const lfb_stats *stats = &info->figures.all;
  char time[64];

  info_row("form", figures_form(info->figures.kind, stats->form), "");
  info_row("strategy", lfb_strategy_name(stats->strategy), "");
  info_key_type(stats);
  info_text_made(info);
  if (stats->written > 0)
    info_row("written", info_time(stats->written, time, sizeof time), "");
  info_text_bits(info);
}

/* A live generation, by its age in generations: the current one has 0. */
static void info_window_live(const lfb_window_figures *figures, uint32_t age)
{
  const lfb_window_generation_figures *live = &figures->live[age];
  const double full = (double)live->bits_set / (double)figures->bit_count;
  char remark[96];

  (void)snprintf(remark, sizeof remark, " (estimated) in generation %" PRIu64 ", %.2f %% full",
                 figures->generation - age, full * 100);
  info_row("distinct keys",
           live->approximate_count == UINT64_MAX ? "unknown"
                                                 : human_count(live->approximate_count).text,
           remark);
}

static void info_text_generations(const lfb_window_figures *figures)
{
  info_row("current generation", human_count(figures->generation).text, "");
  info_row("bits of a generation", human_count(figures->bit_count).text, "");
  info_row("probes per key", human_count(figures->probes).text, "");
  for (uint32_t age = 0; age <= figures->generations; age++)
    info_window_live(figures, age);
}

static void info_text_window(const struct info *info)
{
  const lfb_window_figures *figures = &info->figures.window;
  const lfb_stats *stats = &info->figures.all;
  char span[32];

  info_row("form", "window", "");
  info_key_type(stats);
  info_hash(stats->hash, stats->key_kept, info->there);
  info_row("made for keys", human_count(stats->expected_insertions).text, " (in a span)");
  info_row("made for fpp", human_probability(stats->fpp).text, " (with all generations full)");
  (void)snprintf(span, sizeof span, "%.10g s", figures->span);
  if (figures->span > 0)
    info_row("span", span, "");
  info_row("generations", human_count(figures->generations).text, " (in a span)");
  info_bytes(stats->bytes);
  if (info->there)
    info_row("keys ever", human_count(stats->approximate_count).text, " (the server counts them)");
  else
    info_text_generations(figures);
}

static int info_of(const struct source *source, bool json)
{
  struct info info = {.there = source->there.filter != NULL};

  if (!source_stats(source, &info.figures))
    return CLI_NOT_DONE;
  if (json)
    info_json(&info);
  else
    (info.figures.kind == LFB_KIND_WINDOW ? info_text_window : info_text)(&info);
  if (!json)
    info_row("fpp now", human_probability(info.figures.all.expected_fpp).text,
             " (the chance of a false positive)");
  return CLI_DONE;
}

static int info_run(int argc, char **argv)
{
  bool json = false, no_verify = false;
  struct options_key key = {0};
  const struct option_row rows[] = {
      options_key_file(&key),
      options_no_verify(&no_verify),
      options_json(&json),
      options_timeout(&address_manner.timeout_ms),
  };
  int status = options_parse(&command_info, rows, sizeof rows / sizeof *rows, argc, argv);
  struct source source;

  if (status != OPTIONS_GO_ON)
    return status;
  if (argc - optind != 1)
    return options_misused(&command_info, optind == argc ? "no filter given" : "one filter only");
  const lfb_read_limits limits = {.key = options_key_bytes(&key)};
  if (!source_open(argv[optind], LFB_OPEN_IN_PLACE, LFB_KIND_NONE, &limits, &source))
    return CLI_NOT_DONE;
  if (!no_verify)
    source_check(&source);
  source_checked(&source);
  status = info_of(&source, json);
  source_close(&source);
  return status;
}

const struct command command_info = {
    .name = "info",
    .operands = "FILTER",
    .summary = "print the properties of a filter file",
    .examples =
        "  lfbloom info seen.lfb\n"
        "  lfbloom info --json redis://localhost/seen\n",
    .details =
        "FILTER may be - for standard input.  In the output, fpp is the false-positive "
        "probability: the chance that the filter answers \"maybe present\" for an absent key.\n\n"
        "The bits of a shared filter are counted, in 0.1 seconds per GiB.  So the figures are "
        "right even if a process was killed during a put.\n\n"
        "If FILTER is on Redis, the server counts the bits, or tells what a key of BF.* takes.\n",
    .run = info_run,
};
