/*
 * remote.h - filters on a Redis server or cluster, which a command names by their address.
 *
 * An address is redis://[[user]:password@]host[:port]/name; a name on the command line that
 * begins so is never a file's.  Its password is in no report and, from main()'s first line on,
 * in no list of processes.
 *
 * Whatever fails is reported, with the address and what to do about it; so is a server that is
 * waited for, once a second has passed without an answer.
 */
#ifndef CLI_REMOTE_H
#define CLI_REMOTE_H

#include <lfbloom/redis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For the --help of each command that takes such an address. */
#define REMOTE_HELP                                                                     \
  "redis://[[user]:password@]host[:port]/name is a filter on a Redis server or\n"       \
  "cluster; %XX is a byte of the user, password or name.  If the address has no\n"      \
  "password, the one in the environment variable LFBLOOM_REDIS_PASSWORD is used,\n"     \
  "which other users cannot see.  If the server goes away, the tool says so and\n"      \
  "waits for it until --timeout.\n"

/* To be called before anything else: blanks the passwords of all addresses in the arguments,
 * and remembers them.  False after a report. */
bool remote_hide_passwords(int argc, char **argv);

/* How calls go about their work. */
struct remote_manner {
  uint32_t timeout_ms; /* that a server may be silent before it is given up; 0: 20 s, and 1 s
                          where it has not answered at all                               */
  bool progress;       /* a bar is shown while a filter is saved or loaded               */
};

/* .. from now on, all of them; to be called before there is any other thread. */
void remote_behave(struct remote_manner manner);

/* Whether it begins as an address does, of TLS, which is refused later, too. */
bool remote_is(const char *path);

/* A filter on a server that is open. */
struct remote {
  const char *path;  /* its address as it may be shown; not copied    */
  lfb_redis *filter; /* NULL: none                                     */
  bool twice;        /* keys are hashed as if each stood there twice   */
};

/* Keys for one call: that round trips hardly count, and 64 KiB of them fit on a thread's stack
 * of 512 KiB (crew.c). */
enum { REMOTE_BATCH = 4096 };

enum remote_found { REMOTE_FOUND, REMOTE_NOTHING, REMOTE_FAILED };

/*
 * Opens what is at an address; waits some seconds for who is making it.
 *
 * Takes    wanted  as lfb_redis_open().
 * Returns  REMOTE_FAILED after a report; REMOTE_NOTHING without one: nothing has that name.
 * Owner    the caller, until remote_close().
 */
enum remote_found remote_find(const char *path, const lfb_config *wanted, bool twice,
                              struct remote *remote);

/* The same, where nothing is an error.  False after a report. */
bool remote_open(const char *path, const lfb_config *wanted, bool twice, struct remote *remote);

/* Makes it, or opens what another process has made meanwhile.  False after a report. */
bool remote_create(const char *path, const lfb_config *config, bool twice, struct remote *remote);

void remote_close(struct remote *remote);

/* As lfb_redis_might_contain_many() and lfb_redis_put_many(); false after a report. */
bool remote_ask(const struct remote *remote, const lfb_key *keys, size_t count,
                uint64_t *answers, size_t *yes);
bool remote_put(const struct remote *remote, const lfb_key *keys, size_t count,
                uint64_t *answers, size_t *yes);

bool remote_stats(const struct remote *remote, lfb_stats *stats);

/*
 * Looks at all that there is of a filter: every part, whole and its own, and its bits counted.
 *
 * Returns what lfb_redis_open() or lfb_redis_stats() does, or lfb_redis_parse_url(); no report.
 */
lfb_status remote_verify(const char *path, const lfb_config *wanted, lfb_stats *stats);

/* Reports a status of remote_verify() each time, as report_status_note() does. */
void remote_report_note(const char *path, lfb_status status);

/* Reads it into memory, under a bar; NULL after a report.  Owner: the caller, until lfb_filter_free(). */
lfb_filter *remote_load(const struct remote *remote);

/* Gives each key of the server that it is made of, with a NUL behind it; false after a report. */
bool remote_keys(const struct remote *remote,
                 void (*each)(void *context, const char *key, size_t size), void *context);

/* As lfb_redis_expire(), _rename() and _delete(), of what is at an address and, where `wanted`
 * says of which strategy it is, what is wanted; false after a report.  A signal that ends the
 * program lets a rename that has begun come to its end, or back to its beginning. */
bool remote_expire(const char *path, const lfb_config *wanted, uint64_t milliseconds);
bool remote_rename(const char *path, const lfb_config *wanted, const char *name);
bool remote_delete(const char *path, const lfb_config *wanted);

/* Whether nothing has that name yet; false after a report. */
bool remote_is_free(const char *path);

/* Whether a filter as planned has a layout there; false after a report, which begins with
 * `what`, the filter or the command. */
bool remote_holds(const char *what, const lfb_stats *planned);

/* Makes the filter at an address that nothing has, under a bar; whole, or false after a
 * report.  Where signals are blocked, one that would end the program ends it, without a report. */
bool remote_save(const char *path, const lfb_filter *filter);

#endif
