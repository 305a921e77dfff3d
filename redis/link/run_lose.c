/* run_lose.c - what is done about failures: pauses, and sending again.  Floor 16. */
#include "redis/link/net.h"
#include "redis/link/run.h"

enum { RUN_FIRST_PAUSE = 20, RUN_LONGEST_PAUSE = 2000 }; /* ms */

static bool run_may_pass(lfb_status status)
{
  return status == LFB_ERROR_REDIS_CONNECT || status == LFB_ERROR_REDIS_LOST ||
         status == LFB_ERROR_REDIS_TIMEOUT || status == LFB_ERROR_REDIS_UNAVAILABLE;
}

/* Whether a failure, of which it is known that it may pass, is to be followed by another try. */
static bool run_goes_on(lfb_run *run, lfb_status why, uint64_t silent_ms, uint64_t now)
{
  const lfb_redis_options *options = &run->link->nodes.options;

  if (run->failures == 0)
    run->silent = now - silent_ms;
  return run->failures < options->retries &&
         (options->go_on == NULL || options->go_on(options->told, why, now - run->silent));
}

lfb_status lfb_run_put_off(lfb_run *run, lfb_status status, uint32_t patience_ms)
{
  const uint32_t silent_ms = status == LFB_ERROR_REDIS_TIMEOUT ? patience_ms : 0;
  const uint64_t now = lfb_net_now();

  if (!run_may_pass(status))
    return status;
  run->stale = true;
  if (now < run->resume) /* one of several that failed together */
    return LFB_OK;
  if (!run_goes_on(run, status, silent_ms, now))
    return status;
  const uint64_t pause = run->failures < 7 ? (uint64_t)RUN_FIRST_PAUSE << run->failures
                                           : RUN_LONGEST_PAUSE;
  run->resume = now + (pause < RUN_LONGEST_PAUSE ? pause : RUN_LONGEST_PAUSE);
  run->failures++;
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
