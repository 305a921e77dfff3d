/*
 * link.h - a Redis server, or a cluster found from one of its nodes, to which commands go many
 * at a time.
 *
 * A job is a number of commands, each for itself: no MULTI, no SUBSCRIBE, nothing that a
 * connection would have to remember.  They are written ahead of their answers, to each node
 * at most options.window of them; nodes work beside each other.
 *
 * Cluster    Which node has which slot is asked once, and again when it turns out otherwise:
 *            a node says so (MOVED), or is lost.  ASK, TRYAGAIN, CLUSTERDOWN and LOADING are
 *            dealt with here too; no caller sees them.  Where a node says READONLY, its
 *            connection is lost: another server may have got its address.
 * Lost       Where a connection breaks, or a node is silent for options.timeout_ms with an
 *            answer due, what it has not answered is sent again: options.retries times as
 *            long as nothing at all is answered, with growing pauses.  A command may so be
 *            done twice, the second time being told from the first by `again` alone: jobs
 *            should be of commands that may be repeated.
 * Order      Commands of one slot are sent in order, and their replies come in order.  Those
 *            that a server puts off (MOVED, ASK, TRYAGAIN, CLUSTERDOWN, LOADING) come after
 *            those that were under way behind them, done after them too.
 * Replicas   Where options.replicas is not 0, a job that writes (lfb_link_write()) ends with a
 *            WAIT at each node that has done some of it, over the connection that it was done
 *            over.  Where that was lost, another server may be in the node's place, to which the
 *            lost one had not told all: then the job is done over from its beginning, and each
 *            command's reply comes once more, with `again`.
 * Failing    A job that fails may have had any part of its commands done.  The link is as
 *            good as before: the next job connects anew where it must.
 * Threads    A link is used by one at a time.
 */
#ifndef LFB_REDIS_LINK_H
#define LFB_REDIS_LINK_H

#include <hiredis/hiredis.h>
#include <lfbloom/redis.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "redis/link/nodes.h"
#include "redis/link/queue.h"
#include "redis/link/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A connection to a server, or to the nodes of a cluster.  Others read said.text, what the server
 * or the network said last to be wrong, and nodes.cluster. */
typedef struct lfb_link {
  lfb_nodes nodes;
  lfb_said said;
  lfb_queue waiting;     /* to be sent again                     */
  lfb_wire held;         /* the command that is held             */
  bool writes;           /* its jobs do                          */
  struct pollfd *polled; /* what poll() is to look at, a row a node */
  uint16_t polled_count; /* .. for which there is room           */
} lfb_link;

/* Commands 0 to count - 1. */
typedef struct lfb_job {
  uint64_t count;
  /* Writes command `i`; returns the lfb_key_slot() of its key, or LFB_ANY_SLOT.  Called again
   * for a command that is sent again. */
  uint16_t (*command)(void *context, uint64_t i, lfb_wire *wire);
  /* Gets the reply to command `i`, once (but see Replicas), and only until it returns; errors
   * among them, of which lfb_reply_status() says what they mean.  Anything but LFB_OK ends the job.
   * `again`: the command was sent before, over a connection that was lost, and may have been done
   * then. */
  lfb_status (*reply)(void *context, uint64_t i, const redisReply *reply, bool again);
  void *context;
} lfb_job;

/*
 * Connects, once: no options.retries.
 *
 * Fails  LFB_ERROR_REDIS_TLS; as lfb_connection_open().  There is no link then to tell what
 *        the server said: `said` does, unless NULL.
 */
lfb_status lfb_link_open_saying(const lfb_redis_options *options, lfb_said *said, lfb_link **link);
lfb_status lfb_link_open(const lfb_redis_options *options, lfb_link **link);
void lfb_link_close(lfb_link *link); /* NULL: nothing */

/* Says whether the jobs from now on write; at first they do not. */
void lfb_link_write(lfb_link *link, bool writes);

/*
 * Does a job, to its end or its failure.
 *
 * Fails  with what `reply` returned; as lfb_connection_open(), once there were retries enough;
 *        LFB_ERROR_REDIS_LOST, _TIMEOUT, _UNAVAILABLE likewise; LFB_ERROR_REDIS_PROTOCOL, also
 *        where a redirection makes no sense; LFB_ERROR_NO_MEMORY; where it writes,
 *        LFB_ERROR_REDIS_REPLICAS.
 */
lfb_status lfb_link_run(lfb_link *link, const lfb_job *job);

#ifdef __cplusplus
}
#endif

#endif
