/*
 * run.h - a job in progress, as the files run*.c handle it.
 *
 * A command is in one place at a time: not begun (next), held (written, but its node has no
 * room), in flight at a node, or waiting to be sent again.  Waiting commands are sent before
 * those not begun, the job's earlier ones first.  So the commands of one slot stay in order even
 * if connections are lost.
 */
#ifndef LFB_REDIS_RUN_H
#define LFB_REDIS_RUN_H

#include "redis/link/link.h"

LFB_EXTERN_C_BEGIN

typedef struct lfb_run {
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
} lfb_run;

/* Handles a failure: begins a pause and returns LFB_OK, or returns a status that ends the job.
 * `patience_ms`: if the failure is a timeout, how long it was. */
lfb_status lfb_run_put_off(lfb_run *run, lfb_status status, uint32_t patience_ms);

/* Adds a command to those that wait to be sent again. */
lfb_status lfb_run_wait_again(lfb_run *run, lfb_errand errand);

/* Closes a node's connection, and handles the failure; commands that it has not answered wait to be sent
 * again. */
lfb_status lfb_run_lose(lfb_run *run, lfb_node *node, lfb_status why);

/* Sends commands until there are none, or a node has no room.  Does nothing during a pause. */
lfb_status lfb_run_fill(lfb_run *run);

/* Sends a node as many bytes as it takes. */
lfb_status lfb_run_flush(lfb_run *run, lfb_node *node);

/* Takes the replies that a node has sent. */
lfb_status lfb_run_receive(lfb_run *run, uint16_t from);

/* Whether the job must wait for replicas. */
bool lfb_run_keeps(const lfb_run *run);

/* keep, called once all is answered, sends a WAIT to each node that owes; kept takes its
 * answer. */
lfb_status lfb_run_keep(lfb_run *run);
lfb_status lfb_run_kept(lfb_run *run, lfb_node *node, const redisReply *reply);

/* If there is doubt: begins the job again, or fails after options.retries of these. */
lfb_status lfb_run_over(lfb_run *run);

/* Notes a command that was written to a node, after all others. */
lfb_status lfb_run_errand(lfb_node *node, lfb_errand errand);

LFB_EXTERN_C_END

#endif
