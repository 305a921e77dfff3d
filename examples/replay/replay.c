/*
 * replay.c - a replay guard: a TCP server that accepts each token once within a span.
 *
 * Each line of a client is a token.  The answer is "ok" to one client that sends it first, and
 * "replay" to all others until the span is over.  The threads share a window, and take no lock; a
 * thread of the library ends its generations.
 *
 * Each thread serves one client at a time, so an idle client is disconnected.  examples/server shows
 * how a thread serves many.
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <lfbloom/window.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum {
  REPLAY_TROUBLE = 2,
  REPLAY_THREADS_MOST = 256,
  REPLAY_LINE_MOST = 4096, /* bytes of a line with its newline       */
  REPLAY_ANSWER_MOST = 8,  /* bytes of an answer with newline and NUL */
  REPLAY_IDLE = 30,        /* seconds that a client may keep a thread waiting */
};

struct replay {
  lfb_window *used; /* tokens */
  int listening;
};

/* A client's lines that were received and not answered. */
struct client {
  int socket;
  size_t in; /* bytes in `input` */
  char input[REPLAY_LINE_MOST];
};

static int complain(const char *what, const char *why)
{
  fprintf(stderr, "replay: %s: %s\n", what, why);
  return REPLAY_TROUBLE;
}

/* Sends all bytes; returns false if the client has gone or does not read. */
static bool client_send(const struct client *client, const char *bytes, size_t size)
{
  while (size > 0) {
    const ssize_t sent = send(client->socket, bytes, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent < 0)
      return false;
    bytes += sent;
    size -= (size_t)sent;
  }
  return true;
}

/* Answers the complete lines, and keeps the rest. */
static bool client_answer(struct client *client, lfb_window *used)
{
  char output[REPLAY_LINE_MOST * REPLAY_ANSWER_MOST];
  size_t begin = 0, out = 0;
  const char *end;

  while ((end = memchr(client->input + begin, '\n', client->in - begin)) != NULL) {
    const char *token = client->input + begin;
    const bool first = lfb_window_claim(used, token, (size_t)(end - token));
    out += (size_t)snprintf(output + out, sizeof output - out, first ? "ok\n" : "replay\n");
    begin = (size_t)(end + 1 - client->input);
  }
  client->in -= begin;
  memmove(client->input, client->input + begin, client->in);
  return client_send(client, output, out);
}

/* Serves a client until it goes, is idle, or sends a line that is too long. */
static void client_serve(struct client *client, lfb_window *used)
{
  bool goes_on = true;

  while (goes_on && client->in < sizeof client->input) {
    const ssize_t got = recv(client->socket, client->input + client->in,
                             sizeof client->input - client->in, 0);
    if (got > 0)
      client->in += (size_t)got;
    goes_on = got > 0 ? client_answer(client, used) : got < 0 && errno == EINTR;
  }
}

/* Accepts one client after another, forever. */
static void *replay_work(void *shared)
{
  const struct replay *replay = shared;
  const struct timeval idle = {REPLAY_IDLE, 0};
  const struct timespec moment = {0, 10000000};

  for (;;) {
    struct client client = {.socket = accept(replay->listening, NULL, NULL), .in = 0};
    if (client.socket < 0) {
      (void)nanosleep(&moment, NULL); /* no descriptor is left: accept() would fail at once again */
      continue;
    }
    if (setsockopt(client.socket, SOL_SOCKET, SO_RCVTIMEO, &idle, sizeof idle) == 0 &&
        setsockopt(client.socket, SOL_SOCKET, SO_SNDTIMEO, &idle, sizeof idle) == 0)
      client_serve(&client, replay->used);
    (void)close(client.socket);
  }
  return NULL;
}

/* Listens on 127.0.0.1; port 0 becomes a free one. */
static bool replay_listen(struct replay *replay, uint16_t *port)
{
  struct sockaddr_in at = {.sin_family = AF_INET,
                           .sin_port = htons(*port),
                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof at;
  const int yes = 1;

  replay->listening = socket(AF_INET, SOCK_STREAM, 0);
  if (replay->listening < 0 ||
      setsockopt(replay->listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(replay->listening, (const struct sockaddr *)&at, sizeof at) != 0 ||
      listen(replay->listening, SOMAXCONN) != 0 ||
      getsockname(replay->listening, (struct sockaddr *)&at, &size) != 0)
    return false;
  *port = ntohs(at.sin_port);
  return true;
}

/* Serves until a signal ends the program.  Returns only if a thread cannot be started. */
static int replay_run(struct replay *replay, uint16_t port, uint64_t threads)
{
  if (!replay_listen(replay, &port))
    return complain("cannot listen", strerror(errno));
  printf("listening on 127.0.0.1:%u\n", port);
  (void)fflush(stdout);
  for (uint64_t i = 1; i < threads; i++) {
    pthread_t thread;
    const int problem = pthread_create(&thread, NULL, replay_work, replay);
    if (problem != 0)
      return complain("cannot start a thread", strerror(problem));
    (void)pthread_detach(thread);
  }
  (void)replay_work(replay);
  return REPLAY_TROUBLE;
}

/* Parses a whole number from `least` to `most`; false if it is not one. */
static bool read_number(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
  char *end;

  errno = 0;
  *number = strtoull(text, &end, 10);
  return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *number >= least &&
         *number <= most;
}

int main(int argc, char **argv)
{
  uint64_t port, threads, tokens;
  struct replay replay = {.listening = -1};

  if (argc != 5 || !read_number(argv[1], 0, 65535, &port) ||
      !read_number(argv[2], 1, REPLAY_THREADS_MOST, &threads) ||
      !read_number(argv[3], 1, UINT64_C(1) << 40, &tokens)) {
    fprintf(stderr, "usage: replay PORT THREADS TOKENS SPAN\n"
                    "Serves on 127.0.0.1.  Each request is a line with a token; the answer is \"ok\"\n"
                    "the first time in SPAN seconds, \"replay\" after that.  TOKENS is the number of\n"
                    "tokens per span; one new token in a million is refused.  PORT 0 chooses a free\n"
                    "port, and prints it.\n");
    return REPLAY_TROUBLE;
  }
  const lfb_window_config config = {
      .expected_insertions = tokens, .fpp = 1e-6, .span = strtod(argv[4], NULL)};
  lfb_status status = lfb_window_create(&config, &replay.used);
  if (status == LFB_OK)
    status = lfb_window_start_clock(replay.used); /* a span of 0, if it was no number, is refused */
  if (status != LFB_OK) {
    lfb_window_free(replay.used);
    return complain("cannot make the window", lfb_status_text(status));
  }
  return replay_run(&replay, (uint16_t)port, threads);
}
