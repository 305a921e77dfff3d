/* remote.c - filters on a Redis server or cluster. */
#define _POSIX_C_SOURCE 200809L
#include "cli/filters/remote.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/base/clock.h"
#include "cli/base/progress.h"
#include "cli/base/report.h"

/* ---- addresses ------------------------------------------------------------------ */

/* A copy of an address on the command line, where its password has been blanked. */
struct remote_hidden {
  const char *at;
  char *whole;
};

/* Written only by main(), before there is another thread. */
static struct remote_hidden *remote_hidden;
static size_t remote_hidden_count;

bool remote_is(const char *path)
{
  static const char *const schemes[] = {
      "redis://", "rediss://", "redis+unix://", "valkey://", "valkeys://", "valkey+unix://"};

  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
    if (strncmp(path, schemes[i], strlen(schemes[i])) == 0)
      return true;
  return false;
}

/* Finds an address in a word of the command line: an operand or an option's value.  NULL: none. */
static char *remote_in_word(char *word)
{
  if (remote_is(word))
    return word;
  for (char *at = word; word[0] == '-' && *at != '\0'; at++)
    if (remote_is(at))
      return at;
  return NULL;
}

/* Replaces the text between `from` and `to` by at most three stars, and moves the rest up. */
static void remote_blank(char *from, char *to)
{
  const size_t size = (size_t)(to - from), stars = size < 3 ? size : 3, rest = strlen(to);

  memset(from, '*', stars);
  memmove(from + stars, to, rest + 1);
  memset(from + stars + rest, 0, size - stars);
}

/* Blanks the password of an address.  If the address is malformed, blanks all that may be one. */
static void remote_hide(char *address)
{
  lfb_redis_address read;
  char *login = strstr(address, "//") + 2;
  char *path = strchr(login, '/'), *at = NULL;
  const bool known = lfb_redis_parse_url(address, &read) == LFB_OK;

  for (char *c = login; *c != '\0' && !(known && c == path); c++)
    if (*c == '@')
      at = c;
  if (at == NULL)
    return;
  char *colon = strchr(login, ':');
  remote_blank(colon != NULL && colon < at ? colon + 1 : login, at);
}

/* Remembers an address, and blanks its password.  False: out of memory. */
static bool remote_remember(char *address)
{
  char *whole = strdup(address);

  if (whole == NULL)
    return false;
  remote_hidden[remote_hidden_count++] = (struct remote_hidden){address, whole};
  remote_hide(address);
  return true;
}

bool remote_hide_passwords(int argc, char **argv)
{
  remote_hidden = calloc((size_t)argc + 1, sizeof *remote_hidden);
  bool done = remote_hidden != NULL;

  for (int i = 1; done && i < argc; i++) {
    char *address = remote_in_word(argv[i]);
    done = address == NULL || remote_remember(address);
  }
  if (!done)
    (void)report_error("%s", lfb_status_text(LFB_ERROR_NO_MEMORY));
  return done;
}

bool remote_fits(const char *command, int argc, char *const *argv)
{
  static const char *const takers[] = {"build", "query", "claim", "convert", "info", "remote"};
  const char *address = NULL;

  for (int i = 1; i < argc && address == NULL; i++)
    address = remote_in_word(argv[i]);
  for (size_t i = 0; i < sizeof takers / sizeof *takers; i++)
    if (address == NULL || strcmp(command, takers[i]) == 0)
      return true;
  return report_false("%s: %s: only query, build, claim, convert and info open filters on Redis: "
                      "'lfbloom convert' fetches it", command, address);
}

/* The address with its password. */
static const char *remote_whole(const char *path)
{
  for (size_t i = 0; i < remote_hidden_count; i++)
    if (remote_hidden[i].at == path)
      return remote_hidden[i].whole;
  return path;
}

/* ---- reports -------------------------------------------------------------------- */

/* What to do about a status.  "": its text says it, or there is nothing to do. */
static const char *remote_advice(lfb_status status)
{
  switch (status) {
  case LFB_ERROR_REDIS_ADDRESS:
    return " (write a byte such as / or @ in a password, or ? in a name, as %XX)";
  case LFB_ERROR_REDIS_BAD_NAME:
    return ": give it after host and port, as in redis://host:6379/seen, or as in "
           "redis+unix:///path?name=seen";
  case LFB_ERROR_REDIS_CONNECT:
    return ": check that it runs and can be reached (redis-cli -h HOST -p PORT ping)";
  case LFB_ERROR_REDIS_TLS:
    return ": check that the port is its tls-port; set LFBLOOM_REDIS_CERT and LFBLOOM_REDIS_KEY";
  case LFB_ERROR_REDIS_CERTIFICATE:
    return ": set LFBLOOM_REDIS_CACERT to the certificate of its CA, and use the host name in it";
  case LFB_ERROR_REDIS_TLS_FILE:
    return ": check the files of LFBLOOM_REDIS_CACERT, LFBLOOM_REDIS_CERT and LFBLOOM_REDIS_KEY";
  case LFB_ERROR_REDIS_HOST:
    return ": check its spelling (getent hosts HOST)";
  case LFB_ERROR_REDIS_LOST:
  case LFB_ERROR_REDIS_TIMEOUT:
  case LFB_ERROR_REDIS_UNAVAILABLE:
    return ": repeat the command when the server is available again";
  case LFB_ERROR_REDIS_LOGIN:
    return ": give redis://USER:PASSWORD@host/name, redis://:PASSWORD@host/name or the "
           "environment variable LFBLOOM_REDIS_PASSWORD";
  case LFB_ERROR_REDIS_DENIED:
    return ": check the rules of the user (redis-cli ACL GETUSER USER)";
  case LFB_ERROR_REDIS_MEMORY:
    return ": check its maxmemory and maxmemory-policy";
  case LFB_ERROR_REDIS_REFUSED:
    return ": check the user's permissions (redis-cli ACL GETUSER) and the server's log";
  case LFB_ERROR_REDIS_ABSENT:
    return ": make it with 'lfbloom build -o'";
  case LFB_ERROR_REDIS_EXISTS:
    return ": put into it with --shared, choose another name, or delete it first ('lfbloom "
           "remote delete')";
  case LFB_ERROR_REDIS_UNFINISHED:
    return " ('lfbloom remote delete')";
  case LFB_ERROR_REDIS_NO_FILTER:
    return ": choose another name; a filter of the Java helper class opens with --helper, and a "
           "key of the module for Redis is loaded into a file by 'lfbloom convert'";
  case LFB_ERROR_CANNOT_GROW:
    return ": the key is full (BF.RESERVE with NONSCALING), or its server cannot let it grow: load "
           "it into a file, or make a larger one";
  case LFB_ERROR_REDIS_PART:
    return ": restore it from a backup, or delete it ('lfbloom remote delete') and build again";
  case LFB_ERROR_MODULE_MISSING:
    return ": load it there (redis-cli MODULE LOAD FILE), or leave out ?layout=module";
  case LFB_ERROR_MODULE_CHANGED:
    return ": copy the key (redis-cli COPY NAME OTHER), and load the copy";
  case LFB_ERROR_MODULE_FILTER:
    return ": leave out ?layout=module, or build it again from its keys with --strategy fast";
  case LFB_ERROR_OVER_LIMIT:
    return ": raise the limit of the module (redis-cli CONFIG SET lfbloom.max-bytes 0)";
  case LFB_ERROR_BIT_COUNT_DIFFERS:
    return ": give the N and P that it was made for";
  case LFB_ERROR_KEY_NEEDED:
    return ": give --key-file";
  default:
    return "";
  }
}

/* What went wrong, with what the server said about it.  Asked on the thread of the call. */
struct remote_problem {
  char text[512];
};

static struct remote_problem remote_problem(lfb_status status)
{
  struct remote_problem problem;
  const char *said = lfb_redis_last_error(status), *what = lfb_status_text(status);

  if (*said == '\0')
    (void)snprintf(problem.text, sizeof problem.text, "%s", what);
  else
    (void)snprintf(problem.text, sizeof problem.text, "%s (%s)", what, said);
  return problem;
}

/* ---- manner --------------------------------------------------------------------- */

enum {
  REMOTE_PATIENCE = 20 * 1000, /* ms, the default of --timeout      */
  REMOTE_SILENCE = 5000,       /* after this a command is repeated, or a connection made anew */
  REMOTE_UNTOLD = 1000,        /* a shorter wait is not reported    */
};

/* Written before there is another thread. */
static struct remote_manner remote_manner;

void remote_behave(struct remote_manner manner)
{
  remote_manner = manner;
}

/* --timeout, or its default, in ms. */
static uint32_t remote_timeout(void)
{
  return remote_manner.timeout_ms != 0 ? remote_manner.timeout_ms : REMOTE_PATIENCE;
}

/* Whether a signal that would end the program is pending, blocked by target_save(). */
static bool remote_interrupted(void)
{
  sigset_t waiting;

  return sigpending(&waiting) == 0 &&
         (sigismember(&waiting, SIGINT) == 1 || sigismember(&waiting, SIGTERM) == 1 ||
          sigismember(&waiting, SIGHUP) == 1);
}

/* Reports that the tool waits for a server: once for each wait, from any thread. */
static void remote_say_waiting(const char *path, lfb_status why)
{
  static _Atomic(uint64_t) said_until; /* clock_ns() */
  const uint64_t now = clock_ns();
  uint64_t until = atomic_load_explicit(&said_until, memory_order_relaxed);

  /* relaxed, both: any one of several threads reports it, and the value guards no other data. */
  if (now >= until &&
      atomic_compare_exchange_strong_explicit(
          &said_until, &until, now + UINT64_C(1000000) * remote_timeout(),
          memory_order_relaxed, memory_order_relaxed))
    report_note("%s: %s: trying again for up to %g seconds", path, remote_problem(why).text,
                remote_timeout() / 1e3);
}

/* The go_on of lfb_redis_options; `told` is the address.  After a server was given up, the cleanup
 * does not wait for it again. */
static bool remote_go_on(void *told, lfb_status why, uint64_t silent_ms)
{
  static _Atomic(void *) given_up;

  /* relaxed: it guards no other data. */
  if (silent_ms >= remote_timeout())
    atomic_store_explicit(&given_up, told, memory_order_relaxed);
  if (remote_interrupted() || atomic_load_explicit(&given_up, memory_order_relaxed) == told)
    return false;
  if (silent_ms >= REMOTE_UNTOLD)
    remote_say_waiting(told, why);
  return true;
}

/* The moved of lfb_redis_options. */
static bool remote_moved(void *told, uint64_t bytes)
{
  (void)told;
  progress_add(bytes);
  return !remote_interrupted();
}

/* Sets the options from --timeout and --progress. */
static void remote_instruct(const char *path, lfb_redis_options *options)
{
  options->timeout_ms = remote_timeout() < REMOTE_SILENCE ? remote_timeout() : REMOTE_SILENCE;
  options->connect_ms = options->timeout_ms;
  options->retries = UINT32_MAX - 1; /* remote_go_on() ends them */
  options->go_on = remote_go_on;
  options->moved = remote_moved;
  options->told = (char *)(uintptr_t)path;
}

static bool remote_report(const char *path, lfb_status status)
{
  if (!remote_interrupted())
    (void)report_error("%s: %s%s", path, remote_problem(status).text, remote_advice(status));
  return false;
}

/* ---- opening -------------------------------------------------------------------- */

/* A variable of the environment; NULL: it is empty or not set. */
static const char *remote_variable(const char *name)
{
  const char *value = getenv(name);
  return value == NULL || *value == '\0' ? NULL : value;
}

/* Parses the address; takes from the environment what no address holds, and the password if this
 * one has none.  False after a report. */
static bool remote_address(const char *path, lfb_redis_address *address)
{
  const lfb_status status = lfb_redis_parse_url(remote_whole(path), address);

  if (status != LFB_OK)
    return remote_report(path, status);
  lfb_redis_options *options = &address->options;
  if (options->password == NULL)
    options->password = remote_variable("LFBLOOM_REDIS_PASSWORD");
  options->ca_file = remote_variable("LFBLOOM_REDIS_CACERT");
  options->certificate = remote_variable("LFBLOOM_REDIS_CERT");
  options->private_key = remote_variable("LFBLOOM_REDIS_KEY");
  remote_instruct(path, &address->options);
  return true;
}

/* Opens the filter.  If it is being made, waits up to 5 seconds until it is whole. */
static lfb_status remote_open_whole(const lfb_redis_options *options, const char *name,
                                    const lfb_config *wanted, lfb_redis **filter)
{
  const struct timespec pause = {.tv_nsec = 100000000};
  lfb_status status = lfb_redis_open(options, name, wanted, filter);

  for (int pauses = 0; status == LFB_ERROR_REDIS_UNFINISHED && pauses < 50; pauses++) {
    (void)nanosleep(&pause, NULL);
    status = lfb_redis_open(options, name, wanted, filter);
  }
  return status;
}

/* The status of opening the filter. */
static lfb_status remote_look(const lfb_redis_address *address, const lfb_config *wanted)
{
  lfb_redis *filter = NULL;
  const lfb_status status = lfb_redis_open(&address->options, address->name, wanted, &filter);

  lfb_redis_close(filter);
  return status;
}

enum remote_found remote_find(const char *path, const lfb_config *wanted, bool twice,
                              struct remote *remote)
{
  lfb_redis_address address;
  lfb_redis *filter;

  if (!remote_address(path, &address))
    return REMOTE_FAILED;
  const lfb_status status = remote_open_whole(&address.options, address.name, wanted, &filter);
  if (status == LFB_ERROR_REDIS_ABSENT)
    return REMOTE_NOTHING;
  if (status != LFB_OK) {
    (void)remote_report(path, status);
    return REMOTE_FAILED;
  }
  *remote = (struct remote){path, filter, twice};
  return REMOTE_FOUND;
}

bool remote_open(const char *path, const lfb_config *wanted, bool twice, struct remote *remote)
{
  const enum remote_found found = remote_find(path, wanted, twice, remote);

  if (found == REMOTE_NOTHING)
    (void)remote_report(path, LFB_ERROR_REDIS_ABSENT);
  return found == REMOTE_FOUND;
}

bool remote_create(const char *path, const lfb_config *config, bool twice, struct remote *remote)
{
  lfb_config wanted = *config;
  lfb_redis_address address;
  lfb_redis *filter;

  if (!remote_address(path, &address))
    return false;
  lfb_status status = lfb_redis_create(&address.options, address.name, config, 0, &filter);
  if (wanted.strategy != LFB_REDIS_MITZ32)
    wanted.fpp = 0; /* any */
  if (status == LFB_ERROR_REDIS_EXISTS) /* another process made it first */
    status = remote_open_whole(&address.options, address.name, &wanted, &filter);
  if (status != LFB_OK)
    return remote_report(path, status);
  *remote = (struct remote){path, filter, twice};
  return true;
}

void remote_close(struct remote *remote)
{
  lfb_redis_close(remote->filter);
  remote->filter = NULL;
}

/* ---- keys ----------------------------------------------------------------------- */

typedef lfb_status remote_many(lfb_redis *filter, const lfb_key *keys, size_t count,
                               uint64_t *answers, size_t *yes);

/* Writes each key twice in a row to `room`; `doubled` are the doubled keys. */
static void remote_write_twice(const lfb_key *keys, size_t count, char *room, lfb_key *doubled)
{
  for (size_t i = 0; i < count; i++) {
    const size_t size = keys[i].size;
    memcpy(room, keys[i].bytes, size); /* a key from a line is never empty */
    memcpy(room + size, keys[i].bytes, size);
    doubled[i] = (lfb_key){room, 2 * size};
    room += 2 * size;
  }
}

static lfb_status remote_many_twice(remote_many *many, lfb_redis *filter, const lfb_key *keys,
                                    size_t count, uint64_t *answers, size_t *yes)
{
  size_t bytes = 0;

  for (size_t i = 0; i < count; i++)
    bytes += 2 * keys[i].size;
  lfb_key *doubled = malloc(count * sizeof *doubled + bytes);
  if (doubled == NULL)
    return LFB_ERROR_NO_MEMORY;
  remote_write_twice(keys, count, (char *)(doubled + count), doubled);
  const lfb_status status = many(filter, doubled, count, answers, yes);
  free(doubled);
  return status;
}

static bool remote_do(remote_many *many, const struct remote *remote, const lfb_key *keys,
                      size_t count, uint64_t *answers, size_t *yes)
{
  const lfb_status status =
      remote->twice ? remote_many_twice(many, remote->filter, keys, count, answers, yes)
                    : many(remote->filter, keys, count, answers, yes);

  return status == LFB_OK || remote_report(remote->path, status);
}

bool remote_ask(const struct remote *remote, const lfb_key *keys, size_t count,
                uint64_t *answers, size_t *yes)
{
  return remote_do(lfb_redis_might_contain_many, remote, keys, count, answers, yes);
}

bool remote_put(const struct remote *remote, const lfb_key *keys, size_t count,
                uint64_t *answers, size_t *yes)
{
  return remote_do(lfb_redis_put_many, remote, keys, count, answers, yes);
}

/* ---- whole filters ---------------------------------------------------------------- */

bool remote_stats(const struct remote *remote, lfb_stats *stats)
{
  const lfb_status status = lfb_redis_stats(remote->filter, stats);

  return status == LFB_OK || remote_report(remote->path, status);
}

lfb_filter *remote_load(const struct remote *remote)
{
  lfb_filter *local;
  lfb_stats stats;

  lfb_redis_plan(remote->filter, &stats);
  progress_begin(remote_manner.progress, "loading", stats.bytes, PROGRESS_BYTES);
  const lfb_status status = lfb_redis_load(remote->filter, NULL, &local);
  progress_end();
  if (status == LFB_OK)
    return local;
  (void)remote_report(remote->path, status);
  return NULL;
}

/* Whether the status of opening shows that the name is in use. */
static bool remote_is_something(lfb_status status)
{
  return status == LFB_OK ||
         (status >= LFB_ERROR_REDIS_EXISTS && status < LFB_ERROR_REDIS_HOST) ||
         (status < LFB_ERROR_REDIS_ADDRESS && status != LFB_ERROR_NO_MEMORY);
}

bool remote_is_free(const char *path)
{
  lfb_redis_address address;

  if (!remote_address(path, &address))
    return false;
  const lfb_status status = remote_look(&address, NULL);
  const bool other = status != LFB_ERROR_REDIS_PART && remote_is_something(status);
  return status == LFB_ERROR_REDIS_ABSENT ||
         remote_report(path, other ? LFB_ERROR_REDIS_EXISTS : status);
}

bool remote_holds(const char *what, const lfb_stats *planned)
{
  enum { STRING_BYTES = 512 << 20, HEADER = 6 }; /* of the longest Redis string; of Guava's form */
  const lfb_strategy_id strategy = planned->strategy;
  const bool guava = strategy == LFB_GUAVA_MITZ64 || strategy == LFB_GUAVA_MITZ32;

  if (guava && planned->bit_count / 8 > STRING_BYTES - HEADER)
    return report_false("%s: %s: use --strategy fast", what,
                        lfb_status_text(LFB_ERROR_REDIS_TOO_MANY_BITS));
  if (guava || strategy == LFB_FAST || strategy == LFB_FAST_PAIR || strategy == LFB_REDIS_MITZ32)
    return true;
  return report_false("%s: a filter on Redis cannot have strategy %s, and the strategy cannot be "
                      "changed without the keys: build it from the keys, with --strategy fast, "
                      "fast-pair, guava-mitz64, guava-mitz32 or redis-mitz32",
                      what, lfb_strategy_name(strategy));
}

bool remote_is_module(const char *path)
{
  lfb_redis_address address;

  return remote_is(path) && lfb_redis_parse_url(path, &address) == LFB_OK && address.options.module;
}

bool remote_save(const char *path, const lfb_filter *filter)
{
  lfb_redis_address address;
  lfb_stats stats;

  if (!remote_address(path, &address))
    return false;
  lfb_filter_stats(filter, &stats);
  progress_begin(remote_manner.progress, "saving", stats.bytes, PROGRESS_BYTES);
  const lfb_status status = lfb_redis_save(&address.options, address.name, filter, 0);
  progress_end();
  return status == LFB_OK || remote_report(path, status);
}

/* ---- keys of the module -------------------------------------------------------------- */

enum remote_found remote_load_key(const char *path, lfb_redis_module_value *value)
{
  lfb_redis_address address;

  if (!remote_address(path, &address))
    return REMOTE_FAILED;
  progress_begin(remote_manner.progress, "loading", 0, PROGRESS_BYTES);
  const lfb_status status = lfb_redis_module_load(&address.options, address.name, NULL, value);
  progress_end();
  if (status == LFB_OK)
    return REMOTE_FOUND;
  if (status == LFB_ERROR_REDIS_NO_FILTER)
    return REMOTE_NOTHING;
  if (status == LFB_ERROR_REDIS_UNFINISHED)
    (void)report_error("%s: the key is being loaded (BF.LOADCHUNK): load the rest of it, or "
                       "delete it (redis-cli UNLINK NAME)",
                       path);
  else
    (void)remote_report(path, status);
  return REMOTE_FAILED;
}

bool remote_save_key(const char *path, const lfb_redis_module_value *value)
{
  lfb_redis_address address;
  lfb_figures figures;

  if (!remote_address(path, &address))
    return false;
  lfb_any_plan(value->any, &figures);
  progress_begin(remote_manner.progress, "saving", figures.all.bytes, PROGRESS_BYTES);
  const lfb_status status = lfb_redis_module_save(&address.options, address.name, value);
  progress_end();
  return status == LFB_OK || remote_report(path, status);
}

/* ---- deleting ---------------------------------------------------------------------- */

/* Checks a filter before it is deleted.  A string of the Java helper class has no description, so
 * it must at least open as the filter wanted.  Any other filter may be deleted even if it does not
 * open. */
static lfb_status remote_deletable(const lfb_redis_address *address, const lfb_config *wanted)
{
  return wanted->strategy == LFB_REDIS_MITZ32 ? remote_look(address, wanted) : LFB_OK;
}

bool remote_delete(const char *path, const lfb_config *wanted)
{
  lfb_redis_address address;

  if (!remote_address(path, &address))
    return false;
  lfb_status status = remote_deletable(&address, wanted);
  if (status == LFB_OK)
    status = lfb_redis_delete(&address.options, address.name, wanted->strategy);
  return status == LFB_OK || remote_report(path, status);
}
