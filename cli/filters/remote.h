/*
 * remote.h - filters on a Redis server or cluster, named by their address.
 *
 * An address is what lfb_redis_parse_url() takes.  A name on the command line that begins so is
 * never a file.  The password is in no report and, from main()'s first line on, in no list of
 * processes.
 *
 * A failure is reported with the address and what to do.  If a server does not answer for a second,
 * the tool reports that it waits.
 */
#ifndef CLI_REMOTE_H
#define CLI_REMOTE_H

#include <lfbloom/redis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For the --help of each command that takes an address.  man/commands.awk skips this paragraph. */
#define REMOTE_HELP                                                                      \
  "redis://[[user]:password@]host[:port]/name[?db=N] is a filter on a Redis server\n"    \
  "or cluster, redis+unix:///path?name=NAME at a Unix socket; %XX is a byte.\n"          \
  "?layout=module: new ones are BF.* keys.\n"                                            \
  "Without a password, that in LFBLOOM_REDIS_PASSWORD is used.\n"                        \
  "rediss:// is by TLS: LFBLOOM_REDIS_CACERT (default: the system's),\n"                 \
  "LFBLOOM_REDIS_CERT and LFBLOOM_REDIS_KEY name PEM files.  If the server goes\n"       \
  "away, the tool waits until --timeout.\n"

/* Blanks the passwords of all addresses in the arguments, and remembers them.  To be called first.
 * False after a report. */
bool remote_hide_passwords(int argc, char **argv);

/* Whether the command takes addresses, or none is among the arguments.  False after a report. */
bool remote_fits(const char *command, int argc, char *const *argv);

/* Options of all calls. */
struct remote_manner {
  uint32_t timeout_ms; /* a server that is silent for this long is given up; 0: 20 s, or 1 s
                          if it has not answered yet                                     */
  bool progress;       /* show a bar while a filter is saved or loaded                   */
};

/* Sets the options.  To be called before there is another thread. */
void remote_behave(struct remote_manner manner);

/* Whether `path` begins as an address does. */
bool remote_is(const char *path);

/* Whether new filters at an address are keys of the module (?layout=module). */
bool remote_is_module(const char *path);

/* An open filter on a server. */
struct remote {
  const char *path;  /* its address without the password; not copied */
  lfb_redis *filter; /* NULL: none                                     */
  bool twice;        /* each key is hashed as if it were written twice */
};

/* Keys per call: enough that round trips cost little.  Their 64 KiB fit on a thread's stack of
 * 512 KiB (crew.c). */
enum { REMOTE_BATCH = 4096 };

enum remote_found { REMOTE_FOUND, REMOTE_NOTHING, REMOTE_FAILED };

/*
 * Opens the filter at an address.  If a process is making it, waits up to 5 seconds.
 *
 * Takes    wanted  as lfb_redis_open().
 * Returns  REMOTE_FAILED after a report; REMOTE_NOTHING, without a report, if the name is unused.
 * Owner    the caller, until remote_close().
 */
enum remote_found remote_find(const char *path, const lfb_config *wanted, bool twice,
                              struct remote *remote);

/* The same, but an unused name is an error.  False after a report. */
bool remote_open(const char *path, const lfb_config *wanted, bool twice, struct remote *remote);

/* Makes the filter, or opens it if another process makes it first.  False after a report. */
bool remote_create(const char *path, const lfb_config *config, bool twice, struct remote *remote);

void remote_close(struct remote *remote);

/* As lfb_redis_might_contain_many() and lfb_redis_put_many(); false after a report. */
bool remote_ask(const struct remote *remote, const lfb_key *keys, size_t count,
                uint64_t *answers, size_t *yes);
bool remote_put(const struct remote *remote, const lfb_key *keys, size_t count,
                uint64_t *answers, size_t *yes);

bool remote_stats(const struct remote *remote, lfb_stats *stats);

/* Loads the filter into memory, with a bar.  NULL after a report.  Owner: the caller, until
 * lfb_filter_free(). */
lfb_filter *remote_load(const struct remote *remote);

/* As lfb_redis_delete(), for the filter at an address; if `wanted` has a strategy, it must be that
 * filter.  False after a report. */
bool remote_delete(const char *path, const lfb_config *wanted);

/* Whether the name is unused.  False after a report. */
bool remote_is_free(const char *path);

/* Whether a filter with these figures can be on Redis.  False after a report, which begins with
 * `what`, the filter or the command. */
bool remote_holds(const char *what, const lfb_stats *planned);

/*
 * Loads a key of the module for Redis into memory, with a bar.
 *
 * Returns  REMOTE_FAILED after a report; REMOTE_NOTHING, without a report, if the key has another
 *          type.
 * Owner    the caller, until lfb_any_free().
 */
enum remote_found remote_load_key(const char *path, lfb_redis_module_value *value);

/* Saves a filter as a key of the module at an unused address, with a bar: as remote_save(). */
bool remote_save_key(const char *path, const lfb_redis_module_value *value);

/* Saves the filter at an unused address, with a bar: as a whole, or false after a report.  If
 * signals are blocked and one is pending that would end the program: false without a report. */
bool remote_save(const char *path, const lfb_filter *filter);

#endif
