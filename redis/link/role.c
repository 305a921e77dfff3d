/* role.c - reads the reply to ROLE. */
#include "redis/link/role.h"

#include <string.h>

lfb_status lfb_role_ask(lfb_connection *connection, uint32_t limit_ms, lfb_said *said,
                        const redisReply **role)
{
  const redisReply *reply;

  lfb_wire_begin(&connection->out, 1);
  lfb_wire_text(&connection->out, "ROLE");
  const lfb_status status = lfb_connection_request(connection, limit_ms, said, &reply);
  if (status != LFB_OK)
    return status;
  if (reply->type != REDIS_REPLY_ARRAY || reply->elements == 0 ||
      reply->element[0]->type != REDIS_REPLY_STRING)
    return lfb_said_set(said, LFB_ERROR_REDIS_PROTOCOL, NULL, "another answer than to ROLE");
  *role = reply;
  return LFB_OK;
}

bool lfb_role_is_master(const redisReply *role)
{
  return strcmp(role->element[0]->str, "master") == 0;
}
