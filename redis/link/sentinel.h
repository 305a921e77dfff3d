/*
 * sentinel.h - connects to the master that Redis sentinels monitor under a name.
 *
 * Sentinels promote a replica when the master is lost.  So its address is not kept: the sentinels
 * are asked before each connection, beginning with the one that gave the last good address.  The
 * next one is asked if a sentinel cannot be reached, does not know the name, or is stale: it gives
 * the address of a server that cannot be reached, or whose ROLE is not master.
 *
 * Source  redis.io/docs, "Guidelines for Redis clients with support for Redis Sentinel".
 */
#ifndef LFB_REDIS_SENTINEL_H
#define LFB_REDIS_SENTINEL_H

#include <lfbloom/redis.h>
#include <stddef.h>
#include <stdint.h>

#include "redis/link/connection.h"

LFB_EXTERN_C_BEGIN

typedef struct lfb_sentinel {
  const char *host;
  uint16_t port;
} lfb_sentinel;

/* All zero is a list of none. */
typedef struct lfb_sentinels {
  lfb_sentinel *all;
  size_t count;
  size_t first; /* index of the one that is asked first */
  char *text;   /* the memory of the hosts              */
} lfb_sentinels;

/* A connection to a master, and its address.  The caller frees both. */
typedef struct lfb_master {
  lfb_connection *connection;
  char *host;
  uint16_t port;
} lfb_master;

/* Reads a list host[:port],...; `port` is that of sentinels without one.  Fails:
 * LFB_ERROR_REDIS_ADDRESS, LFB_ERROR_NO_MEMORY. */
lfb_status lfb_sentinels_init(lfb_sentinels *sentinels, const char *list, uint16_t port);
void lfb_sentinels_free(lfb_sentinels *sentinels); /* twice does no harm */

/*
 * Connects to the master of the name options->master.
 *
 * Fails  if no sentinel gives the address of a master that can be reached:
 *        - LFB_ERROR_REDIS_CONNECT, _LOST, _TIMEOUT, _UNAVAILABLE: a sentinel gave an address, and
 *          the connection to it failed so; _UNAVAILABLE also if the server there is not a master;
 *        - otherwise LFB_ERROR_REDIS_NO_SENTINEL: a sentinel cannot be reached, or the sentinels
 *          failed by mistakes of different kinds;
 *        - otherwise the one mistake by which all failed: LFB_ERROR_REDIS_NO_MASTER, if they do not
 *          know the name; _HOST, _LOGIN, _DENIED (no right to ROLE), _REFUSED, _PROTOCOL,
 *          _DATABASE; as lfb_tls_open().
 *        LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_sentinels_connect(lfb_sentinels *sentinels, const lfb_redis_options *options,
                                 lfb_tls_context *tls, lfb_said *said, lfb_master *master);

LFB_EXTERN_C_END

#endif
