/*
 * run.h - a job on its way: what the files run*.c do with it.
 *
 * A command is in one place at a time: not begun (next), held (written, but its node takes no
 * more), in flight at a node, or waiting to be sent again.  All that wait are sent before
 * anything that is not begun, the job's earlier ones first: so commands of one slot stay in
 * order whatever is lost.
 */
#ifndef LFB_REDIS_RUN_H
#define LFB_REDIS_RUN_H

#include "redis/link/link.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lfb_run {
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
  uint64_t silent;   /* since when; of failures                  */
  bool doubt;        /* what a node has done its replicas may lack, and it is lost  */
  uint32_t waits;    /* WAITs that are not answered              */
  uint32_t overs;    /* how often it began anew                  */
  uint64_t resume;   /* nothing is sent before, lfb_net_now()    */
} lfb_run;

/* After a failure: begins a pause and returns LFB_OK, or has the job fail.  Where it is that no
 * answer came in time, that was `patience_ms`. */
lfb_status lfb_run_put_off(lfb_run *run, lfb_status status, uint32_t patience_ms);

/* Has a command wait to be sent again. */
lfb_status lfb_run_wait_again(lfb_run *run, lfb_errand errand);

/* Gives a node's connection up: what it has not answered is sent again. */
lfb_status lfb_run_lose(lfb_run *run, lfb_node *node, lfb_status why);

/* Sends commands until there are none, or a node has no room; nothing during a pause. */
lfb_status lfb_run_fill(lfb_run *run);

/* Sends a node what it takes. */
lfb_status lfb_run_flush(lfb_run *run, lfb_node *node);

/* Takes what a node has sent. */
lfb_status lfb_run_receive(lfb_run *run, uint16_t from);

/* Whether the job is to be with replicas. */
bool lfb_run_keeps(const lfb_run *run);

/* Has each node that owes wait for its replicas, once all is answered; takes the answer. */
lfb_status lfb_run_keep(lfb_run *run);
lfb_status lfb_run_kept(lfb_run *run, lfb_node *node, const redisReply *reply);

/* Where there is doubt: begins anew, or has the job fail, having done so often enough. */
lfb_status lfb_run_over(lfb_run *run);

/* Notes what is sent to a node, written behind all else that is. */
lfb_status lfb_run_errand(lfb_node *node, lfb_errand errand);

#ifdef __cplusplus
}
#endif

#endif
