/*
 * manage.c - `lfbloom remote`: deletes filters on Redis.
 */
#define _GNU_SOURCE /* optind */
#include <string.h>
#include <unistd.h>

#include "cli/base/options.h"
#include "cli/base/report.h"
#include "cli/filters/there.h"

/* Deletes a filter.  A string of the Java helper class has no description, so it must at least open
 * as the filter of ?helper=N,P.  Any other may be deleted even if it does not open. */
static bool manage_delete(const char *path)
{
  struct address address;
  lfb_status status = LFB_OK;

  if (!address_is(path))
    return report_false("%s: not the address of a filter on Redis, redis://host:port/name", path);
  if (!address_read(path, &address))
    return false;
  if (address.helper.fpp > 0)
    status = there_look(&address, &address.helper);
  if (status == LFB_OK)
    status = lfb_redis_delete(&address.at.options, address.at.name, address.helper.strategy);
  return status == LFB_OK || address_report(path, status);
}

static int manage_run(int argc, char **argv)
{
  const struct option_row rows[] = {
      options_timeout(&address_manner.timeout_ms),
  };
  const int status = options_parse(&command_remote, rows, sizeof rows / sizeof *rows, argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  if (optind == argc)
    return options_misused(&command_remote, "no action given: use delete");
  if (strcmp(argv[optind], "delete") != 0)
    return report_error("remote: unknown action '%s': use delete", argv[optind]);
  if (++optind == argc)
    return options_misused(&command_remote, "no filter given");
  while (optind < argc && manage_delete(argv[optind])) /* up to the first error */
    optind++;
  return optind == argc ? CLI_DONE : CLI_NOT_DONE;
}

const struct command command_remote = {
    .name = "remote",
    .operands = "delete FILTER...",
    .summary = "delete filters on Redis",
    .examples =
        "  lfbloom remote delete redis://localhost/seen-yesterday\n"
        "  lfbloom remote delete redis://localhost/mon redis://localhost/tue\n",
    .details =
        "Each FILTER is deleted without asking, even if it lacks parts or is unfinished.  A "
        "process that has it open gets an error at its next request.\n\n"
        "What is not a filter is not deleted, but reported as an error.  There is one exception: "
        "with ?helper=N,P, the value may be any string of at most that filter's size, since a "
        "filter of the Java helper class looks like any other string.\n",
    .run = manage_run,
};
