/*
 * main.c - the guard, a server in front of a table of products: a request for a definitely absent
 * product reaches neither the table nor the caches.
 */
#define _GNU_SOURCE /* getopt_long */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "examples/guard/guard.h"
#include "examples/guard/http.h"
#include "examples/guard/report.h"

enum { MAIN_TROUBLE = 2,
       MAIN_THREADS_MOST = 256,
       MAIN_DELAY_MOST = 10000000 };

struct settings {
  struct guard_config guard;
  const char *address;
  unsigned port;
  char *redis; /* HOST:PORT, cut at the colon; NULL: no cache on Redis */
  bool help;
};

/* Parses a whole number from `least` to `most`; else exits after a report. */
static uint64_t read_number(const char *option, const char *text, uint64_t least, uint64_t most)
{
  char *end;

  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < least || value > most) {
    report("%s takes a number from %llu to %llu, not '%s'", option, (unsigned long long)least,
           (unsigned long long)most, text);
    exit(MAIN_TROUBLE);
  }
  return value;
}

static double read_probability(const char *option, const char *text)
{
  char *end;
  const double value = strtod(text, &end);

  if (end == text || *end != '\0' || !(value > 0 && value < 1)) {
    report("%s takes a probability between 0 and 1, not '%s'", option, text);
    exit(MAIN_TROUBLE);
  }
  return value;
}

static void read_redis(struct settings *settings, const char *text)
{
  free(settings->redis);
  settings->redis = strdup(text);
  char *colon = settings->redis == NULL ? NULL : strrchr(settings->redis, ':');
  if (colon == NULL || colon == settings->redis) {
    report("--redis takes HOST:PORT, not '%s'", text);
    exit(MAIN_TROUBLE);
  }
  *colon = '\0';
  settings->guard.redis_host = settings->redis;
  settings->guard.redis_port = (int)read_number("--redis", colon + 1, 1, 65535);
}

static const char help[] =
    "usage: guard --database FILE [OPTIONS]\n"
    "Serves the products of an SQLite table, created if absent, behind a Bloom filter that\n"
    "refuses ids of products that do not exist.\n"
    "\n"
    "  --database FILE   table products(id INTEGER PRIMARY KEY, body TEXT NOT NULL)\n"
    "  --address A       IPv4 address to listen at (default: 127.0.0.1)\n"
    "  --port N          port to listen at; 0 chooses a free one and prints it (default: 8080)\n"
    "  --threads N       threads that answer requests, at least 2 (default: 4)\n"
    "  --connections N   connections to the table; a lookup waits for one (default: 10)\n"
    "  --delay US        microseconds that each query of the table takes in addition, as if\n"
    "                    it were on another machine (default: 1000; 0: as fast as SQLite is)\n"
    "  --fpp P           share of absent ids that pass the filter, at most about\n"
    "                    (default: 0.001)\n"
    "  --expect N        least capacity of the filter, in products (default: 100000); at a start\n"
    "                    or rebuild it is at least a quarter more than the table has\n"
    "  --cache N         products in the cache of this process (default: 10000)\n"
    "  --redis HOST:PORT cache products on a Redis server too\n"
    "  --ttl SECONDS     how long Redis keeps a product (default: 300)\n"
    "  --follow URL      redis://[[user]:password@]host[:port]/name of a filter that another\n"
    "                    machine publishes (examples/guard:publish).  Its ids pass too, moments\n"
    "                    after it is published.  Without Redis, the last one stays in use.  If\n"
    "                    URL has no password, LFBLOOM_REDIS_PASSWORD in the environment is used\n"
    "  --no-filter       run without the filter, to measure its effect\n"
    "  --help            print this help and exit\n"
    "\n"
    "  GET  /pms/productInfo/ID   a product, or 404; PUT or POST a JSON object writes it\n"
    "  POST /admin/rebuild        rebuilds the filter from the table while requests continue;\n"
    "                             needed after another program has written to the table\n"
    "  GET  /metrics              figures for Prometheus\n"
    "SIGTERM or SIGINT stops it after the requests in progress.\n";

static void read_option(struct settings *settings, int letter)
{
  struct guard_config *guard = &settings->guard;

  switch (letter) {
  case 'd': guard->database = optarg; break;
  case 'a': settings->address = optarg; break;
  case 'p': settings->port = (unsigned)read_number("--port", optarg, 0, 65535); break;
  case 't': guard->threads = (unsigned)read_number("--threads", optarg, 2, MAIN_THREADS_MOST); break;
  case 'k': guard->connections = (unsigned)read_number("--connections", optarg, 1, MAIN_THREADS_MOST); break;
  case 'l': guard->delay_us = (unsigned)read_number("--delay", optarg, 0, MAIN_DELAY_MOST); break;
  case 'f': guard->fpp = read_probability("--fpp", optarg); break;
  case 'e': guard->expect = read_number("--expect", optarg, 1, UINT64_C(1) << 40); break;
  case 'c': guard->cache_entries = read_number("--cache", optarg, 1, UINT64_C(1) << 32); break;
  case 'r': read_redis(settings, optarg); break;
  case 's': guard->redis_seconds = (unsigned)read_number("--ttl", optarg, 1, 86400); break;
  case 'o': guard->follow = optarg; break;
  case 'n': guard->no_filter = true; break;
  case 'h': settings->help = true; break;
  default: exit(MAIN_TROUBLE); /* getopt_long has printed why */
  }
}

static void read_options(struct settings *settings, int argc, char **argv)
{
  static const struct option options[] = {
      {"database", required_argument, NULL, 'd'},
      {"address", required_argument, NULL, 'a'},
      {"port", required_argument, NULL, 'p'},
      {"threads", required_argument, NULL, 't'},
      {"fpp", required_argument, NULL, 'f'},
      {"expect", required_argument, NULL, 'e'},
      {"cache", required_argument, NULL, 'c'},
      {"redis", required_argument, NULL, 'r'},
      {"connections", required_argument, NULL, 'k'},
      {"delay", required_argument, NULL, 'l'},
      {"ttl", required_argument, NULL, 's'},
      {"follow", required_argument, NULL, 'o'},
      {"no-filter", no_argument, NULL, 'n'},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
  };
  int letter;

  while ((letter = getopt_long(argc, argv, "", options, NULL)) != -1)
    read_option(settings, letter);
  if (settings->help || (settings->guard.database != NULL && optind == argc))
    return;
  if (optind < argc)
    report("unexpected operand '%s' (see --help)", argv[optind]);
  else
    report("--database is required (see --help)");
  exit(MAIN_TROUBLE);
}

/* Serves until one of `signals` comes; all threads block them. */
static int serve(const struct settings *settings, const sigset_t *signals)
{
  struct guard *guard = guard_open(&settings->guard);
  struct http *http = guard == NULL ? NULL
                                    : http_start(guard, settings->address, settings->port,
                                                 settings->guard.threads);
  int signal;

  if (http != NULL) {
    printf("listening on %s:%u\n", settings->address, http_port(http));
    fflush(stdout);
    (void)sigwait(signals, &signal);
    http_stop(http);
  }
  guard_close(guard);
  return http != NULL ? EXIT_SUCCESS : MAIN_TROUBLE;
}

int main(int argc, char **argv)
{
  struct settings settings = {.address = "127.0.0.1",
                              .port = 8080,
                              .guard = {.threads = 4,
                                        .connections = 10,
                                        .delay_us = 1000,
                                        .expect = 100000,
                                        .fpp = 0.001,
                                        .cache_entries = 10000,
                                        .redis_seconds = 300}};
  sigset_t signals;

  read_options(&settings, argc, argv);
  if (settings.help) {
    free(settings.redis);
    return fputs(help, stdout) < 0 ? MAIN_TROUBLE : EXIT_SUCCESS;
  }
  /* Before the threads start: they inherit the mask.  SIGPIPE is ignored: a write to a closed
   * connection fails with an error. */
  (void)signal(SIGPIPE, SIG_IGN);
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  (void)pthread_sigmask(SIG_BLOCK, &signals, NULL);
  const int status = serve(&settings, &signals);
  free(settings.redis);
  return status;
}
