/*
 * fitness.h - a Redis replica that answers queries in place of its master (options.read_replicas):
 * when it may be asked.
 *
 * Check  A replica is asked only if it says by ROLE that it is connected to its master: when the link
 *        has connected to it, and before the first command of a job that begins a second after the
 *        last check.  Outside a cluster it must also have the lineage of the master that lists it: at
 *        the listed address there may be a replica of another one.
 * Rest   A replica that fails in any way rests: it is not asked for a second, then for twice as long
 *        each time, up to a minute, until it answers again.
 */
#ifndef LFB_REDIS_FITNESS_H
#define LFB_REDIS_FITNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "redis/link/connection.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LFB_FITNESS_CHECK_MS = 1000,
  LFB_FITNESS_REST_MS = 1000,
  LFB_FITNESS_DOUBLED = 6, /* times, to 64 s */
};

/* All zero has not been asked yet. */
typedef struct lfb_fitness {
  uint64_t rests_until; /* lfb_net_now(); 0: it does not rest     */
  uint64_t checked;     /* when it last passed the check          */
  uint32_t rests;       /* in a row, without an answer in between */
} lfb_fitness;

/* Whether it rests now. */
bool lfb_fitness_rests(lfb_fitness *fitness);

/* Notes that it failed; does nothing if it rests already. */
void lfb_fitness_fail(lfb_fitness *fitness);

/* Notes that it answered. */
static inline void lfb_fitness_answer(lfb_fitness *fitness)
{
  fitness->rests = 0;
}

/* Whether the next check is due. */
bool lfb_fitness_is_due(const lfb_fitness *fitness);

/* Checks it, over a connection on which nothing else is in flight.  `lineage`: that it must have;
 * NULL: any.  Fails as lfb_role_ask() and lfb_lineage_ask(); LFB_ERROR_REDIS_UNAVAILABLE. */
lfb_status lfb_fitness_check(lfb_fitness *fitness, lfb_connection *connection,
                             const char *lineage, uint32_t limit_ms, lfb_said *said);

#ifdef __cplusplus
}
#endif

#endif
