/*
 * link.c - links, those that are unused, and a job from its first command to its last reply.
 *
 * A command is in one state at a time: not begun (next), held (written, but its node has no
 * room), in flight at a node, or waiting to be sent again.  Waiting commands are sent before
 * those not begun, the job's earlier ones first.  So the commands of one slot stay in order even
 * if connections are lost.
 */
#include "redis/link/link.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "redis/link/net.h"
#include "redis/link/options.h"

enum {
  RUN_KEPT = 1 << 20,     /* bytes of memory kept from job to job            */
  RUN_UNSENT = 1 << 20,   /* bytes that may wait for a node                  */
  RUN_MOST_REDIRECTS = 8, /* of a command in a row, before a pause           */
  RUN_MOST_MOVED = 16,    /* slots, before the whole map is requested        */
};

typedef struct job_run {
  lfb_link *link;
  const lfb_job *job;
  uint64_t next;     /* the first command not begun              */
  uint64_t answered; /* commands with a reply that was passed on */
  lfb_errand held;
  uint16_t held_slot;
  bool holding;
  bool unsorted;     /* commands were added to link->waiting                       */
  bool stale;        /* the map of slots must be requested; at first: nodes.known  */
  uint32_t moved;    /* slots moved since the last request                         */
  uint32_t failures; /* in a row                                                   */
  uint64_t silent;   /* when the silence began; set by the first failure           */
  bool doubt;        /* a node is lost, and its replicas may lack what it executed */
  uint32_t waits;    /* WAITs without an answer                                    */
  uint32_t overs;    /* how often the job began again                              */
  uint64_t resume;   /* nothing is sent before this lfb_net_now(); 0: no pause     */
} job_run;

/* ---- failures: pauses, and sending again --------------------------------- */

/* The name of a host that is unknown may be a mistake.  Once it was known, it may be so
 * again. */
static bool run_may_pass(const lfb_nodes *nodes, lfb_status status)
{
  return lfb_connection_may_pass(status) ||
         (nodes->known && status == LFB_ERROR_REDIS_HOST);
}

/* Whether to try again after a failure that may pass. */
static bool run_goes_on(job_run *run, lfb_status why, uint64_t silent_ms, uint64_t now)
{
  const lfb_redis_options *options = &run->link->nodes.options;

  if (run->failures == 0)
    run->silent = now - silent_ms;
  lfb_said_tell(&run->link->said, why); /* for go_on() */
  return run->failures < options->retries &&
         (options->go_on == NULL || options->go_on(options->told, why, now - run->silent));
}

/* Handles a failure: begins a pause and returns LFB_OK, or returns a status that ends the job.
 * `patience_ms`: if the failure is a timeout, how long it was. */
static lfb_status run_put_off(job_run *run, lfb_status status, uint32_t patience_ms)
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

/* Adds a command to those that wait to be sent again. */
static lfb_status run_wait_again(job_run *run, lfb_errand errand)
{
  run->unsorted = true;
  return lfb_queue_add(&run->link->waiting, errand) ? LFB_OK : LFB_ERROR_NO_MEMORY;
}

/* Closes a node's connection, and handles the failure; commands that it has not answered wait to be
 * sent again. */
static lfb_status run_lose(job_run *run, lfb_node *node, lfb_status why)
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
      status = run_wait_again(run, errand);
  }
  return status == LFB_OK ? run_put_off(run, why, run->link->nodes.options.timeout_ms) : status;
}

/* ---- sending: fills each node's window ------------------------------------ */

/* Sorts the waiting commands; a held one becomes one of them. */
static lfb_status run_sort(job_run *run)
{
  lfb_status status = LFB_OK;

  if (run->holding)
    status = run_wait_again(run, run->held);
  run->holding = run->unsorted = false;
  lfb_queue_sort(&run->link->waiting);
  return status;
}

/* Writes the next command to link->held and holds it.  Does nothing if one is held or none is
 * left. */
static lfb_status run_hold(job_run *run)
{
  lfb_link *link = run->link;
  lfb_status status = LFB_OK;

  if (run->unsorted)
    status = run_sort(run);
  if (status != LFB_OK || run->holding)
    return status;
  if (link->waiting.count != 0)
    run->held = lfb_queue_take_last(&link->waiting);
  else if (run->next < run->job->count)
    run->held = (lfb_errand){.i = run->next++, .node = LFB_NO_NODE, .again = run->overs != 0};
  else
    return LFB_OK;
  link->held.size = 0;
  run->held_slot = run->job->command(run->job->context, run->held.i, &link->held);
  assert(run->held_slot < LFB_KEY_SLOTS || run->held_slot == LFB_ANY_SLOT);
  run->holding = true;
  return link->held.failed ? LFB_ERROR_NO_MEMORY : LFB_OK;
}

/* Whether a node may be sent another command.  A full node has room again only once half of
 * its window is free, so that one system call sends many commands. */
static bool run_has_room(const lfb_nodes *nodes, lfb_node *node)
{
  if (node->flight.count >= nodes->options.window)
    node->full = true;
  else if (node->flight.count <= nodes->options.window / 2)
    node->full = false;
  return !node->full && lfb_connection_unsent(node->connection) < RUN_UNSENT;
}

/* Notes a command that was written to a node, after all others. */
static lfb_status run_errand(lfb_node *node, lfb_errand errand)
{
  if (node->flight.count == 0)
    node->heard = lfb_net_now();
  return lfb_queue_add(&node->flight, errand) && !node->connection->out.failed
             ? LFB_OK
             : LFB_ERROR_NO_MEMORY;
}

/* Sends the held command. */
static lfb_status run_send_held(job_run *run, lfb_node *node)
{
  lfb_wire *out = &node->connection->out;

  if (run->held.node != LFB_NO_NODE) {
    lfb_wire_begin(out, 1);
    lfb_wire_text(out, "ASKING");
    const lfb_status status = run_errand(node, (lfb_errand){.asking = true});
    if (status != LFB_OK)
      return status;
  }
  lfb_wire_raw(out, run->link->held.bytes, run->link->held.size);
  run->holding = false;
  return run_errand(node, run->held);
}

/* Whether sending still has to wait for `resume`; ends a pause that is over. */
static bool run_pauses(job_run *run)
{
  if (run->resume != 0 && lfb_net_now() >= run->resume)
    run->resume = 0;
  return run->resume != 0;
}

/* Sends the held command to its node; `*sent` is false if the node has no room. */
static lfb_status run_place(job_run *run, bool *sent)
{
  lfb_nodes *nodes = &run->link->nodes;
  const uint16_t number = run->held.node != LFB_NO_NODE ? run->held.node
                                                        : lfb_nodes_of(nodes, run->held_slot);
  lfb_node *node = &nodes->nodes[number];

  *sent = false;
  const lfb_status status = lfb_node_connect(nodes, node, &run->link->said);
  if (status != LFB_OK) {
    run->held.node = LFB_NO_NODE;
    return run_put_off(run, status, nodes->options.connect_ms);
  }
  *sent = run_has_room(nodes, node);
  return *sent ? run_send_held(run, node) : LFB_OK;
}

/* Requests the map of slots.  If that fails, the old map may still do, and the next failure
 * requests the map again; without an old map the request itself is tried again, after a pause. */
static lfb_status run_refresh(job_run *run)
{
  lfb_nodes *nodes = &run->link->nodes;

  run->stale = false;
  run->moved = 0;
  const lfb_status status = lfb_nodes_refresh(nodes, &run->link->said);
  return status == LFB_OK || nodes->known
             ? LFB_OK
             : run_put_off(run, status, nodes->options.connect_ms);
}

/* Sends commands until there are none, or a node has no room.  Does nothing during a pause. */
static lfb_status run_fill(job_run *run)
{
  bool sent = true;

  if (run_pauses(run))
    return LFB_OK;
  if (run->stale) {
    const lfb_status status = run_refresh(run);
    if (status != LFB_OK)
      return status;
    if (!run->link->nodes.known)
      return LFB_OK;
  }
  while (sent) {
    lfb_status status = run_hold(run);
    if (status != LFB_OK || !run->holding)
      return status;
    status = run_place(run, &sent);
    if (status != LFB_OK)
      return status;
  }
  return LFB_OK;
}

/* Sends a node as many bytes as it takes. */
static lfb_status run_flush(job_run *run, lfb_node *node)
{
  bool moved;

  if (node->connection == NULL || lfb_connection_unsent(node->connection) == 0)
    return LFB_OK;
  const lfb_status status = lfb_connection_send(node->connection, &run->link->said, &moved);
  if (status != LFB_OK)
    return run_lose(run, node, status);
  if (moved)
    node->heard = lfb_net_now();
  return LFB_OK;
}

/* ---- what was written is with replicas, by WAIT -------------------------- */

/* Whether the job must wait for replicas. */
static bool run_keeps(const job_run *run)
{
  return run->link->writes && run->link->nodes.options.replicas != 0;
}

static lfb_status keep_at(job_run *run, lfb_node *node)
{
  const lfb_redis_options *options = &run->link->nodes.options;
  lfb_wire *out = &node->connection->out;

  lfb_wire_begin(out, 3);
  lfb_wire_text(out, "WAIT");
  lfb_wire_number(out, options->replicas);
  lfb_wire_number(out, options->replicas_ms);
  run->waits++;
  return run_errand(node, (lfb_errand){.keeping = true});
}

/* Once all is answered, sends a WAIT to each node that owes. */
static lfb_status run_keep(job_run *run)
{
  lfb_nodes *nodes = &run->link->nodes;
  lfb_status status = LFB_OK;

  for (uint16_t i = 0; i < nodes->count && status == LFB_OK; i++)
    if (nodes->nodes[i].owes)
      status = keep_at(run, &nodes->nodes[i]);
  return status;
}

/* Whether a node that did not wait may do so later, or another instead of it: it runs a script,
 * loads its data, or has become a replica. */
static bool keep_may_pass(const redisReply *reply)
{
  return lfb_reply_status(reply) == LFB_ERROR_REDIS_UNAVAILABLE ||
         (reply->type == REDIS_REPLY_ERROR && strstr(reply->str, "replica instances") != NULL);
}

/* Takes the answer to a WAIT. */
static lfb_status run_kept(job_run *run, lfb_node *node, const redisReply *reply)
{
  const lfb_status status = lfb_reply_status(reply);

  run->waits--;
  node->owes = false;
  if (keep_may_pass(reply)) {
    run->doubt = true;
    return run_put_off(run, LFB_ERROR_REDIS_UNAVAILABLE, 0);
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

/* If there is doubt: begins the job again, or fails after options.retries of these. */
static lfb_status run_over(job_run *run)
{
  if (run->overs == run->link->nodes.options.retries)
    return LFB_ERROR_REDIS_LOST;
  run->overs++;
  run->doubt = false;
  run->next = run->answered = 0;
  return LFB_OK;
}

/* ---- replies, and redirections ------------------------------------------- */

/* Reads "MOVED slot host:port" or "ASK ..."; false: it is malformed. */
static bool run_read_redirect(job_run *run, uint16_t from, const redisReply *reply, uint16_t *slot,
                              uint16_t *to)
{
  const char *digits = strchr(reply->str, ' ') + 1, *at = strchr(digits, ' ');
  uint64_t number;

  if (at == NULL ||
      !lfb_wire_read_digits(digits, (size_t)(at - digits), LFB_KEY_SLOTS - 1, &number))
    return false;
  *slot = (uint16_t)number;
  *to = lfb_nodes_find_text(&run->link->nodes, from, at + 1,
                            (size_t)(reply->str + reply->len - (at + 1)));
  return *to != LFB_NO_NODE;
}

static lfb_status run_redirect(job_run *run, uint16_t from, lfb_errand errand,
                               const redisReply *reply)
{
  const bool ask = lfb_reply_is_error(reply, "ASK");
  uint16_t slot, to;

  if (strchr(reply->str, ' ') == NULL || !run_read_redirect(run, from, reply, &slot, &to))
    return lfb_said_set(&run->link->said, LFB_ERROR_REDIS_PROTOCOL, NULL, reply->str);
  errand.node = ask ? to : LFB_NO_NODE;
  if (!ask) {
    run->link->nodes.owner[slot] = to;
    run->stale |= ++run->moved >= RUN_MOST_MOVED;
  }
  const bool lost = ++errand.redirects > RUN_MOST_REDIRECTS;
  if (lost)
    errand.redirects = 0;
  const lfb_status status = run_wait_again(run, errand);
  return status == LFB_OK && lost ? run_put_off(run, LFB_ERROR_REDIS_UNAVAILABLE, 0) : status;
}

/* Takes an error.  If not `handled`, it is the command's own, for the caller. */
static lfb_status run_take_error(job_run *run, uint16_t from, lfb_errand errand,
                                 const redisReply *reply, bool *handled)
{
  *handled = true;
  if (lfb_reply_is_error(reply, "MOVED") || lfb_reply_is_error(reply, "ASK"))
    return run_redirect(run, from, errand, reply);
  (void)lfb_said_set(&run->link->said, lfb_reply_status(reply), NULL, reply->str);
  *handled = lfb_reply_status(reply) == LFB_ERROR_REDIS_UNAVAILABLE;
  if (!*handled)
    return LFB_OK;
  errand.node = LFB_NO_NODE;
  run->link->nodes.nodes[from].demoted |=
      lfb_reply_is_error(reply, "READONLY") || lfb_reply_is_error(reply, "MASTERDOWN");
  const lfb_status status = run_wait_again(run, errand);
  return status == LFB_OK ? run_put_off(run, LFB_ERROR_REDIS_UNAVAILABLE, 0) : status;
}

static lfb_status run_take(job_run *run, uint16_t from, const redisReply *reply)
{
  lfb_node *node = &run->link->nodes.nodes[from];
  bool handled = false;

  if (node->flight.count == 0)
    return lfb_said_set(&run->link->said, LFB_ERROR_REDIS_PROTOCOL, NULL, "an answer to nothing");
  const lfb_errand errand = lfb_queue_take(&node->flight);
  if (errand.asking)
    return LFB_OK;
  if (errand.keeping)
    return run_kept(run, node, reply);
  node->owes = run_keeps(run);
  if (reply->type == REDIS_REPLY_ERROR) {
    const lfb_status status = run_take_error(run, from, errand, reply, &handled);
    if (handled || status != LFB_OK)
      return status;
  }
  run->answered++;
  run->failures = 0;
  return run->job->reply(run->job->context, errand.i, reply, errand.again);
}

/* Takes the replies that a node has sent. */
static lfb_status run_receive(job_run *run, uint16_t from)
{
  lfb_link *link = run->link;
  lfb_node *node = &link->nodes.nodes[from];
  lfb_connection *connection = node->connection;
  const redisReply *reply = NULL;
  bool moved;

  lfb_status status = lfb_connection_receive(connection, &link->said, &moved);
  if (status != LFB_OK)
    return run_lose(run, node, status);
  if (moved)
    node->heard = lfb_net_now();
  do {
    status = lfb_connection_next(connection, &link->said, &reply);
    if (status == LFB_OK && reply != NULL)
      status = run_take(run, from, reply); /* may reallocate `nodes`, but closes no connection */
    if (status == LFB_OK && link->nodes.nodes[from].demoted)
      return run_lose(run, &link->nodes.nodes[from], LFB_ERROR_REDIS_UNAVAILABLE);
  } while (status == LFB_OK && reply != NULL);
  return status;
}

/* ---- waiting ------------------------------------------------------------- */

static bool run_is_busy(const lfb_node *node)
{
  return node->connection != NULL &&
         (node->flight.count != 0 || lfb_connection_unsent(node->connection) != 0);
}

/* Fills in what poll() is to watch; returns the time until which to wait. */
static uint64_t run_prepare(job_run *run)
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
    const uint64_t late = node->heard + nodes->options.timeout_ms;
    until = late < until ? late : until;
  }
  return until;
}

/* Handles what poll() reported for a node. */
static lfb_status run_attend(job_run *run, uint16_t number, short events)
{
  lfb_node *node = &run->link->nodes.nodes[number];

  if (!run_is_busy(node))
    return LFB_OK;
  if ((events & (POLLIN | POLLHUP | POLLERR | POLLNVAL)) != 0)
    return run_receive(run, number);
  if (events == 0 && lfb_net_now() >= node->heard + run->link->nodes.options.timeout_ms)
    return run_lose(run, node,
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
static lfb_status run_wait(job_run *run)
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

static bool run_is_done(const job_run *run)
{
  return run->link->nodes.known && run->answered == run->job->count && run->waits == 0;
}

static lfb_status run_turn(job_run *run)
{
  lfb_link *link = run->link;

  lfb_status status = run_fill(run);
  for (uint16_t i = 0; i < link->nodes.count && status == LFB_OK; i++)
    status = run_flush(run, &link->nodes.nodes[i]);
  return status == LFB_OK && !run_is_done(run) ? run_wait(run) : status;
}

/* Waits until each command is answered, then for replicas.  Afterwards `doubt` tells whether
 * replicas may lack writes. */
static lfb_status run_once(job_run *run)
{
  /* First: if it failed after a command was sent, that would be executed, and its answer not
   * awaited. */
  lfb_status status = run_make_room(run->link) ? LFB_OK : LFB_ERROR_NO_MEMORY;

  while (status == LFB_OK && !run_is_done(run))
    status = run_turn(run);
  if (status == LFB_OK && !run->doubt)
    status = run_keep(run);
  while (status == LFB_OK && !run_is_done(run))
    status = run_turn(run);
  return status;
}

lfb_status lfb_link_run(lfb_link *link, const lfb_job *job)
{
  job_run run = {.link = link, .job = job, .stale = !link->nodes.known};

  link->said.status = LFB_OK;
  run_begin(&link->nodes);
  lfb_status status = run_once(&run);
  while (status == LFB_OK && run.doubt) {
    status = run_over(&run);
    if (status == LFB_OK)
      status = run_once(&run);
  }
  run_end(link);
  if (status != LFB_OK)
    lfb_said_tell(&link->said, status);
  return status;
}

/* ---- links ---------------------------------------------------------------- */

lfb_status lfb_link_open(const lfb_redis_options *options, lfb_said *said, lfb_link **link)
{
  lfb_link *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = lfb_nodes_init(&made->nodes, options, &made->said);
  if (status == LFB_OK)
    status = lfb_link_run(made, &(lfb_job){0}); /* connects */
  else
    lfb_said_tell(&made->said, status);
  if (status == LFB_OK) {
    *link = made;
    return LFB_OK;
  }
  if (said != NULL)
    *said = made->said;
  lfb_link_close(made);
  return status;
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

lfb_status lfb_pool_init(lfb_pool *pool, const lfb_redis_options *options)
{
  const lfb_status status = lfb_options_copy(options, &pool->options);

  if (status != LFB_OK)
    return status;
  for (int i = 0; i < LFB_POOL_LINKS; i++)
    atomic_init(&pool->links[i], NULL);
  return LFB_OK;
}

/* Takes a link from the pool; NULL if there is none. */
static lfb_link *pool_find(lfb_pool *pool)
{
  for (int i = 0; i < LFB_POOL_LINKS; i++) {
    /* acquire: pairs with the release in lfb_pool_leave(); what was done to the link is visible. */
    lfb_link *link = atomic_exchange_explicit(&pool->links[i], NULL, memory_order_acquire);
    if (link != NULL)
      return link;
  }
  return NULL;
}

void lfb_pool_free(lfb_pool *pool)
{
  for (lfb_link *link; (link = pool_find(pool)) != NULL;)
    lfb_link_close(link);
  lfb_options_free(&pool->options);
}

lfb_status lfb_pool_take(lfb_pool *pool, bool writes, lfb_link **link)
{
  lfb_link *found = pool_find(pool);

  const lfb_status status = found == NULL ? lfb_link_open(&pool->options, NULL, &found) : LFB_OK;
  if (status != LFB_OK)
    return status;
  found->writes = writes;
  *link = found;
  return LFB_OK;
}

void lfb_pool_leave(lfb_pool *pool, lfb_link *link)
{
  for (int i = 0; i < LFB_POOL_LINKS; i++) {
    lfb_link *none = NULL;
    /* release: pairs with the acquire in pool_find(); what was done to the link is visible to the
     * thread that takes it.  relaxed: if there is a link already, nothing of it is read. */
    if (atomic_compare_exchange_strong_explicit(&pool->links[i], &none, link,
                                                memory_order_release, memory_order_relaxed))
      return;
  }
  lfb_link_close(link);
}
