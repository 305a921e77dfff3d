/* run_keep.c - has replicas keep what a job has written, by WAIT.  Floor 16. */
#include <string.h>

#include "redis/link/run.h"

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

/* Whether a node did not wait that may another time, or another in its place: it is busy with a
 * script, loads, or has become a replica itself. */
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
