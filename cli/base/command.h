/*
 * command.h - a command as main sees it.
 */
#ifndef CLI_BASE_COMMAND_H
#define CLI_BASE_COMMAND_H

#include <stddef.h>

/* Texts are as help_text() takes them, each of at most 4,095 characters: C11 promises no more. */
struct command {
  const char *name;
  const char *operands; /* "FILTER [FILE...]", for the usage line */
  const char *summary;  /* its purpose, in one line */
  const char *purpose;  /* a sentence or two more of it, or NULL */
  const char *examples; /* a line each; -h prints the first two */
  size_t common;        /* -h prints so many rows of the option table; 0: all */
  const char *details;  /* for --help, after the options */
  /* Returns the exit status.  argv[0] is the command's name. */
  int (*run)(int argc, char **argv);
};

/* What several commands share: `lfbloom help NAME` prints it. */
struct topic {
  const char *name, *summary, *examples, *details;
};

extern const struct topic topic_keys;
extern const struct topic topic_redis;
extern const struct topic topic_status;

extern const struct command command_demo;
extern const struct command command_plan;
extern const struct command command_build;
extern const struct command command_query;
extern const struct command command_remove;
extern const struct command command_dedupe;
extern const struct command command_claim;
extern const struct command command_info;
extern const struct command command_verify;
extern const struct command command_merge;
extern const struct command command_compare;
extern const struct command command_fold;
extern const struct command command_diff;
extern const struct command command_patch;
extern const struct command command_convert;
extern const struct command command_remote;

#endif
