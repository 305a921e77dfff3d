/*
 * manage.c - `lfbloom remote`: lists, expires, renames, deletes, loads and saves filters on Redis.
 */
#define _GNU_SOURCE /* optind */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/json.h"
#include "cli/numbers.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/remote.h"
#include "cli/report.h"
#include "cli/suggest.h"
#include "cli/transfer.h"

/* 68 years: small enough that Redis can add it to the clock without overflow. */
enum { MANAGE_MOST_SECONDS = INT32_MAX };

struct manage {
  bool nul;
  bool json;
  struct transfer transfer;
  uint64_t expire_ms; /* 0: never */
};

/* False after a report. */
static bool manage_is_remote(const char *path)
{
  if (remote_is(path))
    return true;
  return report_false("%s: not the address of a filter on Redis, redis://host:port/name", path);
}

static void manage_print_key(void *context, const char *key, size_t size)
{
  const struct manage *manage = context;
  const char end = manage->nul ? '\0' : '\n';

  if (manage->json) {
    json_open(NULL);
    json_text("key", key); /* it ends in NUL */
    json_close();
    return;
  }
  output_write(key, size);
  output_write(&end, 1);
}

static bool manage_list(struct manage *manage, const char *path)
{
  const lfb_config wanted = options_wanted(&manage->transfer.reading);
  struct remote remote;

  if (!remote_open(path, &wanted, false, &remote))
    return false;
  if (manage->json) {
    json_open(NULL);
    json_text("filter", path);
    json_open_list("keys");
  }
  const bool listed = remote_keys(&remote, manage_print_key, manage);
  if (manage->json) {
    json_close_list();
    json_close();
  }
  remote_close(&remote);
  return listed;
}

static bool manage_expire(struct manage *manage, const char *path)
{
  const lfb_config wanted = options_wanted(&manage->transfer.reading);

  return remote_expire(path, &wanted, manage->expire_ms);
}

static bool manage_delete(struct manage *manage, const char *path)
{
  const lfb_config wanted = options_wanted(&manage->transfer.reading);

  return remote_delete(path, &wanted);
}

static bool manage_rename(struct manage *manage, const char *path, const char *name)
{
  const lfb_config wanted = options_wanted(&manage->transfer.reading);

  if (!manage_is_remote(path))
    return false;
  if (!remote_is(name))
    return remote_rename(path, &wanted, name);
  return options_misused(&command_remote, "the new name must be a name alone, without redis://") != CLI_TROUBLE;
}

/* Acts on each filter in turn, up to the first error. */
static int manage_each(struct manage *manage, bool (*act)(struct manage *, const char *),
                       char *const *paths, int count)
{
  bool done = true;

  if (count == 0)
    return options_misused(&command_remote, "no filter given");
  for (int i = 0; done && i < count; i++)
    done = manage_is_remote(paths[i]) && act(manage, paths[i]);
  return done ? CLI_FOUND : CLI_TROUBLE;
}

/* Reads the time to expire.  False after a report. */
static bool manage_read_seconds(const char *text, uint64_t *milliseconds)
{
  uint64_t seconds = 0;

  *milliseconds = 0;
  if (strcmp(text, "never") == 0)
    return true;
  if (numbers_whole(text, &seconds) != NUMBERS_OK || seconds == 0 ||
      seconds > MANAGE_MOST_SECONDS)
    return report_false("remote: expire '%s': must be never, or a whole number of seconds from 1",
                        text);
  *milliseconds = 1000 * seconds;
  return true;
}

static int manage_list_all(struct manage *manage, char *const *paths, int count)
{
  if (!manage->json || count == 0)
    return manage_each(manage, manage_list, paths, count);
  json_open(NULL);
  json_open_list("filters");
  const int status = manage_each(manage, manage_list, paths, count);
  json_close_list();
  json_close();
  return status;
}

#define MANAGE_ACTIONS "list, expire, rename, delete, load or save"

/* Loads or saves; `load` tells which. */
static int manage_transfer(const struct manage *manage, bool load, char *const *paths, int count)
{
  if (count != 2)
    return options_misused(&command_remote, load ? "load needs a filter and a file"
                                                 : "save needs a file and a filter");
  const char *server = paths[load ? 0 : 1], *file = paths[load ? 1 : 0];
  if (!manage_is_remote(server))
    return CLI_TROUBLE;
  if (remote_is(file))
    return options_misused(&command_remote, "load and save need a file and one filter on Redis: "
                                            "use 'lfbloom convert' between servers");
  const bool done = load ? transfer_load(&manage->transfer, server, file)
                         : transfer_save(&manage->transfer, file, server);
  return done ? CLI_FOUND : CLI_TROUBLE;
}

/* Reports an action that there is not. */
static int manage_unknown(const char *action)
{
  static const char *const actions[] = {"list", "expire", "rename", "delete", "load", "save"};
  struct suggestion suggestion = {.word = action};

  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
    suggest_consider(&suggestion, actions[i]);
  return report_error("remote: unknown action '%s': use " MANAGE_ACTIONS "%s", action,
                      suggest_text(&suggestion));
}

/* What is wrong with the options for this action; NULL: nothing. */
static const char *manage_misuse(const struct manage *manage, const char *action)
{
  if ((manage->json || manage->nul) && strcmp(action, "list") != 0)
    return "--json and -0 apply only to list";
  if (manage->transfer.module && strcmp(action, "save") != 0)
    return "--module applies only to save";
  if (manage->transfer.span.text != NULL && !manage->transfer.module)
    return "--window applies only to save --module";
  return NULL;
}

/* Expires or renames. */
static int manage_keep(struct manage *manage, bool expire, char *const *operands, int count)
{
  if (!expire && count != 2)
    return options_misused(&command_remote, "rename needs a filter and its new name");
  if (!expire)
    return manage_rename(manage, operands[0], operands[1]) ? CLI_FOUND : CLI_TROUBLE;
  if (count < 2)
    return options_misused(&command_remote, "expire needs SECONDS or never, and a filter");
  return manage_read_seconds(operands[0], &manage->expire_ms)
             ? manage_each(manage, manage_expire, operands + 1, count - 1)
             : CLI_TROUBLE;
}

/* Performs the action that the first operand names. */
static int manage_act(struct manage *manage, int count, char *const *operands)
{
  if (count == 0)
    return options_misused(&command_remote, "no action given: use " MANAGE_ACTIONS);
  const char *action = operands[0];
  const char *misuse = manage_misuse(manage, action);
  if (misuse != NULL)
    return options_misused(&command_remote, misuse);
  if (strcmp(action, "list") == 0)
    return manage_list_all(manage, operands + 1, count - 1);
  if (strcmp(action, "delete") == 0)
    return manage_each(manage, manage_delete, operands + 1, count - 1);
  if (strcmp(action, "expire") == 0 || strcmp(action, "rename") == 0)
    return manage_keep(manage, action[0] == 'e', operands + 1, count - 1);
  if (strcmp(action, "load") == 0 || strcmp(action, "save") == 0)
    return manage_transfer(manage, action[0] == 'l', operands + 1, count - 1);
  return manage_unknown(action);
}

static int manage_run(int argc, char **argv)
{
  struct manage manage = {0};
  struct remote_manner manner = {0};
  enum progress_when progress = PROGRESS_AUTO;
  const struct option_row rows[] = {
      {'0', "null", NULL, "list: keys end in NUL bytes instead of newlines", NULL, &manage.nul},
      options_key_file(&manage.transfer.reading.key),
      options_helper(&manage.transfer.reading.helper),
      options_json(&manage.json),
      {'\0', "module", NULL, "save: as a key of the module for Redis, for its commands BF.*", NULL,
       &manage.transfer.module},
      window_time_row(&manage.transfer.span),
      options_progress(&progress),
      options_timeout(&manner.timeout_ms),
  };
  const int status = options_parse(&command_remote, rows, sizeof rows / sizeof *rows, argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  manner.progress = progress_wanted(progress);
  remote_behave(manner);
  return manage_act(&manage, argc - optind, argv + optind);
}

const struct command command_remote = {
    .name = "remote",
    .operands = "list FILTER... | expire SECONDS FILTER... | rename FILTER NAME | "
                "delete FILTER... | load FILTER FILE | save FILE FILTER",
    .summary = "list, expire, rename, delete, load or save filters on Redis",
    .details =
        "list    prints the keys on the server that FILTER consists of, its name first\n"
        "expire  makes the whole FILTER expire after SECONDS; \"never\" lifts this again\n"
        "rename  gives FILTER another, unused NAME on its server; in a cluster both names\n"
        "        must have the same hash tag, as in {user}seen and {user}known\n"
        "delete  deletes FILTER without asking, even if it lacks parts or is unfinished\n"
        "load    loads FILTER into FILE, in the native form; - is standard output\n"
        "save    saves FILE as FILTER; its name must be unused\n"
        "\n"
        "What is not a filter is left unchanged, and reported as an error.  But a filter\n"
        "of the Java helper class has no description: with --helper, any string that is\n"
        "not too long is taken for such a filter, and deleted or renamed as one.\n"
        "\n"
        "FILTER of load may also be a key of the module for Redis, lfbloom_redis.so: FILE\n"
        "has exactly its bits and its hash.  It is a window if FILTER is one, and a\n"
        "growing filter if FILTER has grown; FILTER must then have been reserved with\n"
        "EXPANSION 2 and a capacity of 1024 or more.  --module saves FILE as such a key:\n"
        "a filter of strategy fast, a growing one or a window, with the key of its hash\n"
        "in FILE.  A filter becomes NONSCALING, and BF.CARD estimates its keys.  The key\n"
        "gets its name when it is whole; after a save that was killed, nothing has the\n"
        "name, and what was saved expires after ten minutes.\n"
        "\n"
        "After FILTER was deleted or renamed, a process that has it open receives an\n"
        "error at its next request.\n"
        "\n" REMOTE_HELP
        "\n"
        "  lfbloom remote list redis://localhost/seen\n"
        "  lfbloom remote expire 86400 redis://localhost/seen\n"
        "  lfbloom remote rename redis://localhost/seen seen-yesterday\n"
        "  lfbloom remote delete redis://localhost/seen-yesterday\n"
        "  lfbloom remote load redis://localhost/seen seen.lfb\n"
        "  lfbloom remote save --module seen.lfb redis://localhost/seen\n",
    .run = manage_run,
};
