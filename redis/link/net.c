/* net.c - sockets. */
#define _GNU_SOURCE /* SOCK_NONBLOCK, SOCK_CLOEXEC, getaddrinfo */
#include "redis/link/net.h"

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { NET_PORT_SIZE = 6 };

uint64_t lfb_net_now(void)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool lfb_net_wait(int socket, short events, uint64_t deadline)
{
  struct pollfd polled = {.fd = socket, .events = events};

  for (;;) {
    const uint64_t now = lfb_net_now(), left = deadline > now ? deadline - now : 0;
    if (poll(&polled, 1, left > INT_MAX ? INT_MAX : (int)left) > 0)
      return true;
    if (left == 0)
      return false;
  }
}

/* Keeps a system error in words.  The GNU strerror_r() is safe in any thread. */
static lfb_status net_failed(lfb_said *said, lfb_status status, const char *about, int error)
{
  char text[128];
  return lfb_said_set(said, status, about, strerror_r(error, text, sizeof text));
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
static int net_try(const struct addrinfo *address, uint64_t deadline, int *connected)
{
  const int one = 1;
  const int s = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

  if (s < 0)
    return errno;
  int error = connect(s, address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS || error == EINTR)
    error = net_outcome(s, deadline);
  if (error != 0) {
    (void)close(s);
    return error;
  }
  /* Commands are gathered here, so the kernel need not wait for more of them.  If this fails, it
   * costs only speed. */
  (void)setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  *connected = s;
  return 0;
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

  (void)snprintf(service, sizeof service, "%u", (unsigned)port);
  const int lookup = getaddrinfo(host, service, &wanted, &found);
  if (lookup != 0)
    return lfb_said_set(said, net_lookup_status(lookup), host, gai_strerror(lookup));
  for (const struct addrinfo *at = found; at != NULL; at = at->ai_next)
    if ((error = net_try(at, deadline, socket)) == 0)
      break;
  freeaddrinfo(found);
  if (error == 0)
    return LFB_OK;
  return net_failed(said, error == ETIMEDOUT ? LFB_ERROR_REDIS_TIMEOUT : LFB_ERROR_REDIS_CONNECT,
                    host, error);
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
    return net_failed(said, LFB_ERROR_REDIS_LOST, "sending", errno);
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
    return net_failed(said, LFB_ERROR_REDIS_LOST, "receiving", errno);
  *moved = got < 0 ? 0 : (size_t)got;
  return LFB_OK;
}

bool lfb_net_is_quiet(int socket)
{
  char byte;
  return recv(socket, &byte, 1, MSG_PEEK) < 0 && (net_would_block(errno) || errno == EINTR);
}
