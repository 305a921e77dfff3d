/*
 * role.h - whether a server is a master, by ROLE.
 */
#ifndef LFB_REDIS_ROLE_H
#define LFB_REDIS_ROLE_H

#include <stdbool.h>
#include <stdint.h>

#include "redis/link/connection.h"

LFB_EXTERN_C_BEGIN

/* Sends ROLE and waits for the reply, which is an array that begins with a text.  Fails as
 * lfb_connection_request(); LFB_ERROR_REDIS_PROTOCOL. */
lfb_status lfb_role_ask(lfb_connection *connection, uint32_t limit_ms, lfb_said *said,
                        const redisReply **role);

bool lfb_role_is_master(const redisReply *role);

LFB_EXTERN_C_END

#endif
