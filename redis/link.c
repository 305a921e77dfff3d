/*
 * link.c - does jobs: fills each node's window, and deals with what servers and networks do.
 *
 * Floor 15.
 *
 * A command is in one place at a time: not begun (next), held (written, but its node takes no
 * more), in flight at a node, or waiting to be sent again.  All that wait are sent before
 * anything that is not begun, the job's earlier ones first: so commands of one slot stay in
 * order whatever is lost.
 */
#include "redis/link.h"

#include <assert.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "redis/net.h"
#include "redis/nodes.h"
#include "redis/queue.h"

enum {
  LINK_FIRST_PAUSE = 20,  /* ms */
  LINK_LONGEST_PAUSE = 2000,
  LINK_MOST_REDIRECTS = 8, /* of a command in a row, before there is a pause */
  LINK_MOST_MOVED = 16,    /* slots, before the whole map is asked for        */
  LINK_UNSENT = 1 << 20,   /* bytes that may wait for a node                  */
  LINK_KEPT = 1 << 20,     /* bytes of memory that are kept from job to job   */
};

struct lfb_link {
  lfb_nodes nodes;
  lfb_said said;
  lfb_queue waiting;     /* to be sent again                     */
  lfb_wire held;         /* the command that is held             */
  struct pollfd *polled; /* what poll() is to look at, a row a node */
  uint16_t polled_count; /* .. for which there is room           */
};

struct run {
  lfb_link *link;
  const lfb_job *job;
  uint64_t next;     /* the first command not begun              */
  uint64_t answered; /* commands whose reply was handed over     */
  lfb_errand held;
  uint16_t held_slot;
  bool holding;
  bool unsorted;     /* more has come to wait                    */
  bool stale;        /* the map of slots is to be asked for      */
  uint32_t moved;    /* slots, since it was                      */
  uint32_t failures; /* in a row                                 */
  uint64_t resume;   /* nothing is sent before, lfb_net_now()    */
};

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

/* ---- failures ------------------------------------------------------------ */

static bool run_may_pass(lfb_status status)
{
  return status == LFB_ERROR_REDIS_CONNECT || status == LFB_ERROR_REDIS_LOST ||
         status == LFB_ERROR_REDIS_TIMEOUT || status == LFB_ERROR_REDIS_UNAVAILABLE;
}

/* After a failure: begins a pause and returns LFB_OK, or has the job fail. */
static lfb_status run_put_off(struct run *run, lfb_status status)
{
  const uint64_t now = lfb_net_now();

  if (!run_may_pass(status))
    return status;
  run->stale = true;
  if (now < run->resume) /* one of several that failed together */
    return LFB_OK;
  if (run->failures == run->link->nodes.options.retries)
    return status;
  const uint64_t pause = run->failures < 7 ? (uint64_t)LINK_FIRST_PAUSE << run->failures
                                           : LINK_LONGEST_PAUSE;
  run->resume = now + (pause < LINK_LONGEST_PAUSE ? pause : LINK_LONGEST_PAUSE);
  run->failures++;
  return LFB_OK;
}

/* Has a command wait to be sent again. */
static lfb_status run_wait_again(struct run *run, lfb_errand errand)
{
  run->unsorted = true;
  return lfb_queue_add(&run->link->waiting, errand) ? LFB_OK : LFB_ERROR_NO_MEMORY;
}

/* Gives a node's connection up: what it has not answered is sent again. */
static lfb_status run_lose(struct run *run, lfb_node *node, lfb_status why)
{
  lfb_status status = LFB_OK;

  lfb_node_disconnect(node);
  while (node->flight.count != 0 && status == LFB_OK) {
    lfb_errand errand = lfb_queue_take(&node->flight);
    errand.again = true;
    errand.node = LFB_NO_NODE;
    if (!errand.asking)
      status = run_wait_again(run, errand);
  }
  return status == LFB_OK ? run_put_off(run, why) : status;
}

/* ---- sending ------------------------------------------------------------- */

/* Puts what waits in order, after which whatever was held is one of them. */
static lfb_status run_sort(struct run *run)
{
  lfb_status status = LFB_OK;

  if (run->holding)
    status = run_wait_again(run, run->held);
  run->holding = run->unsorted = false;
  lfb_queue_sort(&run->link->waiting);
  return status;
}

/* Writes the next command, so that it is held, if none is; there may be none. */
static lfb_status run_hold(struct run *run)
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
    run->held = (lfb_errand){.i = run->next++, .node = LFB_NO_NODE};
  else
    return LFB_OK;
  link->held.size = 0;
  run->held_slot = run->job->command(run->job->context, run->held.i, &link->held);
  assert(run->held_slot < LFB_KEY_SLOTS || run->held_slot == LFB_ANY_SLOT);
  run->holding = true;
  return link->held.failed ? LFB_ERROR_NO_MEMORY : LFB_OK;
}

/* Whether a node may be sent a command more: with some room only once half of its window is
 * free, so that many go by one call of the system. */
static bool run_has_room(const lfb_nodes *nodes, lfb_node *node)
{
  if (node->flight.count >= nodes->options.window)
    node->full = true;
  else if (node->flight.count <= nodes->options.window / 2)
    node->full = false;
  return !node->full && lfb_connection_unsent(node->connection) < LINK_UNSENT;
}

/* Sends the command that is held. */
static lfb_status run_send_held(struct run *run, lfb_node *node)
{
  lfb_wire *out = &node->connection->out;

  if (node->flight.count == 0)
    node->heard = lfb_net_now();
  if (run->held.node != LFB_NO_NODE) {
    lfb_wire_begin(out, 1);
    lfb_wire_text(out, "ASKING");
    if (!lfb_queue_add(&node->flight, (lfb_errand){.asking = true}))
      return LFB_ERROR_NO_MEMORY;
  }
  lfb_wire_raw(out, run->link->held.bytes, run->link->held.size);
  run->holding = false;
  return lfb_queue_add(&node->flight, run->held) && !out->failed ? LFB_OK : LFB_ERROR_NO_MEMORY;
}

/* Whether there is a pause. */
static bool run_pauses(struct run *run)
{
  if (run->resume != 0 && lfb_net_now() >= run->resume)
    run->resume = 0;
  return run->resume != 0;
}

/* Sends the command that is held to its node; `sent`: which had room for it. */
static lfb_status run_place(struct run *run, bool *sent)
{
  lfb_nodes *nodes = &run->link->nodes;
  const uint16_t number =
      run->held.node != LFB_NO_NODE ? run->held.node : lfb_nodes_of(nodes, run->held_slot);
  lfb_node *node = &nodes->nodes[number];

  *sent = false;
  const lfb_status status = lfb_node_connect(nodes, node, &run->link->said);
  if (status != LFB_OK) {
    run->held.node = LFB_NO_NODE;
    return run_put_off(run, status);
  }
  *sent = run_has_room(nodes, node);
  return *sent ? run_send_held(run, node) : LFB_OK;
}

/* Sends commands until there are none, or a node has no room; nothing during a pause. */
static lfb_status run_fill(struct run *run)
{
  bool sent = true;

  if (run_pauses(run))
    return LFB_OK;
  if (run->stale) { /* in vain: whoever fails next asks again */
    run->stale = false;
    run->moved = 0;
    (void)lfb_nodes_refresh(&run->link->nodes, &run->link->said);
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

/* Sends a node what it takes. */
static lfb_status run_flush(struct run *run, lfb_node *node)
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

/* ---- replies ------------------------------------------------------------- */

/* Reads "MOVED slot host:port" or "ASK ..."; false: it makes no sense. */
static bool run_read_redirect(struct run *run, uint16_t from, const redisReply *reply, uint16_t *slot,
                              uint16_t *to)
{
  const char *digits = strchr(reply->str, ' ') + 1, *at = strchr(digits, ' ');
  uint64_t number;

  if (at == NULL || !lfb_wire_read_digits(digits, (size_t)(at - digits), LFB_KEY_SLOTS - 1, &number))
    return false;
  *slot = (uint16_t)number;
  *to = lfb_nodes_find_text(&run->link->nodes, from, at + 1,
                            (size_t)(reply->str + reply->len - (at + 1)));
  return *to != LFB_NO_NODE;
}

static lfb_status run_redirect(struct run *run, uint16_t from, lfb_errand errand, const redisReply *reply)
{
  const bool ask = lfb_reply_is_error(reply, "ASK");
  uint16_t slot, to;

  if (strchr(reply->str, ' ') == NULL || !run_read_redirect(run, from, reply, &slot, &to))
    return lfb_said_set(&run->link->said, LFB_ERROR_REDIS_PROTOCOL, NULL, reply->str);
  errand.node = ask ? to : LFB_NO_NODE;
  if (!ask) {
    run->link->nodes.owner[slot] = to;
    run->stale |= ++run->moved >= LINK_MOST_MOVED;
  }
  const bool lost = ++errand.redirects > LINK_MOST_REDIRECTS;
  if (lost)
    errand.redirects = 0;
  const lfb_status status = run_wait_again(run, errand);
  return status == LFB_OK && lost ? run_put_off(run, LFB_ERROR_REDIS_UNAVAILABLE) : status;
}

/* An error: of the command itself, for the caller, or for this file to deal with; then
 * `handled`. */
static lfb_status run_take_error(struct run *run, uint16_t from, lfb_errand errand,
                                 const redisReply *reply, bool *handled)
{
  *handled = true;
  if (lfb_reply_is_error(reply, "MOVED") || lfb_reply_is_error(reply, "ASK"))
    return run_redirect(run, from, errand, reply);
  (void)lfb_said_set(&run->link->said, LFB_OK, NULL, reply->str);
  *handled = lfb_reply_status(reply) == LFB_ERROR_REDIS_UNAVAILABLE;
  if (!*handled)
    return LFB_OK;
  errand.node = LFB_NO_NODE;
  const lfb_status status = run_wait_again(run, errand);
  return status == LFB_OK ? run_put_off(run, LFB_ERROR_REDIS_UNAVAILABLE) : status;
}

static lfb_status run_take(struct run *run, uint16_t from, const redisReply *reply)
{
  lfb_node *node = &run->link->nodes.nodes[from];
  bool handled = false;

  if (node->flight.count == 0)
    return lfb_said_set(&run->link->said, LFB_ERROR_REDIS_PROTOCOL, NULL, "an answer to nothing");
  const lfb_errand errand = lfb_queue_take(&node->flight);
  if (errand.asking)
    return LFB_OK;
  if (reply->type == REDIS_REPLY_ERROR) {
    const lfb_status status = run_take_error(run, from, errand, reply, &handled);
    if (handled || status != LFB_OK)
      return status;
  }
  run->answered++;
  run->failures = 0;
  return run->job->reply(run->job->context, errand.i, reply, errand.again);
}

/* Takes what a node has sent. */
static lfb_status run_receive(struct run *run, uint16_t from)
{
  lfb_link *link = run->link;
  lfb_node *node = &link->nodes.nodes[from];
  lfb_reader *reader = &node->connection->reader;
  const redisReply *reply = NULL;
  bool moved;

  lfb_status status = lfb_reader_receive(reader, node->connection->socket, &link->said, &moved);
  if (status != LFB_OK)
    return run_lose(run, node, status);
  if (moved)
    node->heard = lfb_net_now();
  do {
    status = lfb_reader_next(reader, &link->said, &reply);
    if (status == LFB_OK && reply != NULL)
      status = run_take(run, from, reply); /* may move `nodes`, but neither connection nor reader */
  } while (status == LFB_OK && reply != NULL);
  return status;
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
static uint64_t run_prepare(struct run *run)
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
static lfb_status run_attend(struct run *run, uint16_t number, short events)
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
static lfb_status run_wait(struct run *run)
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
  for (uint16_t i = 0; i < nodes->count; i++)
    if (nodes->nodes[i].connection != NULL &&
        !lfb_net_is_quiet(nodes->nodes[i].connection->socket))
      lfb_node_disconnect(&nodes->nodes[i]);
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

lfb_status lfb_link_run(lfb_link *link, const lfb_job *job)
{
  struct run run = {.link = link, .job = job};
  lfb_status status = LFB_OK;

  run_begin(&link->nodes);
  while (status == LFB_OK && run.answered < job->count) {
    status = run_fill(&run);
    for (uint16_t i = 0; i < link->nodes.count && status == LFB_OK; i++)
      status = run_flush(&run, &link->nodes.nodes[i]);
    if (status == LFB_OK)
      status = run_wait(&run);
  }
  run_end(link);
  return status;
}
