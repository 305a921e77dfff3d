/* window.c - the keys of the last span only. */
#include "cli/filters/window.h"

#include <inttypes.h>
#include <lfbloom/any.h>
#include <string.h>

#include "cli/base/numbers.h"
#include "cli/base/report.h"
#include "cli/filters/figures.h"

/* ---- the options --------------------------------------------------------------- */

/* A unit of time, which ends the text of a span. */
struct window_unit {
  const char *name;
  double seconds;
};

static const struct window_unit window_units[] = {{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};

static const struct window_unit *window_unit_of(char last)
{
  for (size_t i = 0; i < sizeof window_units / sizeof *window_units; i++)
    if (window_units[i].name[0] == last)
      return &window_units[i];
  return NULL;
}

/* Reads the G of SPAN/G, and writes SPAN. */
static bool window_split(const char *text, char *alone, size_t size, uint32_t *generations)
{
  const char *slash = strchr(text, '/');
  const size_t length = slash != NULL ? (size_t)(slash - text) : strlen(text);

  if (slash != NULL && (strspn(slash + 1, "137") != 1 || slash[2] != '\0'))
    return false;
  *generations = slash != NULL ? (uint32_t)(slash[1] - '0') : 0;
  if (length >= size)
    return false;
  memcpy(alone, text, length);
  alone[length] = '\0';
  return true;
}

static bool window_read_span(const char *option, const char *text, void *to)
{
  struct window_span span = {.text = text, .unit = ""};
  char alone[64];

  if (!window_split(text, alone, sizeof alone, &span.generations))
    return report_false("%s '%s': not SPAN or SPAN/G, with a G of 1, 3 or 7", option, text);
  const size_t size = strlen(alone);
  const struct window_unit *unit = size == 0 ? NULL : window_unit_of(alone[size - 1]);
  bool is_span;

  if (unit != NULL) {
    alone[size - 1] = '\0';
    is_span = numbers_real(alone, &span.number) && span.number > 0; /* not if it is NaN */
    span.unit = unit->name;
    span.seconds = span.number * unit->seconds;
  } else {
    is_span = numbers_whole(alone, &span.keys) == NUMBERS_OK && span.keys > 0;
    span.number = (double)span.keys;
  }
  if (!is_span)
    return report_false("%s '%s': not a time such as 90s, 15m, 24h or 7d, and not a number of keys "
                        "such as 10M or 1e7", option, text);
  /* The range of lfb_window_config.span. */
  if (unit != NULL && !(span.seconds >= 0.001 && span.seconds <= 1e9))
    return report_false("%s '%s': %s", option, text, lfb_status_text(LFB_ERROR_BAD_SPAN));
  *(struct window_span *)to = span;
  return true;
}

OPTIONS_DEFINE(
    window_span_row, struct window_span, '\0', "window", "SPAN", window_read_span,
    "forget keys after a span: a time (90s, 15m, 24h, 7d), which needs -n, or a number of keys "
    "(10M), which is the default of -n; at most a third of SPAN late, a seventh with SPAN/7, all "
    "of it with SPAN/1")

bool window_expected(const struct command *command, const struct window_span *span,
                     const struct options_count *given, uint64_t *expected)
{
  if (!given->given && span->keys == 0)
    return options_misused(command, "--window with a time needs -n, the number of distinct keys in "
                                    "that time") != CLI_NOT_DONE;
  *expected = given->given ? given->value : span->keys;
  return true;
}

uint64_t window_each(const struct window_span *span, uint32_t generations)
{
  return span->keys == 0 ? 0 : (span->keys - 1) / generations + 1;
}

/* ---- the window ---------------------------------------------------------------- */

lfb_window_config window_config(const struct window_span *span, const lfb_config *config)
{
  lfb_window_config wanted = {.expected_insertions = config->expected_insertions,
                              .fpp = config->fpp,
                              .generations = span->generations == 0 ? 3 : span->generations,
                              .span = span->seconds,
                              .hash = config->hash,
                              .keep_key = config->keep_key,
                              .file_mode = config->file_mode,
                              .key_type = config->key_type};

  memcpy(wanted.key, config->key, sizeof wanted.key);
  return wanted;
}

/* Whether -n, -p, --hash and --key-file are those of the window of a file, as far as they were
 * given. */
static bool window_made_so(const struct options_key *key, const lfb_config *config,
                           const lfb_window_figures *figures)
{
  return (config->expected_insertions == 0 ||
          config->expected_insertions == figures->expected_insertions) &&
         (config->fpp == 0 || config->fpp == figures->fpp) &&
         (config->hash == LFB_HASH_DEFAULT || config->hash == figures->hash) &&
         (!key->given || figures_keyed(figures->hash));
}

bool window_fits(const struct window_span *span, const char *path, const struct options_key *key,
                 const lfb_config *config, const lfb_window_figures *figures)
{
  const bool same = figures->span >= span->seconds * 0.999999 &&
                    figures->span <= span->seconds * 1.000001 &&
                    (span->generations == 0 || span->generations == figures->generations);

  return (same && window_made_so(key, config, figures)) ||
         report_false("%s: its window was made with --window %.10gs/%u -n %" PRIu64
                      " -p %g --hash %s: leave out what differs, or give another file",
                      path, figures->span, (unsigned)figures->generations,
                      figures->expected_insertions, figures->fpp, lfb_hash_name(figures->hash));
}

size_t window_claim(struct window_count *left, lfb_window *window, const lfb_key *keys,
                    size_t count, uint64_t *answers)
{
  size_t claimed = 0;

  if (count < left->keys) {
    left->keys -= count;
    return lfb_any_many((lfb_any){LFB_KIND_WINDOW, {window}}, LFB_CLAIM, keys, count, answers);
  }
  memset(answers, 0, (count + 63) / 64 * sizeof *answers);
  for (size_t i = 0; i < count; i++) {
    const bool won = lfb_window_claim(window, keys[i].bytes, keys[i].size);
    answers[i / 64] |= (uint64_t)won << (i % 64);
    claimed += won;
    if (--left->keys > 0)
      continue;
    lfb_ignore(lfb_window_advance(window, lfb_window_generation(window))); /* no other does */
    left->keys = left->each;
  }
  return claimed;
}
