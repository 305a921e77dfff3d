/*
 * options.h - a command's options: one table for the parsing and for --help.
 */
#ifndef CLI_BASE_OPTIONS_H
#define CLI_BASE_OPTIONS_H

#include <lfbloom/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/base/command.h"
#include "cli/base/progress.h"

enum { OPTIONS_STRATEGIES = 32 }; /* the numbers of all strategies are below */

/* A number, and whether it was given. */
struct options_count {
  bool given;
  uint64_t value;
};

/* A strategy, and whether it was given other than as "default". */
struct options_strategy {
  bool given;
  lfb_strategy_id id;
};

/* A choice of hash, and whether it was given. */
struct options_hash {
  bool given;
  lfb_hash_id id;
};

/* A formula of probes, and whether it was given. */
struct options_formula {
  bool given;
  lfb_probes_formula id;
};

/* The permissions of a new file, and whether they were given. */
struct options_mode {
  bool given;
  uint32_t bits;
};

/* The key of a keyed hash, and whether it was given. */
struct options_key {
  bool given;
  uint8_t bytes[16];
};

/* One option of a command. */
struct option_row {
  char letter;       /* '\0': none                                             */
  const char *name;  /* of the long option; NULL: none                         */
  const char *value; /* its value's name in --help; NULL: a flag, `to` is a bool.
                      * One that ends in "..." may be given several times.   */
  const char *help;
  /* Reads `text` into `*to`; false after a report that begins with `option`. */
  bool (*read)(const char *option, const char *text, void *to);
  void *to;
};

/* Readers of values.  `*to` has the type in the comment. */
bool options_read_count(const char *option, const char *text, void *to);    /* options_count */
bool options_read_path(const char *option, const char *text, void *to);     /* char *, not empty */
bool options_read_form(const char *option, const char *text, void *to);     /* lfb_form */
bool options_read_formula(const char *option, const char *text, void *to);  /* options_formula */
bool options_read_key(const char *option, const char *text, void *to);      /* options_key */

/* Defines a function that gives a row. */
#define OPTIONS_DEFINE(function, type, letter, name, value, read, help) \
  struct option_row function(type *to)                                  \
  {                                                                     \
    return (struct option_row){letter, name, value, help, read, to};    \
  }

/* Rows for several commands: their functions, which take the address of a value of this type. */
#define OPTIONS_ROWS(ROW)                                                                          \
  ROW(options_expected, struct options_count, 'n', NULL, "N", options_read_count,                  \
      "number of distinct keys (default: the keys in FILE..., repeats included)")                  \
  ROW(options_fpp, double, 'p', NULL, "P", options_read_fpp,                                       \
      "false-positive probability: 0.01, 1% or 1e-4")                                              \
  ROW(options_json, bool, '\0', "json", NULL, NULL,                                                \
      "print one JSON object (its fields: the manual page)")                                       \
  ROW(options_key_file, struct options_key, '\0', "key-file", "FILE", options_read_key,            \
      "key of a keyed filter: 32 hexadecimal digits")                                              \
  ROW(options_no_verify, bool, '\0', "no-verify", NULL, NULL,                                      \
      "do not compare the checksums of a file of 64 MiB or more")                                  \
  ROW(options_mode, struct options_mode, '\0', "mode", "OCTAL", options_read_mode,                 \
      "with --shared: permissions of a new file, reduced by the umask (default, or 0: 0600, only " \
      "its owner)")                                                                                \
  ROW(options_growing, bool, '\0', "growing", NULL, NULL,                                          \
      "with --shared: a new file grows with its keys; -n is a first guess")                        \
  ROW(options_counting, bool, '\0', "counting", NULL, NULL,                                        \
      "a counting filter: 'lfbloom remove' removes keys")                                          \
  ROW(options_copies, struct options_count, '\0', "copies", "D", options_read_count,               \
      "with --counting: how often a key may be present at once (default: 1)")                      \
  ROW(options_nul, bool, '0', "null", NULL, NULL, "keys end in NUL bytes instead of newlines")     \
  ROW(options_progress, enum progress_when, '\0', "progress", "WHEN", options_read_when,           \
      "show progress: always or never (default: on a terminal)")                                   \
  ROW(options_strategy, struct options_strategy, '\0', "strategy", "NAME", options_read_strategy,  \
      "how keys become bits ('lfbloom plan' lists the names)")                                     \
  ROW(options_hash, struct options_hash, '\0', "hash", "NAME", options_read_hash,                  \
      "hash of the keys: aes, siphash13, xxh3 (if nobody hostile chooses keys), or default: aes "  \
      "if this processor has the instructions, siphash13 if not")                                  \
  ROW(options_threads, unsigned, '\0', "threads", "T", options_read_threads,                       \
      "threads to use (default: as many as CPU affinity, a control group's CPU quota and "         \
      "$SLURM_CPUS_PER_TASK allow)")                                                               \
  ROW(options_timeout, uint32_t, '\0', "timeout", "SECONDS", options_read_seconds,                 \
      "give up when a Redis server is silent for this long (default: 20)")

#define OPTIONS_DECLARE(function, type, letter, name, value, read, help) \
  struct option_row function(type *to);
OPTIONS_ROWS(OPTIONS_DECLARE)
#undef OPTIONS_DECLARE

/* The 16 bytes of a key, or NULL if none was given. */
const uint8_t *options_key_bytes(const struct options_key *key);

/* Gives the hash of a new filter the key, if one was given. */
void options_key_use(const struct options_key *key, lfb_config *config);

/* What is wrong with --hash, --seed (0: not given) and --key-file together; NULL: nothing. */
const char *options_hash_misuse(const struct options_hash *hash, uint64_t seed,
                                const struct options_key *key);

/* The default number of threads. */
unsigned options_default_threads(void);

enum { OPTIONS_GO_ON = -1 };

/*
 * Reads a command's options.  The operands are moved to the end of argv; the first is argv[optind].
 * Prints the help on -h and --help.
 *
 * Returns OPTIONS_GO_ON, or the status to exit with.
 */
int options_parse(const struct command *command, const struct option_row *rows, size_t count,
                  int argc, char **argv);

/* Reports "COMMAND: problem (see 'lfbloom COMMAND --help')"; returns CLI_NOT_DONE. */
int options_misused(const struct command *command, const char *problem);

#endif
