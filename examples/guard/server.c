/*
 * server.c - the guard as an HTTP server: asks the filter, the cache and the database, and counts
 * which of them answered.
 */
#define _GNU_SOURCE /* getopt_long, open_memstream */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "examples/guard/guard.h"

enum { SERVER_TROUBLE = 2, SERVER_BODY_MOST = 65536 };

/* One row per figure: what a stage answered. */
#define FIGURES(X)        \
  X(filter_refused)       \
  X(filter_passed)        \
  X(cache_found)          \
  X(cache_missed)         \
  X(cache_down)           \
  X(database_found)       \
  X(database_missed)      \
  X(database_down)

enum figure {
#define X(name) FIGURE_##name,
  FIGURES(X)
#undef X
  FIGURE_COUNT
};

struct guard {
  struct database *database;
  struct cache *cache; /* NULL: none, to measure */
  struct gate *gate;
  bool no_filter;      /* to measure */
  _Atomic(uint64_t) figures[FIGURE_COUNT];
};

void report(const char *format, ...)
{
  va_list arguments;
  char line[512];

  va_start(arguments, format);
  (void)vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  (void)fprintf(stderr, "guard: %s\n", line); /* one call: lines of threads do not mix */
}

bool body_copy(struct body *body, const void *bytes, size_t size)
{
  body->bytes = malloc(size + 1);
  body->size = size;
  if (body->bytes != NULL && size > 0)
    memcpy(body->bytes, bytes, size);
  return body->bytes != NULL;
}

/* ---- the stages ------------------------------------------------------------------------------ */

static void guard_count(struct guard *guard, enum figure figure)
{
  /* relaxed: a figure on which nothing depends. */
  atomic_fetch_add_explicit(&guard->figures[figure], 1, memory_order_relaxed);
}

static bool guard_refuses(struct guard *guard, int64_t id)
{
  const bool refused = !guard->no_filter && !gate_may_have(guard->gate, id);

  guard_count(guard, refused ? FIGURE_filter_refused : FIGURE_filter_passed);
  return refused;
}

/* The figures of a stage's answers follow one another as enum answer does. */
static enum answer guard_get(struct guard *guard, int64_t id, struct body *body)
{
  enum answer cached = ANSWER_BROKEN;
  uint64_t family = 0;

  if (guard_refuses(guard, id))
    return ANSWER_NONE;
  if (guard->cache != NULL) {
    cached = cache_get(guard->cache, id, body, &family);
    guard_count(guard, FIGURE_cache_found + (unsigned)cached);
  }
  if (cached == ANSWER_FOUND)
    return cached;
  const enum answer answer = database_get(guard->database, id, body);
  guard_count(guard, FIGURE_database_found + (unsigned)answer);
  if (answer == ANSWER_FOUND && cached == ANSWER_NONE)
    cache_fill(guard->cache, id, body, family);
  return answer;
}

/* The database before the filter, so that a rebuild misses no id (lfbloom/versions.h, 3).  The
 * database before the cache, so that nothing old is read after it has forgotten. */
static bool guard_put(struct guard *guard, int64_t id, const struct body *body)
{
  if (!database_put(guard->database, id, body->bytes, body->size))
    return false;
  gate_put(guard->gate, id);
  if (guard->cache != NULL)
    cache_forget(guard->cache, id);
  return true;
}

static void guard_print(struct guard *guard, FILE *to)
{
  static const char *const names[] = {
#define X(name) #name,
      FIGURES(X)
#undef X
  };

  for (int at = 0; at < FIGURE_COUNT; at++)
    fprintf(to, "guard_%s_total %" PRIu64 "\n", names[at],
            atomic_load_explicit(&guard->figures[at], memory_order_relaxed));
  gate_print(guard->gate, to);
}

/* ---- HTTP ------------------------------------------------------------------------------------ */

/* A request, from its headers until its answer is sent. */
struct request {
  struct guard *guard;
  struct MHD_Connection *connection;
  const char *method;
  struct body body; /* received so far */
};

/* Sends an answer, and frees its body. */
static enum MHD_Result answer_send(const struct request *request, unsigned status,
                                   struct body body)
{
  struct MHD_Response *response =
      MHD_create_response_from_buffer(body.size, body.bytes, MHD_RESPMEM_MUST_FREE);
  if (response == NULL) {
    free(body.bytes);
    return MHD_NO; /* closes the connection */
  }
  const enum MHD_Result queued = MHD_queue_response(request->connection, status, response);
  MHD_destroy_response(response);
  return queued;
}

static enum MHD_Result answer_say(const struct request *request, unsigned status,
                                  const char *text)
{
  struct body body;

  return body_copy(&body, text, strlen(text)) ? answer_send(request, status, body) : MHD_NO;
}

static bool request_is(const struct request *request, const char *method)
{
  return strcmp(request->method, method) == 0;
}

/* Parses a product's id, from 1 on; each id has one spelling. */
static bool read_id(const char *text, int64_t *id)
{
  const size_t digits = strspn(text, "0123456789");

  errno = 0;
  *id = strtoll(text, NULL, 10);
  return digits > 0 && text[digits] == '\0' && text[0] != '0' && errno == 0;
}

static enum MHD_Result request_get(const struct request *request, int64_t id)
{
  struct body body;

  switch (guard_get(request->guard, id, &body)) {
  case ANSWER_FOUND: return answer_send(request, MHD_HTTP_OK, body);
  case ANSWER_NONE: return answer_say(request, MHD_HTTP_NOT_FOUND, "no such product\n");
  default: return answer_say(request, MHD_HTTP_SERVICE_UNAVAILABLE, "no database\n");
  }
}

static enum MHD_Result request_product(const struct request *request, const char *text)
{
  int64_t id;

  if (!read_id(text, &id))
    return answer_say(request, MHD_HTTP_BAD_REQUEST, "an id is a number from 1 to 2^63 - 1\n");
  if (request_is(request, "GET"))
    return request_get(request, id);
  if (!request_is(request, "PUT"))
    return answer_say(request, MHD_HTTP_METHOD_NOT_ALLOWED, "GET or PUT\n");
  if (request->body.size == 0 || request->body.size > SERVER_BODY_MOST)
    return answer_say(request, MHD_HTTP_CONTENT_TOO_LARGE, "a product has 1 to 65536 bytes\n");
  return guard_put(request->guard, id, &request->body)
             ? answer_say(request, MHD_HTTP_OK, "written\n")
             : answer_say(request, MHD_HTTP_SERVICE_UNAVAILABLE, "no database\n");
}

static enum MHD_Result request_metrics(const struct request *request)
{
  struct body body;
  FILE *to = open_memstream(&body.bytes, &body.size);

  if (to == NULL)
    return MHD_NO;
  guard_print(request->guard, to);
  return fclose(to) == 0 ? answer_send(request, MHD_HTTP_OK, body) : MHD_NO;
}

static enum MHD_Result request_answer(const struct request *request, const char *path)
{
  static const char products[] = "/pms/productInfo/";

  if (strncmp(path, products, sizeof products - 1) == 0)
    return request_product(request, path + sizeof products - 1);
  if (strcmp(path, "/metrics") == 0 && request_is(request, "GET"))
    return request_metrics(request);
  if (strcmp(path, "/admin/rebuild") != 0 || !request_is(request, "POST"))
    return answer_say(request, MHD_HTTP_NOT_FOUND, "no such resource\n");
  gate_rebuild(request->guard->gate);
  return answer_say(request, MHD_HTTP_ACCEPTED, "rebuilding\n");
}

/* Appends a part of the body; of one that is too large, only its size counts. */
static bool request_add(struct request *request, const char *bytes, size_t size)
{
  struct body *body = &request->body;

  if (body->bytes == NULL)
    body->bytes = malloc(SERVER_BODY_MOST);
  if (body->bytes == NULL)
    return false;
  if (body->size <= SERVER_BODY_MOST && size <= SERVER_BODY_MOST - body->size)
    memcpy(body->bytes + body->size, bytes, size);
  body->size += size;
  return true;
}

/* libmicrohttpd calls this for a request's headers, for each part of its body, and at its end. */
static enum MHD_Result server_handle(void *guard, struct MHD_Connection *connection,
                                     const char *path, const char *method, const char *version,
                                     const char *bytes, size_t *size, void **state)
{
  struct request *request = *state;

  (void)version;
  if (request == NULL) {
    *state = request = malloc(sizeof *request);
    if (request != NULL)
      *request = (struct request){guard, connection, method, {NULL, 0}};
    return request != NULL ? MHD_YES : MHD_NO;
  }
  if (*size == 0)
    return request_answer(request, path);
  const bool added = request_add(request, bytes, *size);
  *size = 0;
  return added ? MHD_YES : MHD_NO;
}

static void server_end(void *guard, struct MHD_Connection *connection, void **state,
                       enum MHD_RequestTerminationCode how)
{
  struct request *request = *state;

  (void)guard;
  (void)connection;
  (void)how;
  if (request != NULL)
    free(request->body.bytes);
  free(request);
}

/* ---- the program ----------------------------------------------------------------------------- */

static const char usage[] =
    "usage: guard --database FILE [OPTIONS]\n"
    "Serves the products of an SQLite table behind a filter of their ids.\n"
    "\n"
    "  --database FILE   with table products(id INTEGER PRIMARY KEY, body BLOB NOT NULL), which\n"
    "                    is made if there is none\n"
    "  --redis PORT      cache products on the Redis server of this machine\n"
    "  --port N          port to listen at; 0 takes a free one and prints it (default: 8080)\n"
    "  --threads N       threads that answer, each with a connection to the database and to\n"
    "                    Redis, at least 2 (default: 4)\n"
    "  --delay US        microseconds that a query takes in addition, as if the database were\n"
    "                    on another machine (default: 1000)\n"
    "  --expect N        room for so many products at least; a rebuild has room for a quarter\n"
    "                    more than there are (default: 100000)\n"
    "  --fpp P           share of absent ids that the filter lets pass (default: 0.001)\n"
    "  --no-filter       let all ids pass, to measure what the filter is for\n"
    "\n"
    "  GET, PUT /pms/productInfo/ID   a product\n"
    "  POST /admin/rebuild            fills a new filter from the table, and swaps it in; needed\n"
    "                                 after another program wrote to the table\n"
    "  GET /metrics                   figures for Prometheus\n";

struct settings {
  const char *database;
  unsigned redis, port, threads, delay_us; /* redis 0: no cache */
  uint64_t expect;
  double fpp;
  bool no_filter;
};

/* Parses a whole number from `least` to `most`; else exits after a report. */
static uint64_t read_number(const char *text, uint64_t least, uint64_t most)
{
  char *end;

  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && value >= least &&
      value <= most)
    return value;
  report("'%s' is not a number from %" PRIu64 " to %" PRIu64, text, least, most);
  exit(SERVER_TROUBLE);
}

static double read_probability(const char *text)
{
  char *end;
  const double value = strtod(text, &end);

  if (*end == '\0' && value > 0 && value < 1)
    return value;
  report("'%s' is not a probability between 0 and 1", text);
  exit(SERVER_TROUBLE);
}

static void read_options(struct settings *settings, int argc, char **argv)
{
  static const struct option options[] = {
      {"database", required_argument, NULL, 'd'}, {"redis", required_argument, NULL, 'r'},
      {"port", required_argument, NULL, 'p'},     {"threads", required_argument, NULL, 't'},
      {"delay", required_argument, NULL, 'l'},    {"expect", required_argument, NULL, 'e'},
      {"fpp", required_argument, NULL, 'f'},      {"no-filter", no_argument, NULL, 'n'},
      {NULL, 0, NULL, 0},
  };
  int letter;

  while ((letter = getopt_long(argc, argv, "", options, NULL)) != -1) {
    switch (letter) {
    case 'd': settings->database = optarg; break;
    case 'r': settings->redis = (unsigned)read_number(optarg, 1, 65535); break;
    case 'p': settings->port = (unsigned)read_number(optarg, 0, 65535); break;
    case 't': settings->threads = (unsigned)read_number(optarg, 2, 256); break;
    case 'l': settings->delay_us = (unsigned)read_number(optarg, 0, 10000000); break;
    case 'e': settings->expect = read_number(optarg, 1, UINT64_C(1) << 40); break;
    case 'f': settings->fpp = read_probability(optarg); break;
    case 'n': settings->no_filter = true; break;
    default: exit(SERVER_TROUBLE); /* getopt_long has printed why */
    }
  }
  if (settings->database != NULL && optind == argc)
    return;
  (void)fputs(usage, stderr);
  exit(SERVER_TROUBLE);
}

/* Serves until SIGTERM or SIGINT, which all threads block. */
static int serve(struct guard *guard, const struct settings *settings, const sigset_t *signals)
{
  const struct sockaddr_in at = {.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)settings->port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG, 0, NULL, NULL, server_handle, guard,
      MHD_OPTION_SOCK_ADDR, (const struct sockaddr *)&at, MHD_OPTION_THREAD_POOL_SIZE,
      settings->threads, MHD_OPTION_NOTIFY_COMPLETED, server_end, NULL, MHD_OPTION_END);
  int caught;

  if (daemon == NULL) {
    report("cannot listen at 127.0.0.1:%u", settings->port);
    return SERVER_TROUBLE;
  }
  printf("listening on 127.0.0.1:%u\n",
         MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
  (void)fflush(stdout);
  (void)sigwait(signals, &caught);
  MHD_stop_daemon(daemon);
  return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
  struct settings settings = {
      .port = 8080, .threads = 4, .delay_us = 1000, .expect = 100000, .fpp = 0.001};
  static struct guard guard;
  sigset_t signals;
  int status = SERVER_TROUBLE;

  read_options(&settings, argc, argv);
  (void)signal(SIGPIPE, SIG_IGN);
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  (void)pthread_sigmask(SIG_BLOCK, &signals, NULL); /* the threads inherit it */
  guard.no_filter = settings.no_filter;
  guard.database = database_open(settings.database, settings.delay_us);
  if (settings.redis != 0)
    guard.cache = cache_open("127.0.0.1", (int)settings.redis, 300);
  if (guard.database == NULL || (guard.cache == NULL && settings.redis != 0))
    report("out of memory");
  else if ((guard.gate = gate_open(guard.database, settings.expect, settings.fpp)) != NULL)
    status = serve(&guard, &settings, &signals);
  gate_close(guard.gate); /* first: its thread reads the database */
  cache_close(guard.cache);
  database_close(guard.database);
  return status;
}
