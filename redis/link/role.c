/* role.c - reads the replies to ROLE and to INFO replication. */
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

lfb_status lfb_lineage_ask(lfb_connection *connection, uint32_t limit_ms, lfb_said *said,
                           char lineage[LFB_LINEAGE + 1])
{
  static const char field[] = "\r\nmaster_replid:";
  const redisReply *reply;

  lfb_wire_begin(&connection->out, 2);
  lfb_wire_text(&connection->out, "INFO");
  lfb_wire_text(&connection->out, "replication");
  const lfb_status status = lfb_connection_request(connection, limit_ms, said, &reply);
  if (status != LFB_OK)
    return status;
  const char *at = reply->type == REDIS_REPLY_STRING ? strstr(reply->str, field) : NULL;
  if (at == NULL || strcspn(at + sizeof field - 1, "\r") != LFB_LINEAGE)
    return lfb_said_set(said, LFB_ERROR_REDIS_REFUSED, NULL, "INFO has no master_replid");
  memcpy(lineage, at + sizeof field - 1, LFB_LINEAGE);
  lineage[LFB_LINEAGE] = '\0';
  return LFB_OK;
}

static bool role_says(const redisReply *role, size_t i, const char *what)
{
  return role->elements > i && role->element[i]->type == REDIS_REPLY_STRING &&
         strcmp(role->element[i]->str, what) == 0;
}

bool lfb_role_is_master(const redisReply *role)
{
  return role_says(role, 0, "master");
}

/* ["slave", master's host, port, state, offset] */
bool lfb_role_is_connected(const redisReply *role)
{
  return role_says(role, 0, "slave") && role_says(role, 3, "connected");
}

/* ["master", offset, replicas] */
size_t lfb_role_replicas(const redisReply *role)
{
  return lfb_role_is_master(role) && role->elements > 2 &&
                 role->element[2]->type == REDIS_REPLY_ARRAY
             ? role->element[2]->elements
             : 0;
}

/* [host, port, offset], all texts */
bool lfb_role_replica(const redisReply *role, size_t i, const char **host, uint16_t *port)
{
  const redisReply *entry = role->element[2]->element[i];
  uint64_t number;

  if (entry->type != REDIS_REPLY_ARRAY || entry->elements < 2)
    return false;
  const redisReply *name = entry->element[0], *digits = entry->element[1];
  if (name->type != REDIS_REPLY_STRING || *name->str == '\0' || *name->str == '/' ||
      digits->type != REDIS_REPLY_STRING ||
      !lfb_wire_read_digits(digits->str, digits->len, UINT16_MAX, &number) || number == 0)
    return false;
  *host = name->str;
  *port = (uint16_t)number;
  return true;
}
