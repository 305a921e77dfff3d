/* run.c - a job from beginning to end: failures, replicas, and waiting for the nodes. */
#include "redis/link/run.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "redis/link/net.h"
#include "redis/link/pause.h"

enum { RUN_KEPT = 1 << 20 }; /* bytes of memory kept from job to job */

/* ---- failures: pauses, and sending again --------------------------------- */

/* A name that is unknown, of a host or a master, may be a mistake.  Once it was known, it may be so
 * again. */
static bool run_may_pass(const lfb_nodes *nodes, lfb_status status)
{
  return lfb_connection_may_pass(status) ||
         (nodes->known && (status == LFB_ERROR_REDIS_HOST || status == LFB_ERROR_REDIS_NO_MASTER));
}

/* Whether to try again after a failure that may pass. */
static bool run_goes_on(lfb_run *run, lfb_status why, uint64_t silent_ms, uint64_t now)
{
  const lfb_redis_options *options = &run->link->nodes.options;

  if (run->failures == 0)
    run->silent = now - silent_ms;
  lfb_said_tell(&run->link->said, why); /* for go_on() */
  return run->failures < options->retries &&
         (options->go_on == NULL || options->go_on(options->told, why, now - run->silent));
}

lfb_status lfb_run_put_off(lfb_run *run, lfb_status status, uint32_t patience_ms)
{
  const uint32_t silent_ms = status == LFB_ERROR_REDIS_TIMEOUT ? patience_ms : 0;
  const uint64_t now = lfb_net_now();

  if (!run_may_pass(&run->link->nodes, status))
    return status;
  run->stale = true;
  if (now < run->resume) /* one of several failures at once */
    return LFB_OK;
  if (!run_goes_on(run, status, silent_ms, now))
    return status;
  run->resume = now + lfb_pause_ms(run->failures++);
  return LFB_OK;
}

lfb_status lfb_run_wait_again(lfb_run *run, lfb_errand errand)
{
  run->unsorted = true;
  return lfb_queue_add(&run->link->waiting, errand) ? LFB_OK : LFB_ERROR_NO_MEMORY;
}

lfb_status lfb_run_lose(lfb_run *run, lfb_node *node, lfb_status why)
{
  lfb_status status = LFB_OK;

  lfb_node_disconnect(node);
  run->doubt |= node->owes;
  node->owes = false;
  while (node->flight.count != 0 && status == LFB_OK) {
    lfb_errand errand = lfb_queue_take(&node->flight);
    errand.again = true;
    errand.node = LFB_NO_NODE;
    run->waits -= errand.keeping;
    if (!errand.asking && !errand.keeping)
      status = lfb_run_wait_again(run, errand);
  }
  return status == LFB_OK ? lfb_run_put_off(run, why, run->link->nodes.options.timeout_ms) : status;
}

/* ---- what was written is with replicas, by WAIT -------------------------- */

bool lfb_run_keeps(const lfb_run *run)
{
  return run->link->writes && run->link->nodes.options.replicas != 0;
}

static lfb_status keep_at(lfb_run *run, lfb_node *node)
{
  const lfb_redis_options *options = &run->link->nodes.options;
  lfb_wire *out = &node->connection->out;

  lfb_wire_begin(out, 3);
  lfb_wire_text(out, "WAIT");
  lfb_wire_number(out, options->replicas);
  lfb_wire_number(out, options->replicas_ms);
  run->waits++;
  return lfb_run_errand(node, (lfb_errand){.keeping = true});
}

lfb_status lfb_run_keep(lfb_run *run)
{
  lfb_nodes *nodes = &run->link->nodes;
  lfb_status status = LFB_OK;

  for (uint16_t i = 0; i < nodes->count && status == LFB_OK; i++)
    if (nodes->nodes[i].owes)
      status = keep_at(run, &nodes->nodes[i]);
  return status;
}

/* Whether a node that did not wait may do so later, or another in its place: it runs a script,
 * loads its data, or has become a replica. */
static bool keep_may_pass(const redisReply *reply)
{
  return lfb_reply_status(reply) == LFB_ERROR_REDIS_UNAVAILABLE ||
         (reply->type == REDIS_REPLY_ERROR && strstr(reply->str, "replica instances") != NULL);
}

lfb_status lfb_run_kept(lfb_run *run, lfb_node *node, const redisReply *reply)
{
  const lfb_status status = lfb_reply_status(reply);

  run->waits--;
  node->owes = false;
  if (keep_may_pass(reply)) {
    run->doubt = true;
    return lfb_run_put_off(run, LFB_ERROR_REDIS_UNAVAILABLE, 0);
  }
  if (status != LFB_OK)
    return lfb_said_set(&run->link->said, status, NULL, reply->str);
  if (reply->type != REDIS_REPLY_INTEGER)
    return lfb_said_set(&run->link->said, LFB_ERROR_REDIS_PROTOCOL, NULL,
                        "another answer than to WAIT");
  return reply->integer >= (long long)run->link->nodes.options.replicas
             ? LFB_OK
             : lfb_said_set(&run->link->said, LFB_ERROR_REDIS_REPLICAS, node->host,
                            "too few replicas have it");
}

lfb_status lfb_run_over(lfb_run *run)
{
  if (run->overs == run->link->nodes.options.retries)
    return LFB_ERROR_REDIS_LOST;
  run->overs++;
  run->doubt = false;
  run->next = run->answered = 0;
  return LFB_OK;
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

/* Fills in what poll() is to watch; returns the time until which to wait. */
static uint64_t run_prepare(lfb_run *run)
{
  lfb_nodes *nodes = &run->link->nodes;
  uint64_t until = run->resume == 0 ? UINT64_MAX : run->resume;

  for (uint16_t i = 0; i < nodes->count; i++) {
    const lfb_node *node = &nodes->nodes[i];
    run->link->polled[i] = (struct pollfd){.fd = -1}; /* skipped by poll() */
    if (!run_is_busy(node))
      continue;
    const bool unsent = lfb_connection_unsent(node->connection) != 0;
    run->link->polled[i].fd = node->connection->socket;
    run->link->polled[i].events = (short)(unsent ? POLLIN | POLLOUT : POLLIN);
    until = run_sooner(until, node->heard + nodes->options.timeout_ms);
  }
  return until;
}

/* Handles what poll() reported for a node. */
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

/* Makes room for each node in `polled`; nodes may have been added. */
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

/* Waits for an event and handles it. */
static lfb_status run_wait(lfb_run *run)
{
  const uint16_t count = run->link->nodes.count;
  lfb_status status = LFB_OK;

  if (!run_make_room(run->link))
    return LFB_ERROR_NO_MEMORY;
  const uint64_t until = run_prepare(run), now = lfb_net_now();
  const uint64_t left = until > now ? until - now : 0;
  const int ready = poll(run->link->polled, count, left > INT_MAX ? INT_MAX : (int)left);
  if (ready < 0) /* interrupted: try again */
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
    node->owes = false; /* left by an earlier job, which dealt with it */
    if (node->connection != NULL && !lfb_net_is_quiet(node->connection->socket))
      lfb_node_disconnect(node);
  }
}

/* Frees a wire's memory if it is large. */
static void run_trim(lfb_wire *wire)
{
  if (wire->capacity > RUN_KEPT)
    lfb_wire_free(wire);
  wire->failed = false;
}

/* Leaves nothing in flight, also after a failure. */
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

static bool run_is_done(const lfb_run *run)
{
  return run->link->nodes.known && run->answered == run->job->count && run->waits == 0;
}

static lfb_status run_turn(lfb_run *run)
{
  lfb_link *link = run->link;

  lfb_status status = lfb_run_fill(run);
  for (uint16_t i = 0; i < link->nodes.count && status == LFB_OK; i++)
    status = lfb_run_flush(run, &link->nodes.nodes[i]);
  return status == LFB_OK && !run_is_done(run) ? run_wait(run) : status;
}

/* Waits until each command is answered, then for replicas.  Afterwards `doubt` tells whether
 * replicas may lack writes. */
static lfb_status run_once(lfb_run *run)
{
  /* First: if it failed after a command was sent, that would be executed, and its answer not
   * awaited. */
  lfb_status status = run_make_room(run->link) ? LFB_OK : LFB_ERROR_NO_MEMORY;

  while (status == LFB_OK && !run_is_done(run))
    status = run_turn(run);
  if (status == LFB_OK && !run->doubt)
    status = lfb_run_keep(run);
  while (status == LFB_OK && !run_is_done(run))
    status = run_turn(run);
  return status;
}

lfb_status lfb_link_run(lfb_link *link, const lfb_job *job)
{
  lfb_run run = {.link = link, .job = job, .stale = !link->nodes.known};

  link->said.status = LFB_OK;
  run_begin(&link->nodes);
  lfb_status status = run_once(&run);
  while (status == LFB_OK && run.doubt) {
    status = lfb_run_over(&run);
    if (status == LFB_OK)
      status = run_once(&run);
  }
  run_end(link);
  if (status != LFB_OK)
    lfb_said_tell(&link->said, status);
  return status;
}
