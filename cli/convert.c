/*
 * convert.c - `lfbloom convert`: writes a filter file in another form.
 */
#define _GNU_SOURCE /* optind */
#include <lfbloom/filter.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/human.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/source.h"
#include "cli/target.h"

struct convert {
  lfb_form form;
  const char *label; /* NULL: the filter's own */
  bool damaged;      /* opens what is damaged  */
  struct options_reading reading;
};

/* NULL after a report. */
static lfb_filter *convert_load(const struct convert *convert, const char *path)
{
  lfb_damage damage = {0};
  const lfb_read_limits limits = {.damage = &damage, .open_damaged = convert->damaged};
  lfb_filter *filter = source_load(path, &convert->reading, &limits);

  if (filter != NULL && damage.count > 0)
    report_note("warning: %s: %s of it are damaged: what may be there now answers \"maybe\"", path,
                human_bytes(damage.bytes).text);
  return filter;
}

static bool convert_file(const struct convert *convert, const char *from, const char *to)
{
  lfb_stats stats;

  if (!target_check(to, NULL, 0) || !target_spares_shared(to, convert->form))
    return false;
  lfb_filter *filter = convert_load(convert, from);
  if (filter == NULL)
    return false;
  lfb_filter_stats(filter, &stats);
  if (convert->label != NULL)
    (void)lfb_filter_set_label(filter, convert->label); /* checked with the options */
  const bool done = target_holds(to, convert->form, from, &stats) &&
                    target_save(to, filter, convert->form);
  lfb_filter_free(filter);
  return done;
}

/* What is wrong with the options together; NULL: nothing. */
static const char *convert_misuse(const struct convert *convert, int count, char *const *paths)
{
  const bool to_redis = count == 2 && remote_is(paths[1]);

  if (convert->form == LFB_FORM_NONE && !to_redis)
    return "no --to given, the form to write";
  if (count != 2)
    return "needs two files, IN and OUT";
  if (convert->form != LFB_FORM_NONE && to_redis)
    return "a filter on Redis has no form: leave out --to";
  if (convert->label != NULL && to_redis)
    return "a filter on Redis has no room for a --label";
  return NULL;
}

static int convert_run(int argc, char **argv)
{
  struct convert convert = {.form = LFB_FORM_NONE};
  struct remote_manner manner = {0};
  enum progress_when progress = PROGRESS_AUTO;
  const struct option_row rows[] = {
      {'\0', "to", "FORM", "form to write: native, guava, sbbf or mapped", options_read_form,
       &convert.form},
      options_label(&convert.label),
      options_key_file(&convert.reading.key),
      options_helper(&convert.reading.helper),
      {'\0', "damaged", NULL, "take a damaged IN: \"maybe\" to every key there", NULL,
       &convert.damaged},
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
    .summary = "write a filter file in another form",
    .details =
        "The bits stay as they are, so the form must know IN's strategy: native knows all,\n"
        "guava knows guava-mitz64 and guava-mitz32, sbbf knows sbbf; mapped knows all, and is\n"
        "what several processes share, as 'build --shared' makes it.  A strategy's layout\n"
        "cannot be turned into another's without the keys: that takes 'lfbloom build'.\n"
        "What a form has no room for is lost: n, p, the label and all checksums with guava and\n"
        "sbbf, the checksums of the bits with mapped.\n"
        "OUT appears whole or not at all, and may be IN; - is standard output.  A shared filter\n"
        "is replaced by form mapped only.\n"
        "A shared filter of an earlier version of lfbloom is made a current one by --to mapped,\n"
        "once no process has it open.\n"
        "IN and OUT may be on Redis: to there without --to, of the strategies fast, guava-mitz64,\n"
        "guava-mitz32 and redis-mitz32, under a name that nothing has.\n" REMOTE_HELP
        "\n"
        "  lfbloom convert --to native from-java.bin seen.lfb\n"
        "  lfbloom convert --to native --damaged torn.lfb rescued.lfb\n"
        "  lfbloom convert --to mapped old.shared old.shared\n"
        "  lfbloom convert seen.lfb redis://localhost/seen\n",
    .run = convert_run,
};
