/*
 * link.h - a Redis server, or a cluster found from one of its nodes, that takes many commands at
 * a time.
 *
 * A job is a number of independent commands: no MULTI, no SUBSCRIBE, nothing that leaves state in
 * a connection.  They are sent ahead of their answers, at most options.window of them to each
 * node; nodes work in parallel.
 *
 * Cluster    The map of slots is requested at first, and again when it proves wrong: a node reports
 *            it (MOVED), or is lost.  ASK, TRYAGAIN, CLUSTERDOWN and LOADING are handled here,
 *            too; no caller sees them.  If a node answers READONLY or MASTERDOWN, it is a replica,
 *            and its connection is closed: another server may have taken its address.
 * Lost       If a connection breaks, or a node is silent for options.timeout_ms while an answer is
 *            due, its unanswered commands are sent again.  After a growing pause it tries again,
 *            at most options.retries times in a row without any answer.  So a command may be
 *            executed twice, and only `again` tells the second time from the first.  A job should
 *            consist of commands that may be repeated.
 * Order      Commands of one slot are sent in order, and their replies come in order.  If a server
 *            puts a command off (MOVED, ASK, TRYAGAIN, CLUSTERDOWN, LOADING), it is executed
 *            after commands that were sent after it, and its reply comes after theirs.
 * Replicas   If options.replicas is not 0, a job that writes (link->writes) ends with a WAIT
 *            at each node that executed some of it, over the same connection.  If that connection
 *            was lost, another server may have replaced the node without having all of its
 *            data.  Then the whole job is done again, and each command's reply comes once more,
 *            with `again`.
 * Failing    If a job fails, any of its commands may have been executed.  The link stays
 *            usable: the next job connects again where needed.
 * Threads    One thread at a time may use a link.
 */
#ifndef LFB_REDIS_LINK_H
#define LFB_REDIS_LINK_H

#include <hiredis/hiredis.h>
#include <lfbloom/c11.h>
#include <lfbloom/redis.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "redis/link/nodes.h"
#include "redis/link/wire.h"

LFB_EXTERN_C_BEGIN

enum { LFB_POOL_LINKS = 16 };

/* A connection to a server, or to the nodes of a cluster.  Code outside redis/link may read
 * said.text, the last error text of the server or the network, and nodes.cluster, and set `writes`,
 * which is false at first. */
typedef struct lfb_link {
  lfb_nodes nodes;
  lfb_said said;
  lfb_queue waiting;     /* commands to be sent again              */
  lfb_wire held;         /* the bytes of the held command (link.c) */
  bool writes;           /* its jobs write (Replicas)              */
  struct pollfd *polled; /* for poll(), one for each node          */
  uint16_t polled_count; /* entries in `polled`                    */
} lfb_link;

/* Commands 0 to count - 1. */
typedef struct lfb_job {
  uint64_t count;
  /* Writes command `i`; returns the lfb_key_slot() of its key, or LFB_ANY_SLOT.  Called again
   * for a command that is sent again. */
  uint16_t (*command)(void *context, uint64_t i, lfb_wire *wire);
  /* Takes the reply to command `i`, valid only until it returns; called once for each command
   * (but see Replicas).  Error replies come here, too: see lfb_reply_status().  Any status
   * except LFB_OK ends the job.  `again`: the command was sent before over a connection that was
   * lost, and may have been executed then. */
  lfb_status (*reply)(void *context, uint64_t i, const redisReply *reply, bool again);
  void *context;
} lfb_job;

/*
 * Connects, with the same retries as a job.
 *
 * Fails  as lfb_nodes_init(); as lfb_link_run(); LFB_ERROR_REDIS_HOST without a retry.  Since
 *        there is then no link, `said`, unless NULL, holds the error text; "" if nothing was
 *        said.
 */
lfb_status lfb_link_open(const lfb_redis_options *options, lfb_said *said, lfb_link **link);
void lfb_link_close(lfb_link *link); /* NULL is ignored */

/*
 * Runs a job until it ends or fails.
 *
 * Fails  with what `reply` returned; after all retries, as lfb_connection_open() and with
 *        LFB_ERROR_REDIS_LOST, _TIMEOUT, _UNAVAILABLE; LFB_ERROR_REDIS_PROTOCOL, also for a
 *        malformed redirection; LFB_ERROR_NO_MEMORY; if it writes, LFB_ERROR_REDIS_REPLICAS.
 */
lfb_status lfb_link_run(lfb_link *link, const lfb_job *job);

/*
 * Unused links, for the next thread that needs one.
 *
 * Progress  lock-free: a link is taken by one exchange, returned by one compare-and-exchange.
 *           If none is left, a thread opens a link of its own.
 * Memory    At most LFB_POOL_LINKS links are kept; further ones are closed after use.
 */
typedef struct lfb_pool {
  lfb_redis_options options; /* with texts of its own */
  LFB_ATOMIC(lfb_link *) links[LFB_POOL_LINKS]; /* NULL: none */
} lfb_pool;

/* Copies the options, without connecting.  Fails as lfb_options_copy(). */
lfb_status lfb_pool_init(lfb_pool *pool, const lfb_redis_options *options);

/* Closes the links.  No call may be using one. */
void lfb_pool_free(lfb_pool *pool);

/* Takes an unused link or opens one, and sets its `writes`.  Fails as lfb_link_open(). */
lfb_status lfb_pool_take(lfb_pool *pool, bool writes, lfb_link **link);

/* Returns a link to the pool, in any state: it connects again when needed. */
void lfb_pool_leave(lfb_pool *pool, lfb_link *link);

LFB_EXTERN_C_END

#endif
