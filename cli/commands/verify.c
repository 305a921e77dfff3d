/*
 * verify.c - `lfbloom verify`: checks filter files for damage, and reports where it is.
 */
#define _GNU_SOURCE /* optind */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/json.h"
#include "cli/base/options.h"
#include "cli/base/report.h"
#include "cli/exact/seen.h"
#include "cli/filters/foreign.h"
#include "cli/filters/source.h"

/* A file that was read, and the result. */
struct verified {
  const char *path;
  lfb_status status;
  lfb_damage damage;
  const char *foreign;  /* what it is if it is of another program (foreign.h), or NULL    */
  const char *form;     /* if status is LFB_OK, or the filter is known not to be plain   */
  const char *strategy; /* its name, if status is LFB_OK and it has one; else NULL       */
};

/* The status of a keyed filter without its key.  Its checksums were compared; what is left to check
 * is whether bytes follow it. */
static lfb_status verify_keyed(const char *path, const lfb_damage *damage)
{
  struct stat found;

  return damage->checked_bytes > 0 && stat(path, &found) == 0 && S_ISREG(found.st_mode) &&
                 (uint64_t)found.st_size > damage->checked_bytes
             ? LFB_ERROR_TRAILING_BYTES
             : LFB_ERROR_KEY_NEEDED;
}

/* The name of the form, if the status is that of a filter that is not plain; else NULL. */
static const char *verify_kind(lfb_status status)
{
  switch (status) {
  case LFB_ERROR_GROWING:
    return "growing";
  case LFB_ERROR_GROWING_MAPPED:
    return "growing in a mapped file";
  case LFB_ERROR_COUNTING:
    return "counting";
  case LFB_ERROR_WINDOW:
    return "window";
  default:
    return NULL;
  }
}

static void verify_any(const char *path, const lfb_read_limits *limits, struct verified *file)
{
  lfb_figures figures;
  lfb_any any;

  file->form = verify_kind(source_form(path));
  file->status = source_open_copy(path, LFB_KIND_NONE, limits, &any);
  if (file->status != LFB_OK)
    return;
  lfb_any_plan(any, &figures);
  lfb_any_free(any);
  if (any.kind == LFB_KIND_PLAIN)
    file->form = lfb_form_name(figures.all.form);
  if (any.kind != LFB_KIND_WINDOW)
    file->strategy = lfb_strategy_name(figures.all.strategy);
}

static void verify_read(const char *path, const struct options_key *key, struct verified *file)
{
  lfb_read_limits limits = {.damage = &file->damage, .key = options_key_bytes(key)};

  *file = (struct verified){.path = path};
  if (seen_is(path)) {
    file->form = "seen";
    file->status = seen_verify(path, &file->damage);
    return;
  }
  verify_any(path, &limits, file);
  if (file->status == LFB_ERROR_WRONG_KEY) { /* the key is for another filter */
    limits.key = NULL;
    verify_any(path, &limits, file);
  }
  if (file->status == LFB_ERROR_KEY_NEEDED)
    file->status = verify_keyed(path, &file->damage);
}

/* The exit status for a file. */
static int verify_judge(const struct verified *file)
{
  if (file->foreign != NULL)
    return CLI_NOT_DONE;
  switch (file->status) {
  case LFB_OK:
  case LFB_ERROR_KEY_NEEDED:
    return file->damage.bits_missing == 0 ? CLI_DONE : CLI_OTHERWISE;
  case LFB_ERROR_OPEN:
  case LFB_ERROR_READ:
  case LFB_ERROR_NOT_REGULAR:
  case LFB_ERROR_NO_MEMORY:
  case LFB_ERROR_SIZE_OVERFLOW:
  case LFB_ERROR_UNKNOWN_FORM:
  case LFB_ERROR_GROWING: /* in a pipe */
  case LFB_ERROR_GROWING_MAPPED:
  case LFB_ERROR_COUNTING:
  case LFB_ERROR_WINDOW:
  case LFB_ERROR_UNKNOWN_VERSION:
  case LFB_ERROR_BYTE_ORDER:
  case LFB_ERROR_NO_PAIRS:
  case LFB_ERROR_OLD_FAST:
  case LFB_ERROR_MAP:
    return CLI_NOT_DONE; /* the filter itself was not checked */
  default:
    return CLI_OTHERWISE;
  }
}

static size_t verify_listed(const lfb_damage *damage)
{
  return damage->count < LFB_DAMAGE_LISTED ? (size_t)damage->count : LFB_DAMAGE_LISTED;
}

static void verify_json(const struct verified *file, int verdict)
{
  static const char *const verdicts[] = {"whole", "damaged", "unknown"};
  const lfb_damage *damage = &file->damage;
  const bool read = file->status == LFB_OK;
  const char *problem = file->foreign != NULL ? file->foreign : lfb_status_text(file->status);

  json_open(NULL);
  json_text("file", file->path);
  json_text("verdict", verdicts[verdict]);
  json_text("problem", read ? NULL : problem);
  json_text("form", read ? file->form : NULL);
  json_text("strategy", file->strategy);
  json_count("checked_bytes", damage->checked_bytes);
  json_count("damaged_parts", damage->count);
  json_count("damaged_bytes", damage->bytes);
  json_count("bits_missing", damage->bits_missing);
  json_open_list("damage");
  for (size_t i = 0; i < verify_listed(damage); i++) {
    json_open(NULL);
    json_count("offset", damage->first[i].offset);
    json_count("size", damage->first[i].size);
    json_close();
  }
  json_close_list();
  json_close();
}

static void verify_text_whole(const struct verified *file)
{
  const char *comma = file->strategy != NULL ? ", " : "";
  const char *strategy = file->strategy != NULL ? file->strategy : "";

  if (file->status == LFB_ERROR_KEY_NEEDED && file->damage.checked_bytes == 0)
    printf("%s: no damage found: mapped, a keyed hash; this form has no checksums\n",
           file->path);
  else if (file->status == LFB_ERROR_KEY_NEEDED)
    printf("%s: whole: %s, a keyed hash, %" PRIu64 " bytes checked\n", file->path,
           file->form != NULL ? file->form : "native", file->damage.checked_bytes);
  else if (file->damage.checked_bytes > 0)
    printf("%s: whole: %s%s%s, %" PRIu64 " bytes checked\n", file->path, file->form, comma,
           strategy, file->damage.checked_bytes);
  else
    printf("%s: no damage found: %s, %s; this form has no checksums, so changed bits are not "
           "detected\n",
           file->path, file->form, strategy);
}

/* Prints the places of the damage, if checksums locate it. */
static void verify_text_places(const lfb_damage *damage)
{
  for (size_t i = 0; i < verify_listed(damage); i++)
    printf("%s %" PRIu64 " bytes at %" PRIu64, i == 0 ? ":" : ",", damage->first[i].size,
           damage->first[i].offset);
  if (damage->count > LFB_DAMAGE_LISTED)
    printf(" and more: %" PRIu64 " bytes in %" PRIu64 " parts in all", damage->bytes,
           damage->count);
}

/* The text of the status, without "the filter is damaged", which the line says already. */
static const char *verify_problem(lfb_status status)
{
  static const char damaged[] = "the filter is damaged: ";
  const char *text = lfb_status_text(status);

  return strncmp(text, damaged, sizeof damaged - 1) == 0 ? text + sizeof damaged - 1 : text;
}

static void verify_text_damaged(const struct verified *file)
{
  struct stat found;

  if (file->damage.bits_missing > 0) {
    printf("%s: damaged: %" PRIu64 " bits that the header counts are not set\n", file->path,
           file->damage.bits_missing);
    return;
  }
  printf("%s: damaged: %s", file->path, verify_problem(file->status));
  if (file->status == LFB_ERROR_TRUNCATED && stat(file->path, &found) == 0 &&
      S_ISREG(found.st_mode))
    printf(" (after %" PRIu64 " bytes)", (uint64_t)found.st_size);
  verify_text_places(&file->damage);
  printf("\n");
}

static void verify_report(const struct verified *file)
{
  if (file->foreign != NULL)
    report_note("%s: this is %s", file->path, file->foreign);
  else
    report_note("%s: %s%s", file->path, lfb_status_text(file->status), report_cause(file->status));
}

/* Reads a file and reports on it.  Returns its exit status. */
static int verify_file(const char *path, const struct options_key *key, bool json, bool quiet)
{
  struct verified file;

  verify_read(path, key, &file);
  if (file.status != LFB_OK && file.form == NULL)
    file.foreign = foreign_kind(path);
  const int verdict = verify_judge(&file);
  if (verdict == CLI_NOT_DONE)
    verify_report(&file);
  if (json)
    verify_json(&file, verdict);
  else if (verdict == CLI_DONE && !quiet)
    verify_text_whole(&file);
  else if (verdict == CLI_OTHERWISE)
    verify_text_damaged(&file);
  return verdict;
}

static int verify_run(int argc, char **argv)
{
  bool json = false;
  bool quiet = false;
  struct options_key key = {0};
  const struct option_row rows[] = {
      {'q', "quiet", NULL, "print nothing for files that are whole", NULL, &quiet},
      options_key_file(&key),
      options_json(&json),
  };
  const int status = options_parse(&command_verify, rows, sizeof rows / sizeof *rows, argc, argv);
  int worst = CLI_DONE;

  if (status != OPTIONS_GO_ON)
    return status;
  if (optind == argc)
    return options_misused(&command_verify, "no filter given");
  if (json) {
    json_open(NULL);
    json_open_list("files");
  }
  for (int i = optind; i < argc; i++) {
    const int verdict = verify_file(argv[i], &key, json, quiet);
    worst = verdict > worst ? verdict : worst;
  }
  if (json) {
    json_close_list();
    json_close();
  }
  return worst;
}

const struct command command_verify = {
    .name = "verify",
    .operands = "FILTER...",
    .summary = "check filter files for damage, and report where it is",
    .examples =
        "  lfbloom verify backup/*.lfb\n"
        "  lfbloom verify -q backup/*.lfb || echo 'do not rely on the backup'\n"
        "  lfbloom convert --to native --damaged torn.lfb rescued.lfb\n",
    .details =
        "Each FILTER is read as a whole and compared with its checksums.  The native, growing, "
        "counting and window forms have one for each MiB, and a file of 'dedupe --seen' one for "
        "each block of 4 KiB.  The command waits for a run that uses such a file.  The other forms "
        "have no checksums: only their header is checked.\n\n"
        "Damage is reported as an offset in the file and a size, both in bytes.  'lfbloom convert "
        "--damaged' saves the undamaged parts.\n",
    .run = verify_run,
};
