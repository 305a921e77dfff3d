/*
 * flood.c - floods a guard with requests for products that do not exist, among requests for some
 * that do, and measures how long both take.
 *
 * Products have the even ids from 2 to 2 * PRODUCTS; odd ids are absent.  Each connection is a
 * thread that sends one request after the other, for a random id.
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "examples/guard/clock.h"
#include "examples/guard/products.h"
#include "examples/guard/report.h"

enum {
  FLOOD_TROUBLE = 2,
  FLOOD_MOST_CONNECTIONS = 1024,
  FLOOD_MOST_SECONDS = 3600,
  FLOOD_ANSWER = 4096, /* bytes of an answer, at most               */
  FLOOD_TIMES = 4096,  /* rows of the table of times, 1/16 of a doubling each */
};

static const char usage[] =
    "usage: flood fill DATABASE PRODUCTS\n"
    "       flood ask ADDRESS:PORT PRODUCTS ABSENT CONNECTIONS SECONDS\n"
    "fill writes products to the guard's table.  ask sends requests to a guard; ABSENT of 100 are\n"
    "for ids that no product has.  It exits with 1 if an answer was wrong.\n";

/* How long answers of one kind took. */
struct times {
  uint64_t count;
  uint64_t rows[FLOOD_TIMES]; /* of answers, by times_row() */
};

enum kind { KIND_PRODUCT,
            KIND_ABSENT,
            KINDS };

struct flood {
  struct sockaddr_in server;
  uint64_t products;
  uint64_t absent; /* percent             */
  uint64_t seconds;
  uint64_t end; /* of CLOCK_MONOTONIC */
};

/* A connection. */
struct asker {
  pthread_t thread;
  const struct flood *flood;
  uint64_t random;
  int socket;
  uint64_t wrong;
  struct times times[KINDS];
};

/* ---- times ---------------------------------------------------------------- */

/* Sixteen rows per doubling: exact to 6 %. */
static unsigned times_row(uint64_t ns)
{
  const uint64_t least = ns | 16;
  const unsigned doublings = 63 - (unsigned)__builtin_clzll(least) - 4;

  return 16 * doublings + (unsigned)(least >> doublings) - 16;
}

static double times_of_row(unsigned row)
{
  return (double)(16 + row % 16) * (double)(UINT64_C(1) << row / 16);
}

/* The time below which a share of the answers took, in milliseconds. */
static double times_share(const struct times *times, double share)
{
  uint64_t seen = 0;
  unsigned row = 0;

  while (row + 1 < FLOOD_TIMES && (double)(seen += times->rows[row]) < share * (double)times->count)
    row++;
  return 1e-6 * times_of_row(row);
}

static void times_print(const char *what, const struct times *times, uint64_t seconds)
{
  printf("%-10s %9.0f/s, median %.2f ms, 99 %% %.2f ms\n", what,
         (double)times->count / (double)seconds, times_share(times, 0.5),
         times_share(times, 0.99));
}

/* ---- one request ---------------------------------------------------------- */

static uint64_t asker_random(struct asker *asker)
{
  uint64_t z = asker->random += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */

  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static bool asker_send(const struct asker *asker, const char *text, size_t size)
{
  while (size > 0) {
    const ssize_t sent = send(asker->socket, text, size, MSG_NOSIGNAL);
    if (sent <= 0)
      return false;
    text += sent;
    size -= (size_t)sent;
  }
  return true;
}

/* Returns whether the answer is complete: its head, and as many bytes as the head states. */
static bool answer_is_whole(const char *answer, size_t size)
{
  const char *body = strstr(answer, "\r\n\r\n"), *length = strstr(answer, "Content-Length: ");

  return body != NULL && length != NULL && length < body &&
         (size_t)(answer + size - body - 4) >= strtoul(length + 16, NULL, 10);
}

/* Returns the answer's status; 0: the connection is lost. */
static long asker_receive(const struct asker *asker)
{
  char answer[FLOOD_ANSWER];
  size_t size = 0;

  do {
    const ssize_t got = recv(asker->socket, answer + size, sizeof answer - 1 - size, 0);
    if (got <= 0)
      return 0;
    size += (size_t)got;
    answer[size] = '\0';
  } while (!answer_is_whole(answer, size));
  return strncmp(answer, "HTTP/1.1 ", 9) == 0 ? strtol(answer + 9, NULL, 10) : 0;
}

/* Makes one request; false: the connection is lost. */
static bool asker_ask(struct asker *asker)
{
  const struct flood *flood = asker->flood;
  const enum kind kind = asker_random(asker) % 100 < flood->absent ? KIND_ABSENT : KIND_PRODUCT;
  const uint64_t id = kind == KIND_ABSENT ? asker_random(asker) >> 1 | 1
                                          : 2 * (1 + asker_random(asker) % flood->products);
  char text[128];

  const int size = snprintf(text, sizeof text,
                            "GET /pms/productInfo/%" PRIu64 " HTTP/1.1\r\nHost: guard\r\n\r\n", id);
  const uint64_t began = clock_ns(CLOCK_MONOTONIC);
  const long status = asker_send(asker, text, (size_t)size) ? asker_receive(asker) : 0;
  if (status == 0)
    return false;
  asker->times[kind].rows[times_row(clock_ns(CLOCK_MONOTONIC) - began)]++;
  asker->times[kind].count++;
  asker->wrong += status != (kind == KIND_ABSENT ? 404 : 200);
  return true;
}

/* ---- all of them ---------------------------------------------------------- */

static void *asker_run(void *self)
{
  struct asker *asker = self;

  while (clock_ns(CLOCK_MONOTONIC) < asker->flood->end)
    if (!asker_ask(asker)) {
      asker->wrong++;
      report("flood: the connection is lost");
      break;
    }
  return NULL;
}

static bool asker_connect(struct asker *asker)
{
  const struct sockaddr_in *server = &asker->flood->server;

  asker->socket = socket(AF_INET, SOCK_STREAM, 0);
  /* One request after each connect: then the guard's threads share the connections better. */
  if (asker->socket >= 0 &&
      connect(asker->socket, (const struct sockaddr *)server, sizeof *server) == 0 &&
      asker_ask(asker))
    return true;
  report("flood: %s", strerror(errno));
  return false;
}

/* Runs the connections; returns how many answers were wrong. */
static uint64_t flood_run(struct flood *flood, struct asker *askers, unsigned count)
{
  unsigned started = 0;
  uint64_t wrong = 0;

  flood->end = clock_ns(CLOCK_MONOTONIC) + flood->seconds * UINT64_C(1000000000);
  while (started < count &&
         pthread_create(&askers[started].thread, NULL, asker_run, &askers[started]) == 0)
    started++;
  for (unsigned i = 0; i < started; i++)
    (void)pthread_join(askers[i].thread, NULL);
  for (unsigned i = 0; i < started; i++)
    wrong += askers[i].wrong;
  return wrong + (count - started);
}

/* Adds up the connections' times in the first one. */
static void flood_print(const struct flood *flood, struct asker *askers, unsigned count)
{
  struct times *sums = askers[0].times;

  for (unsigned i = 1; i < count; i++)
    for (unsigned kind = 0; kind < KINDS; kind++) {
      sums[kind].count += askers[i].times[kind].count;
      for (unsigned row = 0; row < FLOOD_TIMES; row++)
        sums[kind].rows[row] += askers[i].times[kind].rows[row];
    }
  times_print("products", &sums[KIND_PRODUCT], flood->seconds);
  times_print("absent ids", &sums[KIND_ABSENT], flood->seconds);
}

static int flood_ask(struct flood *flood, unsigned count)
{
  struct asker *askers = calloc(count, sizeof *askers);
  unsigned connected = 0;
  uint64_t wrong = 0;

  if (askers == NULL) {
    report("flood: out of memory");
    return FLOOD_TROUBLE;
  }
  for (bool fine = true; fine && connected < count; connected += fine) {
    askers[connected].flood = flood;
    askers[connected].random = connected;
    fine = asker_connect(&askers[connected]);
  }
  if (connected == count)
    wrong = flood_run(flood, askers, count);
  if (connected == count)
    flood_print(flood, askers, count);
  for (unsigned i = 0; i < count; i++)
    if (i < connected)
      (void)close(askers[i].socket);
  free(askers);
  if (wrong != 0)
    report("flood: %" PRIu64 " answers were wrong or lost", wrong);
  return connected < count ? FLOOD_TROUBLE : wrong == 0 ? EXIT_SUCCESS
                                                        : EXIT_FAILURE;
}

static int flood_fill(const char *path, uint64_t count)
{
  struct products *products = products_open(path, 1, 0);
  bool fine = products != NULL;

  for (uint64_t id = 2; fine && id <= 2 * count; id += 2) {
    char body[64];
    const int size = snprintf(body, sizeof body, "{\"id\":%" PRIu64 "}", id);
    fine = products_put(products, (int64_t)id, body, (size_t)size);
  }
  products_close(products);
  return fine ? EXIT_SUCCESS : FLOOD_TROUBLE;
}

/* Parses a whole number from `least` to `most`; else exits after a report. */
static uint64_t read_number(const char *what, const char *text, uint64_t least, uint64_t most)
{
  char *end;

  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && value >= least &&
      value <= most)
    return value;
  report("flood: %s is a number from %" PRIu64 " to %" PRIu64 ", not '%s'", what, least, most,
         text);
  exit(FLOOD_TROUBLE);
}

static void read_server(const char *text, struct sockaddr_in *server)
{
  char address[INET_ADDRSTRLEN];
  const char *colon = strrchr(text, ':');
  const size_t size = colon == NULL ? 0 : (size_t)(colon - text);

  if (size > 0 && size < sizeof address) {
    memcpy(address, text, size);
    address[size] = '\0';
    server->sin_family = AF_INET;
    server->sin_port = htons((uint16_t)read_number("PORT", colon + 1, 1, UINT16_MAX));
    if (inet_pton(AF_INET, address, &server->sin_addr) == 1)
      return;
  }
  report("flood: '%s' is no ADDRESS:PORT, such as 127.0.0.1:8080", text);
  exit(FLOOD_TROUBLE);
}

int main(int argc, char **argv)
{
  const bool fill = argc == 4 && strcmp(argv[1], "fill") == 0;
  struct flood flood = {0};

  if (!fill && (argc != 7 || strcmp(argv[1], "ask") != 0)) {
    fputs(usage, stderr);
    return FLOOD_TROUBLE;
  }
  flood.products = read_number("PRODUCTS", argv[3], 1, UINT32_MAX);
  if (fill)
    return flood_fill(argv[2], flood.products);
  read_server(argv[2], &flood.server);
  flood.absent = read_number("ABSENT", argv[4], 0, 100);
  flood.seconds = read_number("SECONDS", argv[6], 1, FLOOD_MOST_SECONDS);
  return flood_ask(&flood,
                   (unsigned)read_number("CONNECTIONS", argv[5], 1, FLOOD_MOST_CONNECTIONS));
}
