/*
 * convert.c - `lfbloom convert`: converts a filter file to another form.
 */
#define _GNU_SOURCE /* optind */
#include <lfbloom/filter_more.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/figures.h"
#include "cli/human.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/source.h"
#include "cli/target.h"

struct convert {
  lfb_form form;
  const char *label; /* NULL: the filter's own */
  bool damaged;      /* accept a damaged file  */
  bool json;
  struct options_reading reading;
  lfb_damage damage; /* of the file that was read */
};

/* NULL after a report. */
static lfb_filter *convert_load(struct convert *convert, const char *path)
{
  const lfb_damage *damage = &convert->damage;
  const lfb_read_limits limits = {.damage = &convert->damage, .open_damaged = convert->damaged};
  lfb_filter *filter = source_load(path, &convert->reading, &limits);

  if (filter != NULL && damage->count > 0)
    report_note("warning: %s: %s are damaged: keys with bits there now answer \"maybe\"", path,
                human_bytes(damage->bytes).text);
  return filter;
}

static void convert_json(const struct convert *convert, const char *to, const lfb_stats *stats)
{
  json_open(NULL);
  figures_json(remote_is(to) ? "redis" : lfb_form_name(convert->form), stats);
  json_count("damaged_parts", convert->damage.count);
  json_count("damaged_bytes", convert->damage.bytes);
  json_close();
}

static bool convert_file(struct convert *convert, const char *from, const char *to)
{
  lfb_stats stats;

  if (!target_check(to) || !target_spares_shared(to, convert->form))
    return false;
  lfb_filter *filter = convert_load(convert, from);
  if (filter == NULL)
    return false;
  lfb_filter_stats(filter, &stats);
  if (convert->label != NULL)
    lfb_ignore(lfb_filter_set_label(filter, convert->label)); /* checked with the options */
  const bool done = target_holds(to, convert->form, from, &stats) &&
                    target_save(to, filter, convert->form);
  lfb_filter_free(filter);
  if (done && convert->json)
    convert_json(convert, to, &stats);
  return done;
}

/* What is wrong with the combination of options; NULL: nothing. */
static const char *convert_misuse(const struct convert *convert, int count, char *const *paths)
{
  const bool to_redis = count == 2 && remote_is(paths[1]);

  if (convert->form == LFB_FORM_NONE && !to_redis)
    return "no --to given: give the form to write";
  if (count != 2)
    return "needs two files, IN and OUT";
  if (convert->form != LFB_FORM_NONE && to_redis)
    return "a filter on Redis has no form: leave out --to";
  if (convert->label != NULL && to_redis)
    return "a filter on Redis has no room for a --label";
  if (convert->json && target_is_standard(paths[1]))
    return "OUT - and --json both write to standard output";
  return NULL;
}

static int convert_run(int argc, char **argv)
{
  struct convert convert = {.form = LFB_FORM_NONE};
  struct remote_manner manner = {0};
  enum progress_when progress = PROGRESS_AUTO;
  const struct option_row rows[] = {
      {'\0', "to", "FORM", "form to write: native, guava, sbbf, mapped, milvus, milvus-int64 or milvus-utf8", options_read_form,
       &convert.form},
      options_label(&convert.label),
      options_key_file(&convert.reading.key),
      options_helper(&convert.reading.helper),
      {'\0', "damaged", NULL, "accept a damaged IN: keys in damaged parts answer \"maybe\"", NULL,
       &convert.damaged},
      options_json(&convert.json),
      options_progress(&progress),
      options_timeout(&manner.timeout_ms),
  };
  const int status = options_parse(&command_convert, rows, sizeof rows / sizeof *rows, argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  manner.progress = progress_wanted(progress);
  remote_behave(manner);
  const char *misuse = convert_misuse(&convert, argc - optind, argv + optind);
  if (misuse != NULL)
    return options_misused(&command_convert, misuse);
  if (!options_label_fits(&command_convert, convert.label, convert.form))
    return CLI_TROUBLE;
  return convert_file(&convert, argv[optind], argv[optind + 1]) ? CLI_FOUND : CLI_TROUBLE;
}

const struct command command_convert = {
    .name = "convert",
    .operands = "IN OUT",
    .summary = "convert a filter file to another form",
    .details =
        "The bits are copied unchanged, so the form must be able to hold IN's strategy:\n"
        "native and mapped hold all strategies, guava holds guava-mitz64 and\n"
        "guava-mitz32, and sbbf holds sbbf.  Several processes share a file of form\n"
        "mapped, as 'build --shared' makes it.  To change the strategy, build the filter\n"
        "again from its keys.\n"
        "\n"
        "A form that has no room for something loses it: guava and sbbf lose n, p, the\n"
        "label and all checksums; mapped loses the checksums of the bits.\n"
        "\n"
        "OUT is written as a whole or not at all, and may be IN; - is standard output.\n"
        "Only form mapped replaces a shared filter.  To bring a shared filter of an\n"
        "earlier version of lfbloom up to date, convert it with --to mapped while no\n"
        "process has it open.\n"
        "\n"
        "IN and OUT may be on Redis.  If OUT is on Redis, leave out --to; the strategy\n"
        "must be fast, guava-mitz64, guava-mitz32 or redis-mitz32, and the name must be\n"
        "unused.\n"
        "\n" REMOTE_HELP
        "\n"
        "  lfbloom convert --to native from-java.bin seen.lfb\n"
        "  lfbloom convert --to native --damaged torn.lfb rescued.lfb\n"
        "  lfbloom convert --to mapped old.shared old.shared\n"
        "  lfbloom convert seen.lfb redis://localhost/seen\n",
    .run = convert_run,
};
