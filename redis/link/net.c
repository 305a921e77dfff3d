/* net.c - sockets; pauses that double, with a random part. */
#define _GNU_SOURCE /* SOCK_NONBLOCK, SOCK_CLOEXEC, getaddrinfo */
#include "redis/link/net.h"

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "bloom/filter/description.h"

enum {
  NET_PORT_SIZE = 6,
  /* An idle connection is probed after a minute, and is lost after two. */
  NET_IDLE_S = 60,
  NET_PROBE_S = 15,
  NET_PROBES = 4,
};

uint64_t lfb_net_now(void)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t lfb_pause_ms(uint32_t failures)
{
  const uint64_t doubled = failures < 7 ? (uint64_t)LFB_PAUSE_FIRST << failures
                                        : LFB_PAUSE_LONGEST;
  const uint64_t pause = doubled < LFB_PAUSE_LONGEST ? doubled : LFB_PAUSE_LONGEST;
  uint64_t random = 0;

  lfb_ignore(lfb_random_bytes(&random, sizeof random));
  return pause + random % (pause / 2 + 1);
}

bool lfb_net_poll(struct pollfd *polled, nfds_t count, uint64_t deadline)
{
  for (;;) {
    const uint64_t now = lfb_net_now(), left = deadline > now ? deadline - now : 0;
    if (poll(polled, count, left > INT_MAX ? INT_MAX : (int)left) > 0)
      return true;
    if (left == 0)
      return false;
  }
}

bool lfb_net_wait(int socket, short events, uint64_t deadline)
{
  struct pollfd polled = {.fd = socket, .events = events};

  return lfb_net_poll(&polled, 1, deadline);
}

static lfb_status net_error_status(int error)
{
  return error == ETIMEDOUT ? LFB_ERROR_REDIS_TIMEOUT : LFB_ERROR_REDIS_CONNECT;
}

/* The outcome of a connect() in progress: 0, or an errno value. */
static int net_outcome(int s, uint64_t deadline)
{
  int error = 0;
  socklen_t size = sizeof error;

  if (!lfb_net_wait(s, POLLOUT, deadline))
    return ETIMEDOUT;
  return getsockopt(s, SOL_SOCKET, SO_ERROR, &error, &size) != 0 ? errno : error;
}

/* Connects to one address; returns 0 or an errno value. */
static int net_try(int family, const struct sockaddr *address, socklen_t size, uint64_t deadline,
                   int *connected)
{
  const int s = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

  if (s < 0)
    return errno;
  int error = connect(s, address, size) == 0 ? 0 : errno;
  if (error == EINPROGRESS || error == EINTR)
    error = net_outcome(s, deadline);
  if (error != 0) {
    (void)close(s);
    return error;
  }
  *connected = s;
  return 0;
}

static void net_set(int s, int level, int option, int value)
{
  (void)setsockopt(s, level, option, &value, sizeof value);
}

/* Sets what a TCP connection is to be like.  If this fails, the connection works all the same. */
static void net_tune(int s)
{
  /* Commands are gathered here, so the kernel need not wait for more of them. */
  net_set(s, IPPROTO_TCP, TCP_NODELAY, 1);
  /* A connection that is unused for a while is not forgotten by a firewall, and is noticed if the
   * server is gone: run_begin() then does not use it. */
  net_set(s, SOL_SOCKET, SO_KEEPALIVE, 1);
  net_set(s, IPPROTO_TCP, TCP_KEEPIDLE, NET_IDLE_S);
  net_set(s, IPPROTO_TCP, TCP_KEEPINTVL, NET_PROBE_S);
  net_set(s, IPPROTO_TCP, TCP_KEEPCNT, NET_PROBES);
}

/* Connects to a Unix socket. */
static lfb_status net_connect_path(const char *path, uint64_t deadline, lfb_said *said, int *socket)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const size_t size = strlen(path);

  if (size >= sizeof address.sun_path)
    return lfb_said_set(said, LFB_ERROR_REDIS_HOST, path, "too long for the path of a Unix socket");
  memcpy(address.sun_path, path, size);
  const int error =
      net_try(AF_UNIX, (const struct sockaddr *)&address, sizeof address, deadline, socket);
  return error == 0 ? LFB_OK : lfb_said_error(said, net_error_status(error), path, error);
}

/* EAI_NONAME and EAI_NODATA are the answer that there is no such name or address.  Other failures,
 * such as a name server that cannot be reached, may pass. */
static lfb_status net_lookup_status(int lookup)
{
  switch (lookup) {
  case EAI_MEMORY:
    return LFB_ERROR_NO_MEMORY;
  case EAI_NONAME:
  case EAI_NODATA:
    return LFB_ERROR_REDIS_HOST;
  default:
    return LFB_ERROR_REDIS_CONNECT;
  }
}

lfb_status lfb_net_connect(const char *host, uint16_t port, uint64_t deadline, lfb_said *said,
                           int *socket)
{
  const struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  struct addrinfo *found;
  char service[NET_PORT_SIZE];
  int error = 0;

  if (*host == '/')
    return net_connect_path(host, deadline, said, socket);
  (void)snprintf(service, sizeof service, "%u", (unsigned)port);
  const int lookup = getaddrinfo(host, service, &wanted, &found);
  if (lookup != 0)
    return lfb_said_set(said, net_lookup_status(lookup), host, gai_strerror(lookup));
  for (const struct addrinfo *at = found; at != NULL; at = at->ai_next)
    if ((error = net_try(at->ai_family, at->ai_addr, at->ai_addrlen, deadline, socket)) == 0)
      break;
  freeaddrinfo(found);
  if (error != 0)
    return lfb_said_error(said, net_error_status(error), host, error);
  net_tune(*socket);
  return LFB_OK;
}

static bool net_would_block(int error)
{
  return error == EAGAIN || error == EWOULDBLOCK;
}

lfb_status lfb_net_send(int socket, const void *bytes, size_t size, lfb_said *said, size_t *moved)
{
  ssize_t sent;

  do
    sent = send(socket, bytes, size, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent < 0 && !net_would_block(errno))
    return lfb_said_error(said, LFB_ERROR_REDIS_LOST, "sending", errno);
  *moved = sent < 0 ? 0 : (size_t)sent;
  return LFB_OK;
}

lfb_status lfb_net_receive(int socket, void *bytes, size_t size, lfb_said *said, size_t *moved)
{
  ssize_t got;

  do
    got = recv(socket, bytes, size, 0);
  while (got < 0 && errno == EINTR);
  if (got == 0)
    return lfb_said_set(said, LFB_ERROR_REDIS_LOST, NULL, "the server closed the connection");
  if (got < 0 && !net_would_block(errno))
    return lfb_said_error(said, LFB_ERROR_REDIS_LOST, "receiving", errno);
  *moved = got < 0 ? 0 : (size_t)got;
  return LFB_OK;
}

bool lfb_net_is_quiet(int socket)
{
  char byte;
  return recv(socket, &byte, 1, MSG_PEEK) < 0 && (net_would_block(errno) || errno == EINTR);
}
