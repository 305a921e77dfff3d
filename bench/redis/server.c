/* server.c - see server.h. */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "bench/redis/server.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { OPEN_TRIES = 200,
       OPEN_PAUSE_US = 50000 };

/*
 * Returns a port that no other process gets: a socket stays bound to it, as
 * tests/support/ports.h explains.  0: there is none.
 */
static uint16_t hold_port(void)
{
  const int yes = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  const int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  const bool got = bind(s, (struct sockaddr *)&address, size) == 0 &&
                   setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                   getsockname(s, (struct sockaddr *)&address, &size) == 0;
  return got ? ntohs(address.sin_port) : 0;
}

static void start_server(uint16_t port)
{
  char text[8];

  (void)snprintf(text, sizeof text, "%u", (unsigned)port);
  if (fork() != 0)
    return;
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  (void)execlp("redis-server", "redis-server", "--port", text, "--bind", "127.0.0.1", "--save", "",
               "--logfile", "/dev/null", (char *)NULL);
  perror("redis-server");
  _exit(127);
}

bool bench_server_begin(int *argc, char ***argv, lfb_redis_address *place)
{
  char **words = *argv;

  if (*argc < 2 || words[1][0] == '-') {
    place->options.port = hold_port();
    start_server(place->options.port);
    return true;
  }
  if (lfb_redis_parse_url(words[1], place) != LFB_OK) {
    fprintf(stderr, "%s: %s\n", words[1], lfb_status_text(LFB_ERROR_REDIS_ADDRESS));
    return false;
  }
  words[1] = words[0];
  ++*argv;
  --*argc;
  return true;
}

lfb_link *bench_server_link(const lfb_redis_address *place)
{
  lfb_link *link;
  lfb_said said = {.status = LFB_OK};

  for (unsigned tries = 0; lfb_link_open(&place->options, &said, &link) != LFB_OK; tries++) {
    if (tries == OPEN_TRIES) {
      fprintf(stderr, "no Redis: %s\n", said.text);
      return NULL;
    }
    (void)usleep(OPEN_PAUSE_US);
  }
  if (!link->nodes.cluster)
    return link;
  fprintf(stderr, "a cluster: the benchmark takes a single server\n");
  lfb_link_close(link);
  return NULL;
}
