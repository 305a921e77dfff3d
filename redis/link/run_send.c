/* run_send.c - sends a job's commands: fills each node's window. */
#include <assert.h>

#include "redis/link/net.h"
#include "redis/link/run.h"

enum { RUN_UNSENT = 1 << 20 }; /* bytes that may wait for a node */

/* Sorts the waiting commands; a held one becomes one of them. */
static lfb_status run_sort(lfb_run *run)
{
  lfb_status status = LFB_OK;

  if (run->holding)
    status = lfb_run_wait_again(run, run->held);
  run->holding = run->unsorted = false;
  lfb_queue_sort(&run->link->waiting);
  return status;
}

/* Writes the next command to link->held and holds it.  Does nothing if one is held or none is
 * left. */
static lfb_status run_hold(lfb_run *run)
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

lfb_status lfb_run_errand(lfb_node *node, lfb_errand errand)
{
  if (node->flight.count == 0)
    node->heard = lfb_net_now();
  return lfb_queue_add(&node->flight, errand) && !node->connection->out.failed
             ? LFB_OK
             : LFB_ERROR_NO_MEMORY;
}

/* Sends the held command. */
static lfb_status run_send_held(lfb_run *run, lfb_node *node)
{
  lfb_wire *out = &node->connection->out;

  if (run->held.node != LFB_NO_NODE) {
    lfb_wire_begin(out, 1);
    lfb_wire_text(out, "ASKING");
    const lfb_status status = lfb_run_errand(node, (lfb_errand){.asking = true});
    if (status != LFB_OK)
      return status;
  }
  lfb_wire_raw(out, run->link->held.bytes, run->link->held.size);
  run->holding = false;
  return lfb_run_errand(node, run->held);
}

/* Whether sending still has to wait for `resume`; ends a pause that is over. */
static bool run_pauses(lfb_run *run)
{
  if (run->resume != 0 && lfb_net_now() >= run->resume)
    run->resume = 0;
  return run->resume != 0;
}

/* Sends the held command to its node; `*sent` is false if the node has no room. */
static lfb_status run_place(lfb_run *run, bool *sent)
{
  lfb_nodes *nodes = &run->link->nodes;
  lfb_node *node = &nodes->nodes[run->held.node != LFB_NO_NODE ? run->held.node
                                                               : lfb_nodes_of(nodes, run->held_slot)];

  *sent = false;
  const lfb_status status = lfb_node_connect(nodes, node, &run->link->said);
  if (status != LFB_OK) {
    run->held.node = LFB_NO_NODE;
    return lfb_run_put_off(run, status, nodes->options.connect_ms);
  }
  *sent = run_has_room(nodes, node);
  return *sent ? run_send_held(run, node) : LFB_OK;
}

/* Requests the map of slots.  If that fails, the old map may still do, and the next failure
 * requests the map again; without an old map the request itself is tried again, after a pause. */
static lfb_status run_refresh(lfb_run *run)
{
  lfb_nodes *nodes = &run->link->nodes;

  run->stale = false;
  run->moved = 0;
  const lfb_status status = lfb_nodes_refresh(nodes, &run->link->said);
  return status == LFB_OK || nodes->known
             ? LFB_OK
             : lfb_run_put_off(run, status, nodes->options.connect_ms);
}

lfb_status lfb_run_fill(lfb_run *run)
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

lfb_status lfb_run_flush(lfb_run *run, lfb_node *node)
{
  bool moved;

  if (node->connection == NULL || lfb_connection_unsent(node->connection) == 0)
    return LFB_OK;
  const lfb_status status = lfb_connection_send(node->connection, &run->link->said, &moved);
  if (status != LFB_OK)
    return lfb_run_lose(run, node, status);
  if (moved)
    node->heard = lfb_net_now();
  return LFB_OK;
}
