/*
 * role.h - what a server says of itself: by ROLE, that it is a master with its replicas, or a replica;
 * by INFO, whose data it has.
 */
#ifndef LFB_REDIS_ROLE_H
#define LFB_REDIS_ROLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redis/link/connection.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sends ROLE and waits for the reply, which is an array that begins with a text.  Fails as
 * lfb_connection_request(); LFB_ERROR_REDIS_PROTOCOL. */
lfb_status lfb_role_ask(lfb_connection *connection, uint32_t limit_ms, lfb_said *said,
                        const redisReply **role);

enum { LFB_LINEAGE = 40 }; /* hexadecimal digits */

/* Asks for the random id of a server's data (master_replid): a master and all that replicate it have
 * the same.  Fails as lfb_connection_request(); LFB_ERROR_REDIS_REFUSED: it tells none. */
lfb_status lfb_lineage_ask(lfb_connection *connection, uint32_t limit_ms, lfb_said *said,
                           char lineage[LFB_LINEAGE + 1]);

bool lfb_role_is_master(const redisReply *role);

/* Whether it is a replica that has a connection to its master, and is not loading its data. */
bool lfb_role_is_connected(const redisReply *role);

/* The number of a master's connected replicas, and the address of one.  False: malformed, or a
 * path, which would be a socket on this host. */
size_t lfb_role_replicas(const redisReply *role);
bool lfb_role_replica(const redisReply *role, size_t i, const char **host, uint16_t *port);

#ifdef __cplusplus
}
#endif

#endif
