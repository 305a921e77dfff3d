/*
 * main.c - a TCP server with threads that share one filter, or one window.  They share nothing
 * else, and take no lock.
 *
 * With a span it is a replay guard: CLAIM answers 1 to one client that sends a token first, and 0
 * to all others until the span is over.  A thread of the library ends the window's generations.
 *
 * Each thread has an epoll of its own for the connections that it accepted.
 */
#define _GNU_SOURCE /* accept4 */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "examples/server/peer.h"

enum { MAIN_TROUBLE = 2, MAIN_THREADS_MOST = 256, MAIN_EVENTS = 64 };

struct server {
  lfb_any keys;
  int listening;
  int stop; /* an eventfd, readable once all threads must end */
};

struct worker {
  pthread_t thread;
  struct server *server;
  int epoll;
  struct peer peers; /* the head of the ring */
};

static int complain(const char *what)
{
  fprintf(stderr, "server: %s: %s\n", what, strerror(errno));
  return MAIN_TROUBLE;
}

static bool worker_watch(const struct worker *worker, int operation, int file, uint32_t events,
                         void *whom)
{
  struct epoll_event event = {.events = events, .data.ptr = whom};

  return epoll_ctl(worker->epoll, operation, file, &event) == 0;
}

/* Serves a peer, and watches for the event that it waits for next.  For a new peer, `operation` is
 * EPOLL_CTL_ADD. */
static void worker_serve(struct worker *worker, struct peer *peer, int operation)
{
  const enum peer_wish wish = peer_serve(peer, worker->server->keys);
  const uint32_t events = wish == PEER_WRITE ? EPOLLOUT : EPOLLIN;

  if (wish == PEER_CLOSE || !worker_watch(worker, operation, peer->socket, events, peer))
    peer_free(peer);
}

/* Sleeps 10 ms if accept() failed because no file descriptor is left: otherwise the connection
 * that is still waiting would wake the thread again at once. */
static void worker_pause(void)
{
  const struct timespec moment = {0, 10000000};

  if (errno == EMFILE || errno == ENFILE)
    (void)nanosleep(&moment, NULL);
}

/* Accepts all waiting connections; other threads may have accepted them already. */
static void worker_accept(struct worker *worker)
{
  int socket;

  while ((socket = accept4(worker->server->listening, NULL, NULL,
                           SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    struct peer *peer = peer_create(&worker->peers, socket);
    if (peer != NULL)
      worker_serve(worker, peer, EPOLL_CTL_ADD);
  }
  worker_pause();
}

/* Handles one event; returns false if the thread must end. */
static bool worker_handle(struct worker *worker, void *whom)
{
  if (whom == &worker->server->stop)
    return false;
  if (whom == &worker->server->listening)
    worker_accept(worker);
  else
    worker_serve(worker, whom, EPOLL_CTL_MOD);
  return true;
}

static void *worker_work(void *self)
{
  struct worker *worker = self;
  struct epoll_event events[MAIN_EVENTS];
  bool go_on = true;

  while (go_on) {
    const int count = epoll_wait(worker->epoll, events, MAIN_EVENTS, -1);
    for (int i = 0; i < count; i++)
      go_on &= worker_handle(worker, events[i].data.ptr);
  }
  while (worker->peers.next != &worker->peers)
    peer_free(worker->peers.next);
  (void)close(worker->epoll);
  return NULL;
}

static bool worker_start(struct worker *worker, struct server *server)
{
  worker->server = server;
  peer_ring(&worker->peers);
  worker->epoll = epoll_create1(EPOLL_CLOEXEC);
  if (worker->epoll < 0)
    return false;
  /* EPOLLEXCLUSIVE: a new connection does not wake all threads. */
  if (worker_watch(worker, EPOLL_CTL_ADD, server->listening, EPOLLIN | EPOLLEXCLUSIVE,
                   &server->listening) &&
      worker_watch(worker, EPOLL_CTL_ADD, server->stop, EPOLLIN, &server->stop) &&
      (errno = pthread_create(&worker->thread, NULL, worker_work, worker)) == 0)
    return true;
  (void)close(worker->epoll);
  return false;
}

/* Listens on 127.0.0.1; port 0 becomes a free one. */
static bool server_listen(struct server *server, uint16_t *port)
{
  struct sockaddr_in at = {.sin_family = AF_INET,
                           .sin_port = htons(*port),
                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof at;
  const int yes = 1;

  server->listening = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (server->listening < 0 ||
      setsockopt(server->listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(server->listening, (const struct sockaddr *)&at, sizeof at) != 0 ||
      listen(server->listening, SOMAXCONN) != 0 ||
      getsockname(server->listening, (struct sockaddr *)&at, &size) != 0)
    return false;
  *port = ntohs(at.sin_port);
  return true;
}

/* Serves on `threads` threads until a signal comes. */
static int server_work(struct server *server, unsigned threads, const sigset_t *signals)
{
  struct worker workers[MAIN_THREADS_MOST];
  unsigned started = 0;
  int signal, status = EXIT_SUCCESS;

  while (started < threads && worker_start(&workers[started], server))
    started++;
  if (started == threads)
    (void)sigwait(signals, &signal);
  else
    status = complain("cannot start a thread");
  (void)eventfd_write(server->stop, 1);
  for (unsigned i = 0; i < started; i++)
    (void)pthread_join(workers[i].thread, NULL);
  return status;
}

static int server_run(struct server *server, uint16_t port, unsigned threads)
{
  sigset_t signals;

  /* Before the threads start: they inherit the mask. */
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  (void)pthread_sigmask(SIG_BLOCK, &signals, NULL);
  server->stop = eventfd(0, EFD_CLOEXEC);
  if (server->stop < 0 || !server_listen(server, &port))
    return complain("cannot listen");
  printf("listening on 127.0.0.1:%u\n", port);
  (void)fflush(stdout);
  return server_work(server, threads, &signals);
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

/* Makes a filter; with a span, which is a text, a window. */
static lfb_status keys_make(lfb_any *keys, uint64_t expected, const char *span)
{
  const lfb_config config = {.expected_insertions = expected, .fpp = 1e-6};
  const lfb_window_config window = {.expected_insertions = expected, .fpp = 1e-6,
                                    .span = span == NULL ? 0 : strtod(span, NULL)};
  keys->kind = span == NULL ? LFB_KIND_PLAIN : LFB_KIND_WINDOW;
  if (span == NULL)
    return lfb_filter_create(&config, &keys->plain);
  const lfb_status status = lfb_window_create(&window, &keys->window);
  /* A span of 0, if it was no number, is refused. */
  return status == LFB_OK ? lfb_window_start_clock(keys->window) : status;
}

int main(int argc, char **argv)
{
  uint64_t port, threads, expected;
  struct server server = {.listening = -1, .stop = -1};

  if (argc < 4 || argc > 5 || !read_number(argv[1], 0, 65535, &port) ||
      !read_number(argv[2], 1, MAIN_THREADS_MOST, &threads) ||
      !read_number(argv[3], 1, UINT64_C(1) << 40, &expected)) {
    fprintf(stderr, "usage: server PORT THREADS EXPECTED [SPAN]\n"
                    "Serves a filter for EXPECTED keys, with one false positive in a million, on\n"
                    "127.0.0.1.  PORT 0 chooses a free port, and prints it.  Each request is a\n"
                    "line, and so is its answer: PUT KEY, CLAIM KEY, HAS KEY: 1 or 0; COUNT: a\n"
                    "number.  With SPAN, in seconds, it forgets a key after that.\n");
    return MAIN_TROUBLE;
  }
  const lfb_status made = keys_make(&server.keys, expected, argc == 5 ? argv[4] : NULL);
  int status = MAIN_TROUBLE;
  if (made == LFB_OK)
    status = server_run(&server, (uint16_t)port, (unsigned)threads);
  else
    fprintf(stderr, "server: %s\n", lfb_status_text(made));
  lfb_any_free(server.keys);
  return status;
}
