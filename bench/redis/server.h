/*
 * server.h - the server that a benchmark of redis/ talks to: one that it starts, which ends with
 * it, or one whose address is the program's first argument.
 */
#ifndef LFB_BENCH_REDIS_SERVER_H
#define LFB_BENCH_REDIS_SERVER_H

#include <lfbloom/redis.h>
#include <stdbool.h>

#include "redis/link/link.h"

/* Reads the first argument as an address if it does not begin with '-', and removes it; else
 * starts a server.  False after a report. */
bool bench_server_begin(int *argc, char ***argv, lfb_redis_address *place);

/* Connects once the server answers; NULL after a report, also if it is a cluster. */
lfb_link *bench_server_link(const lfb_redis_address *place);

#endif
