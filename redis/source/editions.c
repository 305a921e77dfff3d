/* editions.c - reads the list of a filter's versions, and adds to it. */
#include "redis/source/editions.h"

#include <stdio.h>
#include <string.h>

enum {
  EDITION_VERSION = 2,
  EDITION_FIELDS = 8, /* of an entry: four names and four values */
};

/* ---- names ------------------------------------------------------------------- */

/* Makes {name:what}, or name:what if the name contains a hash tag. */
static lfb_key editions_key(const char *name, const char *what, char buffer[LFB_EDITIONS_NAME])
{
  return (lfb_key){buffer, lfb_name_with(lfb_text(name), lfb_text(what), true, buffer)};
}

lfb_status lfb_editions_init(lfb_editions *editions, const char *name)
{
  const size_t size = strlen(name);

  if (size < 1 || size > LFB_REDIS_VERSIONS_NAME)
    return LFB_ERROR_REDIS_BAD_NAME;
  memcpy(editions->name, name, size + 1);
  editions->versions = editions_key(name, "versions", editions->buffer[0]);
  editions->notes = editions_key(name, "notes", editions->buffer[1]);
  return LFB_OK;
}

void lfb_edition_name(const lfb_editions *editions, const lfb_token *token,
                      char name[LFB_EDITION_NAME])
{
  (void)snprintf(name, LFB_EDITION_NAME, "%s:%s", editions->name, token->text);
}

lfb_key lfb_edition_delta_key(const lfb_editions *editions, const lfb_token *token,
                              char buffer[LFB_EDITION_NAME])
{
  char what[LFB_TOKEN_SIZE + sizeof ":delta"];

  (void)snprintf(what, sizeof what, "%s:delta", token->text);
  return (lfb_key){buffer, lfb_name_with(lfb_text(editions->name), lfb_text(what), true, buffer)};
}

/* ---- tokens ------------------------------------------------------------------ */

bool lfb_token_is(const lfb_token *a, const lfb_token *b)
{
  return memcmp(a->text, b->text, sizeof a->text) == 0;
}

bool lfb_edition_is(const lfb_edition *a, const lfb_edition *b)
{
  return a->number == b->number && lfb_token_is(&a->token, &b->token);
}

bool lfb_token_read(const char *bytes, size_t size, lfb_token *token)
{
  if (size != LFB_TOKEN_SIZE)
    return false;
  for (size_t i = 0; i < size; i++)
    if (bytes[i] == '\0' || strchr("0123456789abcdef", bytes[i]) == NULL)
      return false;
  memcpy(token->text, bytes, size);
  token->text[size] = '\0';
  return true;
}

/* ---- reading ----------------------------------------------------------------- */

lfb_status lfb_editions_expect(const redisReply *reply, int type)
{
  const lfb_status status = lfb_reply_expect(reply, type);
  return status == LFB_ERROR_REDIS_NO_FILTER ? LFB_ERROR_REDIS_NO_VERSIONS : status;
}

/* Reads an entry's number, "N-0". */
static bool edition_read_number(lfb_key id, uint64_t *number)
{
  const char *bytes = id.bytes;

  return id.size > 2 && memcmp(bytes + id.size - 2, "-0", 2) == 0 &&
         lfb_wire_read_digits(bytes, id.size - 2, LFB_EDITION_MOST, number) && *number != 0;
}

/* Returns the value of field `name` at position `i`; empty if another field is there. */
static lfb_key edition_field(const redisReply *fields, size_t i, const char *name)
{
  const lfb_key found = lfb_reply_bytes(fields->element[i]);

  if (found.size != strlen(name) || memcmp(found.bytes, name, found.size) != 0)
    return (lfb_key){NULL, 0};
  return lfb_reply_bytes(fields->element[i + 1]);
}

/* Parses an untrusted entry of the list. */
static bool edition_read(const redisReply *entry, lfb_edition *edition)
{
  uint64_t version = 0;

  if (entry->type != REDIS_REPLY_ARRAY || entry->elements != 2)
    return false;
  const redisReply *fields = entry->element[1];
  if (fields->type != REDIS_REPLY_ARRAY || fields->elements < EDITION_FIELDS)
    return false;
  const lfb_key said = edition_field(fields, 0, "lfbloom");
  const lfb_key token = edition_field(fields, 2, "token");
  const lfb_key base = edition_field(fields, 4, "base");
  const lfb_key delta = edition_field(fields, 6, "delta");
  return edition_read_number(lfb_reply_bytes(entry->element[0]), &edition->number) &&
         lfb_wire_read_digits(said.bytes, said.size, EDITION_VERSION, &version) &&
         version == EDITION_VERSION &&
         lfb_token_read(token.bytes, token.size, &edition->token) &&
         lfb_token_read(base.bytes, base.size, &edition->base) &&
         lfb_wire_read_digits(delta.bytes, delta.size, LFB_MOST_DELTA, &edition->delta);
}

static lfb_status editions_listed(void *context, const redisReply *reply, bool again)
{
  lfb_edition_list *list = context;
  const lfb_status status = lfb_editions_expect(reply, REDIS_REPLY_ARRAY);

  (void)again;
  if (status != LFB_OK)
    return status;
  list->count = 0;
  for (size_t i = 0; i < reply->elements && list->count < LFB_REDIS_VERSIONS_REACH; i++)
    if (!edition_read(reply->element[i], &list->all[list->count++]))
      return LFB_ERROR_REDIS_NO_VERSIONS;
  return LFB_OK;
}

lfb_status lfb_editions_newest(lfb_link *link, const lfb_editions *editions, lfb_edition *newest)
{
  lfb_edition_list list;

  const lfb_status status =
      lfb_ask(link, editions_listed, &list,
              LFB_ARGS(lfb_text("XREVRANGE"), editions->versions, lfb_text("+"), lfb_text("-"),
                       lfb_text("COUNT"), lfb_text("1")));
  if (status == LFB_OK && list.count == 0)
    *newest = (lfb_edition){0};
  else if (status == LFB_OK)
    *newest = list.all[0];
  return status;
}

lfb_status lfb_editions_from(lfb_link *link, const lfb_editions *editions, uint64_t from,
                             lfb_edition_list *list)
{
  return lfb_ask(link, editions_listed, list,
                 LFB_ARGS(lfb_text("XRANGE"), editions->versions, LFB_NUMBER(from), lfb_text("+"),
                          lfb_text("COUNT"), LFB_NUMBER(LFB_REDIS_VERSIONS_REACH)));
}

/* ---- adding ------------------------------------------------------------------ */

/* The server answers a refused XADD with the general code ERR, as it does many other errors.  Only
 * the list shows what happened. */
typedef struct adding {
  bool doubtful;
} adding;

static lfb_status edition_added(void *context, const redisReply *reply, bool again)
{
  adding *add = context;

  (void)again;
  add->doubtful = lfb_reply_is_error(reply, "ERR");
  return add->doubtful ? LFB_OK : lfb_editions_expect(reply, REDIS_REPLY_STRING);
}

/* Finds out what happened to a refused edition.  It may have been added by an earlier attempt,
 * another edition may have been added, or the server may have had another reason. */
static lfb_status edition_look(lfb_link *link, const lfb_editions *editions,
                               const lfb_edition *edition)
{
  lfb_edition newest;
  lfb_edition_list list;

  lfb_status status = lfb_editions_newest(link, editions, &newest);
  if (status == LFB_OK && newest.number < edition->number)
    return LFB_ERROR_REDIS_REFUSED;
  if (status == LFB_OK)
    status = lfb_editions_from(link, editions, edition->number, &list);
  if (status != LFB_OK)
    return status;
  return list.count != 0 && lfb_edition_is(&list.all[0], edition) ? LFB_OK
             : LFB_ERROR_REDIS_OVERTAKEN;
}

lfb_status lfb_editions_add(lfb_link *link, const lfb_editions *editions,
                            const lfb_edition *edition)
{
  char id[LFB_WIRE_DIGITS + 3];
  adding add = {false};

  (void)snprintf(id, sizeof id, "%llu-0", (unsigned long long)edition->number);
  const lfb_status status = lfb_ask(
      link, edition_added, &add,
      LFB_ARGS(lfb_text("XADD"), editions->versions, lfb_text("MAXLEN"),
               LFB_NUMBER(LFB_REDIS_VERSIONS_REACH), lfb_text(id), lfb_text("lfbloom"),
               LFB_NUMBER(EDITION_VERSION), lfb_text("token"), lfb_text(edition->token.text),
               lfb_text("base"), lfb_text(edition->base.text), lfb_text("delta"),
               LFB_NUMBER(edition->delta)));
  return status == LFB_OK && add.doubtful ? edition_look(link, editions, edition) : status;
}
