/* options.c - a command's options from its table. */
#define _GNU_SOURCE /* getopt_long */
#include "cli/base/options.h"

#include <ctype.h>
#include <getopt.h>
#include <lfbloom/filter_more.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/help.h"
#include "cli/base/numbers.h"
#include "cli/base/report.h"
#include "cli/base/spared.h"
#include "cli/base/usable.h"

enum {
  OPTIONS_MOST = 40,          /* rows per command, --help included */
  OPTIONS_NAME = 64,
  OPTIONS_EXAMPLES = 2, /* that -h prints */
  OPTIONS_MOST_THREADS = 4096,
  OPTIONS_MOST_SECONDS = 86400,
  OPTIONS_MOST_MODE = 0777,
  OPTIONS_LONG_BASE = 0x1000, /* getopt's value for row 0: above any letter */
};
#define OPTIONS_LEAST_SECONDS 0.1

bool options_read_count(const char *option, const char *text, void *to)
{
  struct options_count *count = to;

  switch (numbers_whole(text, &count->value)) {
  case NUMBERS_OK:
    count->given = true;
    return true;
  case NUMBERS_TOO_LARGE:
    return report_false("%s %s: more than 2^64 - 1", option, text);
  case NUMBERS_NOT_WHOLE:
    return report_false("%s %s: not a whole number", option, text);
  case NUMBERS_MALFORMED:
    break;
  }
  return report_false("%s '%s': not a number such as 10000000, 10M or 1e7", option, text);
}

/* The library has the text of the error.  Checked here, before any work. */
static bool options_read_fpp(const char *option, const char *text, void *to)
{
  double fpp = 0;

  if (!numbers_probability(text, &fpp))
    return report_false("%s '%s': not a probability such as 0.01, 1%% or 1e-4", option, text);
  if (!(fpp > 0) || !(fpp < 1)) {
    const lfb_status status = fpp >= 1 ? LFB_ERROR_FPP_TOO_HIGH : LFB_ERROR_FPP_TOO_LOW;
    return report_false("%s %s: %s", option, text, lfb_status_text(status));
  }
  *(double *)to = fpp;
  return true;
}

bool options_read_path(const char *option, const char *text, void *to)
{
  *(const char **)to = text;
  if (text[0] == '\0')
    (void)report_error("%s '': the name of the file is empty", option);
  return text[0] != '\0';
}

static bool options_read_threads(const char *option, const char *text, void *to)
{
  uint64_t threads = 0;

  if (numbers_whole(text, &threads) != NUMBERS_OK || threads < 1 ||
      threads > OPTIONS_MOST_THREADS)
    return report_false("%s '%s': not a number of threads from 1 to %d", option, text,
                        OPTIONS_MOST_THREADS);
  *(unsigned *)to = (unsigned)threads;
  return true;
}

static bool options_read_when(const char *option, const char *text, void *to)
{
  enum progress_when *when = to;

  if (strcmp(text, "always") == 0)
    *when = PROGRESS_ALWAYS;
  else if (strcmp(text, "never") == 0)
    *when = PROGRESS_NEVER;
  else
    return report_false("%s '%s': must be always or never", option, text);
  return true;
}

static bool options_read_strategy(const char *option, const char *text, void *to)
{
  struct options_strategy *strategy = to;
  const lfb_status status = lfb_strategy_from_name(text, &strategy->id);

  strategy->given = status == LFB_OK && strategy->id != LFB_DEFAULT;
  return status == LFB_OK ||
         report_false("%s '%s': %s ('lfbloom plan -n 1M -p 0.01' lists them)", option, text,
                      lfb_status_text(status));
}

bool options_read_form(const char *option, const char *text, void *to)
{
  const lfb_status status = lfb_form_from_name(text, to);

  return status == LFB_OK ||
         report_false("%s '%s': no such form: use native, guava, sbbf, mapped, milvus, "
                      "milvus-int64 or milvus-utf8", option, text);
}

/* Reads the key from `size` bytes: 32 hexadecimal digits, with or without an end of line.  Returns
 * NULL, or what is wrong. */
static const char *options_key_from(const char *text, size_t size, uint8_t key[16])
{
  static const uint8_t none[16];

  if (size > 32 && text[size - 1] == '\n')
    size--;
  if (size > 32 && text[size - 1] == '\r')
    size--;
  if (size != 32 || !numbers_hex(text, 16, key))
    return "not a key of 32 hexadecimal digits";
  return memcmp(key, none, sizeof none) == 0 ? "a key must not be all zeros" : NULL;
}

/* A key comes from a file, because other users can read the command line. */
bool options_read_key(const char *option, const char *text, void *to)
{
  struct options_key *key = to;
  char read[35];
  FILE *file = fopen(text, "rb");

  if (file == NULL)
    return report_false_errno(text);
  spared_add(text);
  const size_t size = fread(read, 1, sizeof read, file);
  if (ferror(file) != 0) {
    (void)report_errno(text);
    (void)fclose(file);
    return false;
  }
  (void)fclose(file); /* only read from: no data can be lost */
  const char *wrong = options_key_from(read, size, key->bytes);
  key->given = wrong == NULL;
  if (!key->given)
    (void)report_error("%s %s: %s", option, text, wrong);
  return key->given;
}

const uint8_t *options_key_bytes(const struct options_key *key)
{
  return key->given ? key->bytes : NULL;
}

void options_key_use(const struct options_key *key, lfb_config *config)
{
  if (!key->given)
    return;
  memcpy(config->key, key->bytes, sizeof config->key);
}

static bool options_read_hash(const char *option, const char *text, void *to)
{
  struct options_hash *hash = to;

  hash->given = lfb_hash_from_name(text, &hash->id) == LFB_OK;
  return hash->given ||
         report_false("%s '%s': must be aes, siphash13, xxh3 or default", option, text);
}

bool options_read_formula(const char *option, const char *text, void *to)
{
  struct options_formula *formula = to;

  formula->given = true;
  if (strcmp(text, "31") == 0)
    formula->id = LFB_PROBES_GUAVA_31;
  else if (strcmp(text, "current") == 0)
    formula->id = LFB_PROBES_GUAVA_CURRENT;
  else
    return report_false("%s '%s': must be 31 or current", option, text);
  return true;
}

static bool options_read_mode(const char *option, const char *text, void *to)
{
  struct options_mode *mode = to;
  char *end;
  const unsigned long bits = strtoul(text, &end, 8); /* one that overflows is too large */

  mode->given = isdigit((unsigned char)text[0]) && *end == '\0' && bits <= OPTIONS_MOST_MODE;
  mode->bits = (uint32_t)bits;
  if (!mode->given)
    (void)report_error("%s '%s': not an octal number from 0 to 0777, such as 0640", option, text);
  return mode->given;
}

const char *options_hash_misuse(const struct options_hash *hash, uint64_t seed,
                                const struct options_key *key)
{
  if (seed != 0 && key->given)
    return "--seed and --key-file cannot be combined";
  if (hash->id == LFB_HASH_XXH3 && key->given)
    return "--hash xxh3 has no key: leave out --key-file";
  if (hash->id != LFB_HASH_DEFAULT && hash->id != LFB_HASH_XXH3 && seed != 0)
    return "only --hash xxh3 has a seed: leave out --seed";
  return NULL;
}

static bool options_read_seconds(const char *option, const char *text, void *to)
{
  double seconds = 0;

  if (!numbers_real(text, &seconds) || !(seconds >= OPTIONS_LEAST_SECONDS) ||
      seconds > (double)OPTIONS_MOST_SECONDS)
    return report_false("%s '%s': not a number of seconds from %g to %d", option, text,
                        OPTIONS_LEAST_SECONDS, OPTIONS_MOST_SECONDS);
  *(uint32_t *)to = (uint32_t)(1000 * seconds);
  return true;
}

OPTIONS_ROWS(OPTIONS_DEFINE)

unsigned options_default_threads(void)
{
  const uint64_t cores = usable_cores("");

  return cores < OPTIONS_MOST_THREADS ? (unsigned)cores : OPTIONS_MOST_THREADS;
}

static void options_print_row(const struct option_row *row)
{
  char left[64];
  int used = 0;

  if (row->letter != '\0')
    used = snprintf(left, sizeof left, "-%c%s", row->letter, row->name != NULL ? ", " : "");
  else
    used = snprintf(left, sizeof left, "    ");
  if (row->name != NULL)
    used += snprintf(left + used, sizeof left - (size_t)used, "--%s", row->name);
  if (row->value != NULL)
    (void)snprintf(left + used, sizeof left - (size_t)used, "%s%s", row->name != NULL ? "=" : " ",
                   row->value);
  help_option(left, row->help);
}

/* The last row is that of -h, which prints a page, and --help, which prints everything. */
static void options_print_help(const struct command *command, const struct option_row *rows,
                               size_t count, bool everything)
{
  const size_t shown = everything || command->common == 0 ? count - 1 : command->common;

  printf("Usage: lfbloom %s [OPTIONS]%s%s\n", command->name,
         command->operands[0] == '\0' ? "" : " ", command->operands);
  help_begin(command->summary, command->purpose, command->examples,
             everything ? SIZE_MAX : OPTIONS_EXAMPLES);
  printf("\n");
  for (size_t i = 0; i < shown; i++)
    options_print_row(&rows[i]);
  options_print_row(&rows[count - 1]);
  printf("\n");
  if (everything) {
    help_text(command->details);
    printf("\n");
  }
  printf("More: ");
  if (!everything)
    printf("lfbloom %s --help, ", command->name);
  printf("lfbloom help keys, redis or status.\n");
}

/* The table as getopt_long takes it. */
struct options_getopt {
  char letters[2 * OPTIONS_MOST + 2];
  struct option names[OPTIONS_MOST + 1];
};

static void options_convert(const struct option_row *rows, size_t count,
                            struct options_getopt *getopt)
{
  char *letter = getopt->letters;
  struct option *name = getopt->names;

  memset(getopt, 0, sizeof *getopt);
  *letter++ = ':'; /* tell a missing value from an unknown option */
  for (size_t i = 0; i < count; i++) {
    const int has_value = rows[i].value != NULL;
    if (rows[i].letter != '\0') {
      *letter++ = rows[i].letter;
      if (has_value)
        *letter++ = ':';
    }
    if (rows[i].name != NULL)
      *name++ = (struct option){rows[i].name, has_value ? required_argument : no_argument, NULL,
                                OPTIONS_LONG_BASE + (int)i};
  }
}

/* The row that getopt_long found: by its letter, or by OPTIONS_LONG_BASE + index. */
static const struct option_row *options_find(const struct option_row *rows, size_t count, int found)
{
  if (found >= OPTIONS_LONG_BASE)
    return &rows[found - OPTIONS_LONG_BASE];
  for (size_t i = 0; i < count; i++)
    if (rows[i].letter != '\0' && rows[i].letter == found)
      return &rows[i];
  return NULL;
}

/* Writes the option as it is given: its long name, if it has one. */
static void options_name(const struct option_row *row, char name[OPTIONS_NAME])
{
  if (row->name != NULL)
    (void)snprintf(name, OPTIONS_NAME, "--%s", row->name);
  else
    (void)snprintf(name, OPTIONS_NAME, "-%c", row->letter);
}

static bool options_take(const struct option_row *row, const char *text)
{
  char option[OPTIONS_NAME];

  if (row->read == NULL) {
    *(bool *)row->to = true;
    return true;
  }
  options_name(row, option);
  return row->read(option, text, row->to);
}

int options_misused(const struct command *command, const char *problem)
{
  return report_error("%s: %s (see 'lfbloom %s --help')", command->name, problem, command->name);
}

/* Reports what is wrong with the option that getopt_long stopped at. */
static int options_refuse(const struct command *command, int found, const char *word)
{
  char problem[256];

  if (found == ':' && optopt < OPTIONS_LONG_BASE)
    (void)snprintf(problem, sizeof problem, "option -%c needs a value", optopt);
  else if (found == ':')
    (void)snprintf(problem, sizeof problem, "option %.99s needs a value", word);
  else if (optopt >= OPTIONS_LONG_BASE)
    (void)snprintf(problem, sizeof problem, "option %.99s takes no value", word);
  else if (optopt == 0)
    (void)snprintf(problem, sizeof problem, "unknown option %.99s", word);
  else
    (void)snprintf(problem, sizeof problem, "unknown option -%c", optopt);
  return options_misused(command, problem);
}

/* Notes that the option was given.  False, after a report, if that is once too often. */
static bool options_note(const struct command *command, const struct option_row *row, bool *given)
{
  char name[OPTIONS_NAME], problem[OPTIONS_NAME + 32];

  if (*given && !(row->value != NULL && strstr(row->value, "...") != NULL)) {
    options_name(row, name);
    (void)snprintf(problem, sizeof problem, "%s is given twice", name);
    return options_misused(command, problem) != CLI_NOT_DONE;
  }
  *given = true;
  return true;
}

int options_parse(const struct command *command, const struct option_row *rows, size_t count,
                  int argc, char **argv)
{
  struct option_row all[OPTIONS_MOST];
  bool given[OPTIONS_MOST] = {false};
  struct options_getopt getopt;
  bool help = false;
  int found;

  memcpy(all, rows, count * sizeof *rows);
  all[count++] = (struct option_row){
      'h', "help", NULL, "print the most used options (-h) or everything (--help)", NULL, &help};
  options_convert(all, count, &getopt);
  opterr = 0;
  while ((found = getopt_long(argc, argv, getopt.letters, getopt.names, NULL)) != -1) {
    const struct option_row *row = options_find(all, count, found);
    if (row == NULL)
      return options_refuse(command, found, argv[optind - 1]);
    if (!options_note(command, row, &given[row - all]) || !options_take(row, optarg))
      return CLI_NOT_DONE;
    if (help) {
      options_print_help(command, all, count, found != 'h');
      return CLI_DONE;
    }
  }
  return OPTIONS_GO_ON;
}
