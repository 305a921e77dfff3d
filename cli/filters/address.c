/* address.c - addresses of filters on a Redis server or cluster. */
#define _POSIX_C_SOURCE 200809L
#include "cli/filters/address.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/clock.h"
#include "cli/base/numbers.h"
#include "cli/base/progress.h"
#include "cli/base/report.h"

/* ---- addresses ------------------------------------------------------------------ */

/* A copy of an address on the command line, where its password has been blanked. */
struct address_hidden {
  const char *at;
  char *whole;
};

/* Written only by main(), before there is another thread. */
static struct address_hidden *address_hidden;
static size_t address_hidden_count;

bool address_is(const char *path)
{
  static const char *const schemes[] = {
      "redis://", "rediss://", "redis+unix://", "valkey://", "valkeys://", "valkey+unix://"};

  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
    if (strncmp(path, schemes[i], strlen(schemes[i])) == 0)
      return true;
  return false;
}

/* Finds an address in a word of the command line: an operand or an option's value.  NULL: none. */
static char *address_in_word(char *word)
{
  if (address_is(word))
    return word;
  for (char *at = word; word[0] == '-' && *at != '\0'; at++)
    if (address_is(at))
      return at;
  return NULL;
}

/* Replaces the text between `from` and `to` by at most three stars, and moves the rest up. */
static void address_blank(char *from, char *to)
{
  const size_t size = (size_t)(to - from), stars = size < 3 ? size : 3, rest = strlen(to);

  memset(from, '*', stars);
  memmove(from + stars, to, rest + 1);
  memset(from + stars + rest, 0, size - stars);
}

enum { ADDRESS_HELPER = 64 }; /* bytes of "=N,P,twice" */

/* Takes ?helper=VALUE out of an address.  `helper` is then "=VALUE", else "". */
static void address_take_helper(char *address, char helper[ADDRESS_HELPER])
{
  static const char name[] = "helper";
  char *path = strchr(strstr(address, "//") + 2, '/'); /* no password contains a slash */
  char *term = path == NULL ? NULL : strchr(path, '?');

  helper[0] = '\0';
  while (term != NULL && (strncmp(term + 1, name, strlen(name)) != 0 || term[sizeof name] != '='))
    term = strchr(term + 1, '&');
  if (term == NULL)
    return;
  char *value = term + sizeof name, *end = value + strcspn(value, "&");
  (void)snprintf(helper, ADDRESS_HELPER, "%.*s", (int)(end - value), value);
  if (*end == '\0')
    *term = '\0';
  else
    memmove(term + 1, end + 1, strlen(end));
}

/* As lfb_redis_parse_url(), but also of an address with ?helper=VALUE. */
static lfb_status address_parse(const char *address, char helper[ADDRESS_HELPER],
                                lfb_redis_address *at)
{
  char url[LFB_REDIS_URL_SIZE + 2 * ADDRESS_HELPER];

  if (snprintf(url, sizeof url, "%s", address) >= (int)sizeof url)
    return LFB_ERROR_REDIS_ADDRESS;
  address_take_helper(url, helper);
  return lfb_redis_parse_url(url, at);
}

/* Blanks the password of an address.  If the address is malformed, blanks all that may be one. */
static void address_hide(char *address)
{
  char helper[ADDRESS_HELPER];
  lfb_redis_address read;
  char *login = strstr(address, "//") + 2;
  char *path = strchr(login, '/'), *at = NULL;
  const bool known = address_parse(address, helper, &read) == LFB_OK;

  for (char *c = login; *c != '\0' && !(known && c == path); c++)
    if (*c == '@')
      at = c;
  if (at == NULL)
    return;
  char *colon = strchr(login, ':');
  address_blank(colon != NULL && colon < at ? colon + 1 : login, at);
}

bool address_hide_passwords(int argc, char **argv)
{
  address_hidden = calloc((size_t)argc + 1, sizeof *address_hidden);
  bool done = address_hidden != NULL;

  for (int i = 1; done && i < argc; i++) {
    char *address = address_in_word(argv[i]);
    if (address == NULL)
      continue;
    address_hidden[address_hidden_count] = (struct address_hidden){address, strdup(address)};
    done = address_hidden[address_hidden_count++].whole != NULL;
    address_hide(address);
  }
  if (!done)
    (void)report_error("%s", lfb_status_text(LFB_ERROR_NO_MEMORY));
  return done;
}

bool address_fits(const char *command)
{
  static const char *const takers[] = {"build", "query", "claim", "convert", "info", "remote"};

  for (size_t i = 0; i < sizeof takers / sizeof *takers; i++)
    if (address_hidden_count == 0 || strcmp(command, takers[i]) == 0)
      return true;
  return report_false("%s: %s: only query, build, claim, convert and info open filters on Redis: "
                      "'lfbloom convert' fetches it", command, address_hidden[0].at);
}

/* The address with its password. */
static const char *address_whole(const char *path)
{
  for (size_t i = 0; i < address_hidden_count; i++)
    if (address_hidden[i].at == path)
      return address_hidden[i].whole;
  return path;
}

/* ---- reports -------------------------------------------------------------------- */

/* What to do about a status.  "": its text says it, or there is nothing to do. */
static const char *address_advice(lfb_status status)
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
    return " ('lfbloom remote delete'); a key of BF.LOADCHUNK waits for its other chunks";
  case LFB_ERROR_REDIS_NO_FILTER:
    return ": choose another name; a filter of the Java helper class opens with ?helper=N,P";
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
    return ": give the N and P that it was made for (?helper=N,P)";
  case LFB_ERROR_KEY_NEEDED:
    return ": give --key-file";
  default:
    return "";
  }
}

/* What went wrong, with what the server said about it.  Asked on the thread of the call. */
struct address_problem {
  char text[512];
};

static struct address_problem address_problem(lfb_status status)
{
  struct address_problem problem;
  const char *said = lfb_redis_last_error(status), *what = lfb_status_text(status);

  if (*said == '\0')
    (void)snprintf(problem.text, sizeof problem.text, "%s", what);
  else
    (void)snprintf(problem.text, sizeof problem.text, "%s (%s)", what, said);
  return problem;
}

/* ---- manner --------------------------------------------------------------------- */

enum {
  ADDRESS_PATIENCE = 20 * 1000, /* ms, the default of --timeout      */
  ADDRESS_SILENCE = 5000,       /* after this a command is repeated, or a connection made anew */
  ADDRESS_UNTOLD = 1000,        /* a shorter wait is not reported    */
};

struct address_manner address_manner;

/* --timeout, or its default, in ms. */
static uint32_t address_timeout(void)
{
  return address_manner.timeout_ms != 0 ? address_manner.timeout_ms : ADDRESS_PATIENCE;
}

/* Whether a signal that would end the program is pending, blocked by target_save(). */
static bool address_interrupted(void)
{
  sigset_t waiting;

  return sigpending(&waiting) == 0 &&
         (sigismember(&waiting, SIGINT) == 1 || sigismember(&waiting, SIGTERM) == 1 ||
          sigismember(&waiting, SIGHUP) == 1);
}

/* Reports that the tool waits for a server: once for each wait, from any thread. */
static void address_say_waiting(const char *path, lfb_status why)
{
  static _Atomic(uint64_t) said_until; /* clock_ns() */
  const uint64_t now = clock_ns();
  uint64_t until = atomic_load_explicit(&said_until, memory_order_relaxed);

  /* relaxed, both: any one of several threads reports it, and the value guards no other data. */
  if (now >= until &&
      atomic_compare_exchange_strong_explicit(
          &said_until, &until, now + UINT64_C(1000000) * address_timeout(),
          memory_order_relaxed, memory_order_relaxed))
    report_note("%s: %s: trying again for up to %g seconds", path, address_problem(why).text,
                address_timeout() / 1e3);
}

/* The go_on of lfb_redis_options; `told` is the address.  After a server was given up, the cleanup
 * does not wait for it again. */
static bool address_go_on(void *told, lfb_status why, uint64_t silent_ms)
{
  static _Atomic(void *) given_up;

  /* relaxed: it guards no other data. */
  if (silent_ms >= address_timeout())
    atomic_store_explicit(&given_up, told, memory_order_relaxed);
  if (address_interrupted() || atomic_load_explicit(&given_up, memory_order_relaxed) == told)
    return false;
  if (silent_ms >= ADDRESS_UNTOLD)
    address_say_waiting(told, why);
  return true;
}

/* The moved of lfb_redis_options. */
static bool address_moved(void *told, uint64_t bytes)
{
  (void)told;
  progress_add(bytes);
  return !address_interrupted();
}

/* Sets the options from --timeout and --progress. */
static void address_instruct(const char *path, lfb_redis_options *options)
{
  options->timeout_ms = address_timeout() < ADDRESS_SILENCE ? address_timeout() : ADDRESS_SILENCE;
  options->connect_ms = options->timeout_ms;
  options->retries = UINT32_MAX - 1; /* address_go_on() ends them */
  options->go_on = address_go_on;
  options->moved = address_moved;
  options->told = (char *)(uintptr_t)path;
}

bool address_report(const char *path, lfb_status status)
{
  if (!address_interrupted())
    (void)report_error("%s: %s%s", path, address_problem(status).text, address_advice(status));
  return false;
}

/* ---- opening -------------------------------------------------------------------- */

/* A variable of the environment; NULL: it is empty or not set. */
static const char *address_variable(const char *name)
{
  const char *value = getenv(name);
  return value == NULL || *value == '\0' ? NULL : value;
}

/* Reads "=N,P" or "=N,P,twice".  False after a report. */
static bool address_read_helper(const char *path, char *text, struct address *address)
{
  char *keys = text + 1, *fpp = strchr(keys, ',');
  char *twice = fpp == NULL ? NULL : strchr(fpp + 1, ',');
  lfb_config *made = &address->helper;

  address->twice = twice != NULL;
  if (fpp != NULL)
    *fpp++ = '\0';
  if (twice != NULL)
    *twice++ = '\0';
  made->strategy = LFB_REDIS_MITZ32;
  if (fpp != NULL && numbers_whole(keys, &made->expected_insertions) == NUMBERS_OK &&
      numbers_probability(fpp, &made->fpp) && made->fpp > 0 && made->fpp < 1 &&
      (twice == NULL || strcmp(twice, "twice") == 0))
    return true;
  return report_false("%s: helper is not N,P or N,P,twice, such as ?helper=1M,0.01", path);
}

bool address_read(const char *path, struct address *address)
{
  char helper[ADDRESS_HELPER];

  *address = (struct address){.twice = false};
  const lfb_status status = address_parse(address_whole(path), helper, &address->at);
  if (status != LFB_OK)
    return address_report(path, status);
  lfb_redis_options *options = &address->at.options;
  if (options->password == NULL)
    options->password = address_variable("LFBLOOM_REDIS_PASSWORD");
  options->ca_file = address_variable("LFBLOOM_REDIS_CACERT");
  options->certificate = address_variable("LFBLOOM_REDIS_CERT");
  options->private_key = address_variable("LFBLOOM_REDIS_KEY");
  address_instruct(path, options);
  return helper[0] == '\0' || address_read_helper(path, helper, address);
}

bool address_is_module(const char *path)
{
  char helper[ADDRESS_HELPER];
  lfb_redis_address at;

  return address_is(path) && address_parse(path, helper, &at) == LFB_OK && at.options.module;
}
