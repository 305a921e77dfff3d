/* sentinel.c - asks sentinels for a master's address, and checks it by ROLE. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "redis/link/sentinel.h"

#include <stdlib.h>
#include <string.h>

#include "redis/link/options.h"

/* ---- the list ------------------------------------------------------------ */

static size_t sentinels_count(const char *list)
{
  size_t count = 1;

  for (; *list != '\0'; list++)
    count += *list == ',';
  return count;
}

/* Cuts sentinels->text into the hosts of all. */
static bool sentinels_read(lfb_sentinels *sentinels, uint16_t port)
{
  char *rest = sentinels->text;

  for (size_t i = 0; i < sentinels->count; i++) {
    lfb_sentinel *one = &sentinels->all[i];
    one->port = port;
    if (!lfb_address_next(&rest, &one->host, &one->port))
      return false;
  }
  return true;
}

lfb_status lfb_sentinels_init(lfb_sentinels *sentinels, const char *list, uint16_t port)
{
  lfb_sentinels made = {.count = sentinels_count(list), .text = strdup(list)};
  lfb_status status = LFB_ERROR_NO_MEMORY;

  made.all = calloc(made.count, sizeof *made.all);
  if (made.all != NULL && made.text != NULL)
    status = sentinels_read(&made, port) ? LFB_OK : LFB_ERROR_REDIS_ADDRESS;
  if (status != LFB_OK) {
    lfb_sentinels_free(&made);
    return status;
  }
  *sentinels = made;
  return LFB_OK;
}

void lfb_sentinels_free(lfb_sentinels *sentinels)
{
  free(sentinels->all);
  free(sentinels->text);
  *sentinels = (lfb_sentinels){.count = 0};
}

/* ---- one sentinel -------------------------------------------------------- */

/* Reads [host, port].  A path is refused: it would be a socket on this host. */
static bool sentinel_read(const redisReply *reply, lfb_master *master)
{
  uint64_t port;

  if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2)
    return false;
  const redisReply *host = reply->element[0], *digits = reply->element[1];
  if (host->type != REDIS_REPLY_STRING || *host->str == '\0' || *host->str == '/' ||
      strlen(host->str) != host->len || digits->type != REDIS_REPLY_STRING ||
      !lfb_wire_read_digits(digits->str, digits->len, UINT16_MAX, &port) || port == 0)
    return false;
  master->port = (uint16_t)port;
  master->host = strdup(host->str);
  return true;
}

/* Asks a sentinel for the address of the master. */
static lfb_status sentinel_ask(lfb_connection *connection, const lfb_redis_options *options,
                               lfb_said *said, lfb_master *master)
{
  lfb_wire *out = &connection->out;
  const redisReply *reply;

  lfb_wire_begin(out, 3);
  lfb_wire_text(out, "SENTINEL");
  lfb_wire_text(out, "GET-MASTER-ADDR-BY-NAME");
  lfb_wire_text(out, options->master);
  const lfb_status status = lfb_connection_request(connection, options->connect_ms, said, &reply);
  if (status != LFB_OK)
    return status;
  if (reply->type == REDIS_REPLY_NIL)
    return lfb_said_set(said, LFB_ERROR_REDIS_NO_MASTER, options->master, "no such master");
  if (!sentinel_read(reply, master))
    return lfb_said_set(said, LFB_ERROR_REDIS_PROTOCOL, NULL, "not the address of a master");
  return master->host == NULL ? LFB_ERROR_NO_MEMORY : LFB_OK;
}

/* Connects to a sentinel for the address of the master.  If that may pass, any failure is
 * LFB_ERROR_REDIS_NO_SENTINEL. */
static lfb_status sentinel_find(const lfb_sentinel *sentinel, const lfb_redis_options *options,
                                lfb_tls_context *tls, lfb_said *said, lfb_master *master)
{
  lfb_redis_options login = *options;
  lfb_connection *connection;

  login.user = options->sentinel_user;
  login.password = options->sentinel_password;
  login.database = 0;
  lfb_status status =
      lfb_connection_open(&login, tls, sentinel->host, sentinel->port, said, &connection);
  if (status == LFB_OK) {
    status = sentinel_ask(connection, options, said, master);
    lfb_connection_close(connection);
  }
  return lfb_connection_may_pass(status) ? LFB_ERROR_REDIS_NO_SENTINEL : status;
}

/* ---- the master ---------------------------------------------------------- */

/* Checks by ROLE that a server is a master. */
static lfb_status master_check(lfb_connection *connection, const lfb_redis_options *options,
                               lfb_said *said)
{
  const redisReply *role = NULL;

  lfb_wire_begin(&connection->out, 1);
  lfb_wire_text(&connection->out, "ROLE");
  const lfb_status status = lfb_connection_request(connection, options->connect_ms, said, &role);
  if (status != LFB_OK)
    return status;
  if (role->type != REDIS_REPLY_ARRAY || role->elements == 0 ||
      role->element[0]->type != REDIS_REPLY_STRING)
    return lfb_said_set(said, LFB_ERROR_REDIS_PROTOCOL, NULL, "another answer than to ROLE");
  const char *is = role->element[0]->str;
  return strcmp(is, "master") == 0 ? LFB_OK
                                   : lfb_said_set(said, LFB_ERROR_REDIS_UNAVAILABLE, is, "not a master");
}

/* Connects to the server that one sentinel gives. */
static lfb_status master_open(const lfb_sentinel *sentinel, const lfb_redis_options *options,
                              lfb_tls_context *tls, lfb_said *said, lfb_master *master)
{
  lfb_master found = {.host = NULL};

  lfb_status status = sentinel_find(sentinel, options, tls, said, &found);
  if (status == LFB_OK)
    status = lfb_connection_open(options, tls, found.host, found.port, said, &found.connection);
  if (status == LFB_OK)
    status = master_check(found.connection, options, said);
  if (status != LFB_OK) {
    lfb_connection_close(found.connection);
    free(found.host);
    return status;
  }
  *master = found;
  return LFB_OK;
}

/* ---- all of them --------------------------------------------------------- */

/* How much a failure says about the others: 2: a server is known; 1: a sentinel may know one; 0: a
 * mistake, if all make it. */
static int sentinels_rank(lfb_status status)
{
  return status == LFB_ERROR_REDIS_NO_SENTINEL ? 1 : lfb_connection_may_pass(status) ? 2 : 0;
}

/* The failure of several sentinels from that of some and that of one more. */
static lfb_status sentinels_add(lfb_status some, lfb_status one)
{
  const int rank = sentinels_rank(some), other = sentinels_rank(one);

  if (some == LFB_OK || other > rank)
    return one;
  return rank > other || some == one || rank != 0 ? some : LFB_ERROR_REDIS_NO_SENTINEL;
}

lfb_status lfb_sentinels_connect(lfb_sentinels *sentinels, const lfb_redis_options *options,
                                 lfb_tls_context *tls, lfb_said *said, lfb_master *master)
{
  const size_t first = sentinels->first;
  lfb_status all = LFB_OK;

  for (size_t i = 0; i < sentinels->count; i++) {
    const size_t at = (first + i) % sentinels->count;
    const lfb_status status = master_open(&sentinels->all[at], options, tls, said, master);
    if (status == LFB_OK)
      sentinels->first = at;
    if (status == LFB_OK || status == LFB_ERROR_NO_MEMORY)
      return status;
    all = sentinels_add(all, status);
  }
  return all;
}
