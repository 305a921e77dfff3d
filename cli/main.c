/*
 * main.c - the tool `lfbloom`: finds the command and runs it.
 *
 * Names in cli/ have no lfb_ prefix: no other program links them.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/command.h"
#include "cli/base/help.h"
#include "cli/base/output.h"
#include "cli/base/report.h"
#include "cli/filters/address.h"

#ifndef LFBLOOM_VERSION /* tools/version.bzl has it */
#define LFBLOOM_VERSION "of no release"
#endif

static const struct command *const commands[] = {
    &command_demo,    &command_plan,  &command_build, &command_query,  &command_remove,
    &command_dedupe,  &command_claim, &command_info,  &command_verify, &command_merge,
    &command_fold,    &command_compare, &command_diff, &command_patch, &command_convert,
    &command_remote,
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static const struct topic *const topics[] = {&topic_keys, &topic_redis, &topic_status};
enum { TOPIC_COUNT = sizeof topics / sizeof *topics };

static int main_help(void)
{
  printf("Usage: lfbloom COMMAND [OPTIONS] [FILE...]\n"
         "Bloom filters: remember millions of keys in few bits.  The answer \"absent\" is\n"
         "certain; \"maybe present\" is wrong with a small probability that you choose.\n\n");
  for (int i = 0; i < COMMAND_COUNT; i++)
    printf("  %-8s %s\n", commands[i]->name, commands[i]->summary);
  printf("\n"
         "  lfbloom COMMAND -h       the most used options of a command\n"
         "  lfbloom COMMAND --help   everything about it; lfbloom help COMMAND is the same\n");
  for (int i = 0; i < TOPIC_COUNT; i++)
    printf("  lfbloom help %-9s   %s\n", topics[i]->name, topics[i]->summary);
  printf("  lfbloom -V, --version    the version\n\n"
         "A key is a line of text.  A number may be written 10M, 1e7 or 10,000,000.\n\n"
         "Examples:\n"
         "  lfbloom demo\n"
         "  lfbloom build -p 0.001 -o words.lfb /usr/share/dict/words\n"
         "  printf 'hello\\nhelllo\\n' | lfbloom query words.lfb\n");
  return CLI_DONE;
}

static const struct command *main_find(const char *name)
{
  for (int i = 0; i < COMMAND_COUNT; i++)
    if (strcmp(commands[i]->name, name) == 0)
      return commands[i];
  return NULL;
}

static int main_unknown(const char *name)
{
  if (name[0] == '-')
    return report_error("unknown option %s (see 'lfbloom --help')", name);
  return report_error("unknown command '%s' (see 'lfbloom --help')", name);
}

/* `lfbloom help [WORD]`: a topic, or the same as `lfbloom [COMMAND] --help`. */
static int main_help_with(int argc, char **argv)
{
  static char option[] = "--help";

  if (argc < 3)
    return main_help();
  for (int i = 0; i < TOPIC_COUNT; i++)
    if (strcmp(topics[i]->name, argv[2]) == 0) {
      help_begin(topics[i]->summary, NULL, topics[i]->examples, SIZE_MAX);
      printf("\n");
      help_text(topics[i]->details);
      return CLI_DONE;
    }
  const struct command *command = main_find(argv[2]);
  if (command == NULL)
    return main_unknown(argv[2]);
  return command->run(2, (char *[]){argv[2], option, NULL});
}

static int main_run(int argc, char **argv)
{
  if (argc < 2)
    return report_error("no command given (see 'lfbloom --help')");
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
    return main_help();
  if (strcmp(argv[1], "help") == 0)
    return main_help_with(argc, argv);
  if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
    printf("lfbloom " LFBLOOM_VERSION "\n");
    return CLI_DONE;
  }
  const struct command *command = main_find(argv[1]);
  if (command == NULL)
    return main_unknown(argv[1]);
  return address_fits(command->name) ? command->run(argc - 1, argv + 1) : CLI_NOT_DONE;
}

int main(int argc, char **argv)
{
  if (!address_hide_passwords(argc, argv))
    return CLI_NOT_DONE;
  output_prepare();
  return output_close(main_run(argc, argv));
}
