/*
 * convert.c - `lfbloom convert`: converts a filter to another form, from and to files and Redis.
 */
#define _GNU_SOURCE /* optind */
#include <lfbloom/filter_more.h>
#include <math.h>
#include <unistd.h>

#include "cli/base/human.h"
#include "cli/base/json.h"
#include "cli/base/options.h"
#include "cli/base/progress.h"
#include "cli/base/report.h"
#include "cli/filters/address.h"
#include "cli/filters/figures.h"
#include "cli/filters/source.h"
#include "cli/filters/target.h"

struct convert {
  lfb_form form;
  bool damaged; /* accept a damaged file  */
  bool json;
  struct options_key key;
  lfb_damage damage; /* of the file that was read */
};

/* ---- IN ------------------------------------------------------------------------- */

/* Makes a plain filter of a counting one.  False after a report. */
static bool convert_to_plain(const char *from, struct source *source)
{
  lfb_filter *plain;
  const lfb_status status = lfb_any_to_plain(source->any, &plain);

  lfb_any_free(source->any);
  source->any = (lfb_any){LFB_KIND_PLAIN, {status == LFB_OK ? plain : NULL}};
  return status == LFB_OK || report_false_status(from, status);
}

/* Loads the filter; of a file one that is not plain only for a key of the module, or a counting one
 * to make a plain one of it.  False after a report. */
static bool convert_load(struct convert *convert, const char *from, const char *to,
                         struct source *source)
{
  const lfb_damage *damage = &convert->damage;
  const lfb_read_limits limits = {.damage = &convert->damage,
                                  .open_damaged = convert->damaged,
                                  .key = options_key_bytes(&convert->key)};
  const bool counting = !address_is(from) && source_form(from) == LFB_ERROR_COUNTING;
  const lfb_kind kind = address_is_module(to) ? LFB_KIND_NONE
                        : counting            ? LFB_KIND_COUNTING
                                              : LFB_KIND_PLAIN;

  if (!source_open(from, LFB_OPEN_COPY, kind, &limits, source) ||
      (kind == LFB_KIND_COUNTING && !convert_to_plain(from, source)))
    return false;
  if (damage->count > 0)
    report_note("warning: %s: %s are damaged: keys with bits there now answer \"maybe\"", from,
                human_bytes(damage->bytes).text);
  return true;
}

/* ---- OUT ------------------------------------------------------------------------ */

/* Saves a filter that was loaded from `from`.  False after a report. */
static bool convert_save(const struct convert *convert, const char *from, const char *to,
                         lfb_redis_module_value *value)
{
  const bool plain = value->any.kind == LFB_KIND_PLAIN;
  lfb_figures figures;

  lfb_any_plan(value->any, &figures);
  if (figures.kind == LFB_KIND_WINDOW && value->period_ms == 0) /* a server ends its generations */
    value->period_ms = (uint64_t)ceil(1000 * figures.window.span / figures.window.generations);
  if (address_is_module(to))
    return target_save(to, value, convert->form);
  if (!plain && convert->form != LFB_FORM_NATIVE)
    return report_false("%s: is a %s filter: only a file in the native form, or a key of the "
                        "module, holds it", from, figures_form(value->any.kind, LFB_FORM_NONE));
  return (!plain || target_holds(to, convert->form, from, &figures.all)) &&
         target_save(to, value, convert->form);
}

static void convert_json(const struct convert *convert, const char *to, lfb_any any)
{
  const char *form = figures_form(address_is(to) ? LFB_KIND_NONE : any.kind, convert->form);
  lfb_figures figures;

  lfb_any_stats(any, &figures);
  json_open(NULL);
  figures_json(form, &figures.all);
  json_count("damaged_parts", convert->damage.count);
  json_count("damaged_bytes", convert->damage.bytes);
  json_close();
}

static bool convert_run_on(struct convert *convert, const char *from, const char *to)
{
  struct source source;

  if (!target_check(to) || !target_spares_shared(to, convert->form) ||
      !convert_load(convert, from, to, &source))
    return false;
  lfb_redis_module_value value = {.any = source.any, .period_ms = source.period_ms};
  const bool done = convert_save(convert, from, to, &value);
  if (done && convert->json)
    convert_json(convert, to, value.any);
  source_close(&source);
  return done;
}

/* ---- the command ---------------------------------------------------------------- */

/* What is wrong with the combination of options; NULL: nothing. */
static const char *convert_misuse(const struct convert *convert, int count, char *const *paths)
{
  const bool to_redis = count == 2 && address_is(paths[1]);

  if (convert->form == LFB_FORM_NONE && !to_redis)
    return "no --to given: give the form to write";
  if (count != 2)
    return "needs two files, IN and OUT";
  if (convert->form != LFB_FORM_NONE && to_redis)
    return "a filter on Redis has no form: leave out --to";
  if (convert->json && target_is_standard(paths[1]))
    return "OUT - and --json both write to standard output";
  return NULL;
}

static int convert_run(int argc, char **argv)
{
  struct convert convert = {.form = LFB_FORM_NONE};
  enum progress_when progress = PROGRESS_AUTO;
  const struct option_row rows[] = {
      {'\0', "to", "FORM",
       "form to write: native, guava, sbbf, mapped, milvus, milvus-int64 or milvus-utf8",
       options_read_form, &convert.form},
      options_key_file(&convert.key),
      {'\0', "damaged", NULL, "accept a damaged IN: keys in damaged parts answer \"maybe\"", NULL,
       &convert.damaged},
      options_json(&convert.json),
      options_progress(&progress),
      options_timeout(&address_manner.timeout_ms),
  };
  const int status = options_parse(&command_convert, rows, sizeof rows / sizeof *rows, argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  address_manner.progress = progress_wanted(progress);
  const char *misuse = convert_misuse(&convert, argc - optind, argv + optind);
  if (misuse != NULL)
    return options_misused(&command_convert, misuse);
  return convert_run_on(&convert, argv[optind], argv[optind + 1]) ? CLI_DONE : CLI_NOT_DONE;
}

const struct command command_convert = {
    .name = "convert",
    .operands = "IN OUT",
    .summary = "convert a filter to another form, also from and to Redis",
    .examples =
        "  lfbloom convert --to native from-java.bin seen.lfb\n"
        "  lfbloom convert seen.lfb redis://localhost/seen\n"
        "  lfbloom convert --to native redis://localhost/seen seen.lfb\n"
        "  lfbloom convert seen.lfb 'redis://localhost/seen?layout=module'\n"
        "  lfbloom convert --to native --damaged torn.lfb rescued.lfb\n",
    .details =
        "The bits are copied unchanged, so the form must be able to hold IN's strategy: native and "
        "mapped hold all strategies, guava holds guava-mitz64 and guava-mitz32, and sbbf and "
        "milvus hold sbbf.  To change the strategy, build the filter again from its keys.  Several "
        "processes can share a file of form mapped.\n\n"
        "What a form cannot hold is lost: with guava and sbbf n, p and all checksums; with milvus "
        "the checksums; with mapped those of the bits.\n\n"
        "If IN is a counting filter with counters, OUT is the plain filter of the keys that are "
        "present.  None can be made of tags, which keep no bits.\n\n"
        "OUT is written as a whole or not at all, and may be IN; - is standard output.  Only form "
        "mapped replaces a shared filter, while no process has it open.\n\n"
        "If OUT is on Redis, leave out --to.  The name must be unused, and the strategy must be "
        "fast, fast-pair, guava-mitz64, guava-mitz32 or redis-mitz32.\n\n"
        "If IN is a key of the module lfbloom_redis.so, OUT has exactly its bits and its hash.  "
        "With --to native, OUT is a window if IN is one, and a growing filter if IN has grown.  IN "
        "must then have been reserved with EXPANSION 2 and a capacity of 1024 or more.\n\n"
        "With ?layout=module, OUT becomes a key of the module.  IN is a filter of strategy fast, a "
        "growing filter or a window, and holds the key of its hash.  A filter becomes NONSCALING, "
        "and BF.CARD estimates its keys.  A window goes on to forget after its span.\n\n"
        "Such a key gets its name when it is whole.  If the command is killed, nothing has the "
        "name, and what was saved expires after ten minutes.\n",
    .run = convert_run,
};
