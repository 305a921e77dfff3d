/* run_reply.c - takes a job's replies, and follows redirections. */
#include <string.h>

#include "redis/link/net.h"
#include "redis/link/run.h"

enum {
  RUN_MOST_REDIRECTS = 8, /* of a command in a row, before a pause    */
  RUN_MOST_MOVED = 16,    /* slots, before the whole map is requested */
};

/* Reads "MOVED slot host:port" or "ASK ..."; false: it is malformed. */
static bool run_read_redirect(lfb_run *run, uint16_t from, const redisReply *reply, uint16_t *slot,
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

static lfb_status run_redirect(lfb_run *run, uint16_t from, lfb_errand errand,
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
  const lfb_status status = lfb_run_wait_again(run, errand);
  return status == LFB_OK && lost ? lfb_run_put_off(run, LFB_ERROR_REDIS_UNAVAILABLE, 0) : status;
}

/* Takes an error.  If not `handled`, it is the command's own, for the caller. */
static lfb_status run_take_error(lfb_run *run, uint16_t from, lfb_errand errand,
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
  const lfb_status status = lfb_run_wait_again(run, errand);
  return status == LFB_OK ? lfb_run_put_off(run, LFB_ERROR_REDIS_UNAVAILABLE, 0) : status;
}

static lfb_status run_take(lfb_run *run, uint16_t from, const redisReply *reply)
{
  lfb_node *node = &run->link->nodes.nodes[from];
  bool handled = false;

  if (node->flight.count == 0)
    return lfb_said_set(&run->link->said, LFB_ERROR_REDIS_PROTOCOL, NULL, "an answer to nothing");
  const lfb_errand errand = lfb_queue_take(&node->flight);
  if (errand.asking)
    return LFB_OK;
  if (errand.keeping)
    return lfb_run_kept(run, node, reply);
  node->owes = lfb_run_keeps(run);
  if (reply->type == REDIS_REPLY_ERROR) {
    const lfb_status status = run_take_error(run, from, errand, reply, &handled);
    if (handled || status != LFB_OK)
      return status;
  }
  run->answered++;
  run->failures = 0;
  return run->job->reply(run->job->context, errand.i, reply, errand.again);
}

lfb_status lfb_run_receive(lfb_run *run, uint16_t from)
{
  lfb_link *link = run->link;
  lfb_node *node = &link->nodes.nodes[from];
  lfb_replies *replies = &node->connection->replies;
  const redisReply *reply = NULL;
  bool moved;

  lfb_status status = lfb_connection_receive(node->connection, &link->said, &moved);
  if (status != LFB_OK)
    return lfb_run_lose(run, node, status);
  if (moved)
    node->heard = lfb_net_now();
  do {
    status = lfb_replies_next(replies, &link->said, &reply);
    if (status == LFB_OK && reply != NULL)
      status = run_take(run, from, reply); /* may reallocate `nodes`, but closes no connection */
    if (status == LFB_OK && link->nodes.nodes[from].demoted)
      return lfb_run_lose(run, &link->nodes.nodes[from], LFB_ERROR_REDIS_UNAVAILABLE);
  } while (status == LFB_OK && reply != NULL);
  return status;
}
