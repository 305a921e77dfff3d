/* fitness.c - a replica's checks and rests. */
#include "redis/link/fitness.h"

#include <string.h>

#include "redis/link/net.h"
#include "redis/link/role.h"

bool lfb_fitness_rests(lfb_fitness *fitness)
{
  /* Asked for each command: no clock is read for a replica that does not rest. */
  if (fitness->rests_until != 0 && lfb_net_now() >= fitness->rests_until)
    fitness->rests_until = 0;
  return fitness->rests_until != 0;
}

void lfb_fitness_fail(lfb_fitness *fitness)
{
  if (lfb_fitness_rests(fitness))
    return;
  fitness->rests_until = lfb_net_now() + ((uint64_t)LFB_FITNESS_REST_MS << fitness->rests);
  fitness->rests += fitness->rests < LFB_FITNESS_DOUBLED;
}

bool lfb_fitness_is_due(const lfb_fitness *fitness)
{
  return lfb_net_now() >= fitness->checked + LFB_FITNESS_CHECK_MS;
}

lfb_status lfb_fitness_check(lfb_fitness *fitness, lfb_connection *connection,
                             const char *lineage, uint32_t limit_ms, lfb_said *said)
{
  char its_own[LFB_LINEAGE + 1];
  const redisReply *role;

  lfb_status status = lfb_role_ask(connection, limit_ms, said, &role);
  if (status != LFB_OK)
    return status;
  if (!lfb_role_is_connected(role))
    return lfb_said_set(said, LFB_ERROR_REDIS_UNAVAILABLE, NULL,
                        "not a replica that is connected to its master");
  if (lineage != NULL)
    status = lfb_lineage_ask(connection, limit_ms, said, its_own);
  if (status != LFB_OK)
    return status;
  if (lineage != NULL && strcmp(its_own, lineage) != 0)
    return lfb_said_set(said, LFB_ERROR_REDIS_UNAVAILABLE, NULL, "a replica of another master");
  fitness->checked = lfb_net_now();
  return LFB_OK;
}
