/*
 * manage.c - `lfbloom remote`: deletes filters on Redis.
 */
#define _GNU_SOURCE /* optind */
#include <string.h>
#include <unistd.h>

#include "cli/base/options.h"
#include "cli/base/report.h"
#include "cli/filters/remote.h"

/* Deletes each filter in turn, up to the first error. */
static bool manage_delete(const lfb_config *wanted, char *const *paths, int count)
{
  for (int i = 0; i < count; i++) {
    if (!remote_is(paths[i]))
      return report_false("%s: not the address of a filter on Redis, redis://host:port/name",
                          paths[i]);
    if (!remote_delete(paths[i], wanted))
      return false;
  }
  return true;
}

static int manage_run(int argc, char **argv)
{
  struct options_reading reading = {0};
  struct remote_manner manner = {0};
  const struct option_row rows[] = {
      options_helper(&reading.helper),
      options_timeout(&manner.timeout_ms),
  };
  const int status = options_parse(&command_remote, rows, sizeof rows / sizeof *rows, argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  remote_behave(manner);
  if (optind == argc)
    return options_misused(&command_remote, "no action given: use delete");
  if (strcmp(argv[optind], "delete") != 0)
    return report_error("remote: unknown action '%s': use delete", argv[optind]);
  if (++optind == argc)
    return options_misused(&command_remote, "no filter given");
  const lfb_config wanted = options_wanted(&reading);
  return manage_delete(&wanted, argv + optind, argc - optind) ? CLI_DONE : CLI_NOT_DONE;
}

const struct command command_remote = {
    .name = "remote",
    .operands = "delete FILTER...",
    .summary = "delete filters on Redis",
    .details =
        "Deletes each FILTER without asking, even if it lacks parts or is unfinished.\n"
        "\n"
        "What is not a filter is left unchanged, and reported as an error.  But a filter\n"
        "of the Java helper class has no description: with --helper, any string that is\n"
        "not too long is taken for such a filter, and deleted as one.\n"
        "\n"
        "After FILTER was deleted, a process that has it open receives an error at its\n"
        "next request.\n"
        "\n" REMOTE_HELP
        "\n"
        "  lfbloom remote delete redis://localhost/seen-yesterday\n",
    .run = manage_run,
};
