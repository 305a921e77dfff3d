/* link.c - a link, and the jobs that it does, from their beginning to their end.  Floor 16. */
#include "redis/link/link.h"

#include <limits.h>
#include <stdlib.h>

#include "redis/link/net.h"
#include "redis/link/run.h"

enum { LINK_KEPT = 1 << 20 }; /* bytes of memory that are kept from job to job */

/* ---- the link ------------------------------------------------------------ */

lfb_status lfb_link_open_saying(const lfb_redis_options *options, lfb_said *said, lfb_link **link)
{
  lfb_link *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  const lfb_status status = lfb_nodes_init(&made->nodes, options, &made->said);
  if (status == LFB_OK) {
    *link = made;
    return LFB_OK;
  }
  if (said != NULL)
    *said = made->said;
  free(made);
  return status;
}

lfb_status lfb_link_open(const lfb_redis_options *options, lfb_link **link)
{
  return lfb_link_open_saying(options, NULL, link);
}

void lfb_link_close(lfb_link *link)
{
  if (link == NULL)
    return;
  lfb_nodes_free(&link->nodes);
  lfb_queue_free(&link->waiting);
  lfb_wire_free(&link->held);
  free(link->polled);
  free(link);
}

const char *lfb_link_error(const lfb_link *link)
{
  return link->said.text;
}

bool lfb_link_is_cluster(const lfb_link *link)
{
  return link->nodes.cluster;
}

void lfb_link_write(lfb_link *link, bool writes)
{
  link->writes = writes;
}

/* ---- waiting ------------------------------------------------------------- */

static bool run_is_busy(const lfb_node *node)
{
  return node->connection != NULL &&
         (node->flight.count != 0 || lfb_connection_unsent(node->connection) != 0);
}

static uint64_t run_sooner(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* Fills in what poll() is to look at, and returns until when. */
static uint64_t run_prepare(lfb_run *run)
{
  lfb_nodes *nodes = &run->link->nodes;
  uint64_t until = run->resume == 0 ? UINT64_MAX : run->resume;

  for (uint16_t i = 0; i < nodes->count; i++) {
    const lfb_node *node = &nodes->nodes[i];
    run->link->polled[i] = (struct pollfd){.fd = -1}; /* is passed over */
    if (!run_is_busy(node))
      continue;
    const bool unsent = lfb_connection_unsent(node->connection) != 0;
    run->link->polled[i].fd = node->connection->socket;
    run->link->polled[i].events = (short)(unsent ? POLLIN | POLLOUT : POLLIN);
    until = run_sooner(until, node->heard + nodes->options.timeout_ms);
  }
  return until;
}

/* What poll() has found of a node. */
static lfb_status run_attend(lfb_run *run, uint16_t number, short events)
{
  lfb_node *node = &run->link->nodes.nodes[number];

  if (!run_is_busy(node))
    return LFB_OK;
  if ((events & (POLLIN | POLLHUP | POLLERR | POLLNVAL)) != 0)
    return lfb_run_receive(run, number);
  if (events == 0 && lfb_net_now() >= node->heard + run->link->nodes.options.timeout_ms)
    return lfb_run_lose(run, node,
                        lfb_said_set(&run->link->said, LFB_ERROR_REDIS_TIMEOUT, node->host,
                                     "no answer in time"));
  return LFB_OK;
}

/* Room for poll() to look at each node; nodes may have been added. */
static bool run_make_room(lfb_link *link)
{
  if (link->polled_count == link->nodes.count)
    return true;
  struct pollfd *polled = realloc(link->polled, link->nodes.count * sizeof *polled);
  if (polled == NULL)
    return false;
  link->polled = polled;
  link->polled_count = link->nodes.count;
  return true;
}

/* Waits for something to happen, and deals with it. */
static lfb_status run_wait(lfb_run *run)
{
  const uint16_t count = run->link->nodes.count;
  lfb_status status = LFB_OK;

  if (!run_make_room(run->link))
    return LFB_ERROR_NO_MEMORY;
  const uint64_t until = run_prepare(run), now = lfb_net_now();
  const uint64_t left = until > now ? until - now : 0;
  const int ready = poll(run->link->polled, count, left > INT_MAX ? INT_MAX : (int)left);
  if (ready < 0) /* interrupted: once more */
    return LFB_OK;
  for (uint16_t i = 0; i < count && status == LFB_OK; i++)
    status = run_attend(run, i, run->link->polled[i].revents);
  return status;
}

/* ---- the job ------------------------------------------------------------- */

/* Drops connections that broke, or were closed, since the last job. */
static void run_begin(lfb_nodes *nodes)
{
  for (uint16_t i = 0; i < nodes->count; i++) {
    lfb_node *node = &nodes->nodes[i];
    node->owes = false; /* what other jobs have done was theirs to see to */
    if (node->connection != NULL && !lfb_net_is_quiet(node->connection->socket))
      lfb_node_disconnect(node);
  }
}

/* Gives back a wire's memory if it is much. */
static void run_trim(lfb_wire *wire)
{
  if (wire->capacity > LINK_KEPT)
    lfb_wire_free(wire);
  wire->failed = false;
}

/* Leaves nothing under way, whatever came of the job. */
static void run_end(lfb_link *link)
{
  for (uint16_t i = 0; i < link->nodes.count; i++) {
    lfb_node *node = &link->nodes.nodes[i];
    if (run_is_busy(node))
      lfb_node_disconnect(node);
    if (node->connection != NULL)
      run_trim(&node->connection->out);
    node->flight.first = node->flight.count = 0;
  }
  link->waiting.count = 0;
  run_trim(&link->held);
}

static lfb_status run_turn(lfb_run *run)
{
  lfb_link *link = run->link;

  lfb_status status = lfb_run_fill(run);
  for (uint16_t i = 0; i < link->nodes.count && status == LFB_OK; i++)
    status = lfb_run_flush(run, &link->nodes.nodes[i]);
  return status == LFB_OK ? run_wait(run) : status;
}

/* Has each command answered, then kept; whether it is, `doubt` says. */
static lfb_status run_once(lfb_run *run)
{
  /* Before a command is sent, which would be done, and its answer not be waited for. */
  lfb_status status = run_make_room(run->link) ? LFB_OK : LFB_ERROR_NO_MEMORY;

  while (status == LFB_OK && run->answered < run->job->count)
    status = run_turn(run);
  if (status == LFB_OK && !run->doubt)
    status = lfb_run_keep(run);
  while (status == LFB_OK && run->waits != 0)
    status = run_turn(run);
  return status;
}

lfb_status lfb_link_run(lfb_link *link, const lfb_job *job)
{
  lfb_run run = {.link = link, .job = job};

  run_begin(&link->nodes);
  lfb_status status = run_once(&run);
  while (status == LFB_OK && run.doubt) {
    status = lfb_run_over(&run);
    if (status == LFB_OK)
      status = run_once(&run);
  }
  run_end(link);
  return status;
}
