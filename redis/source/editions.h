/*
 * editions.h - the list of a filter's versions on a server, and the names of their keys.
 *
 * An edition is a version as it is stored on the server.  The list of editions is a Redis stream,
 * {name:versions}; its entry N-0 is version N.  The list is one key, changed by one command and
 * read by one command, so all clients see the same newest edition.
 *
 * A stream refuses an entry unless its number is above all numbers that it ever had.  If several
 * publishers add N, one succeeds; any later attempt, even a year later, is refused.  This is a
 * compare-and-set without WATCH and MULTI or a script, and the connection keeps no state.
 *
 * The names of an edition's keys contain its token, 64 random bits, not its number.  Two
 * publishers that make the same version therefore never write to the same keys.
 *
 * Base   An edition has a filter of its own, or it shares that of an earlier edition, its base, and
 *        has a delta (lfbloom/delta.h) from the edition before it.  Once it is in the list, its
 *        publisher sets the delta's bits in the base, before it adds another edition with that
 *        base.  So an edition's bits are in its base and its delta.
 */
#ifndef LFB_REDIS_EDITIONS_H
#define LFB_REDIS_EDITIONS_H

#include <lfbloom/redis_source.h>

#include "redis/filter/layouts.h"

LFB_EXTERN_C_BEGIN

enum {
  LFB_TOKEN_SIZE = 16,                                    /* hexadecimal digits  */
  LFB_EDITIONS_NAME = LFB_REDIS_VERSIONS_NAME + 12,       /* and {:versions}     */
  LFB_EDITION_NAME = LFB_REDIS_VERSIONS_NAME + LFB_TOKEN_SIZE + 12, /* and {::delta} */
  LFB_MOST_DELTA = 16 << 20,                              /* bytes               */
};

typedef struct lfb_token {
  char text[LFB_TOKEN_SIZE + 1];
} lfb_token;

typedef struct lfb_edition {
  uint64_t number; /* 0: none                                            */
  uint64_t delta;  /* its bytes, up to LFB_MOST_DELTA; 0: there is none  */
  lfb_token token; /* all zero: none                                     */
  lfb_token base;  /* of the edition with the filter that it shares; its own if it has one */
} lfb_edition;

/* The names of a list of editions.  Must not be copied: the keys point into `buffer`. */
typedef struct lfb_editions {
  char name[LFB_REDIS_VERSIONS_NAME + 1];
  lfb_key versions; /* the list of editions; also the name of the channel for news */
  lfb_key notes;    /* the notes (notes.h)                                         */
  char buffer[2][LFB_EDITIONS_NAME];
} lfb_editions;

/* Derives the names of a list.  Fails: LFB_ERROR_REDIS_BAD_NAME. */
lfb_status lfb_editions_init(lfb_editions *editions, const char *name);

bool lfb_token_is(const lfb_token *a, const lfb_token *b);

/* Whether two editions are the same one.  A server that lost editions reuses their numbers. */
bool lfb_edition_is(const lfb_edition *a, const lfb_edition *b);

/* The NUL-terminated name of a filter, and the key of a delta. */
void lfb_edition_name(const lfb_editions *editions, const lfb_token *token,
                      char name[LFB_EDITION_NAME]);
lfb_key lfb_edition_delta_key(const lfb_editions *editions, const lfb_token *token,
                              char buffer[LFB_EDITION_NAME]);

/* Parses an untrusted token of `size` bytes; false if it is not one. */
bool lfb_token_read(const char *bytes, size_t size, lfb_token *token);

/* The highest version number accepted from a server: below 2^63 - 1, so that adding to it does
 * not overflow. */
#define LFB_EDITION_MOST ((uint64_t)INT64_MAX / 10 * 10 - 1)

/* The bytes of a string reply; empty for a reply of any other type. */
static inline lfb_key lfb_reply_bytes(const redisReply *reply)
{
  return (lfb_key){reply->str, reply->type == REDIS_REPLY_STRING ? reply->len : 0};
}

/* As lfb_reply_expect(), for keys of editions: returns LFB_ERROR_REDIS_NO_VERSIONS if the key has
 * another type. */
lfb_status lfb_editions_expect(const redisReply *reply, int type);

/* Reads the newest edition; its number is 0 if there is none.  Fails:
 * LFB_ERROR_REDIS_NO_VERSIONS; as lfb_ask(). */
lfb_status lfb_editions_newest(lfb_link *link, const lfb_editions *editions, lfb_edition *newest);

/* Reads the editions from number `from` on, oldest first, at most LFB_REDIS_VERSIONS_REACH. */
typedef struct lfb_edition_list {
  size_t count;
  lfb_edition all[LFB_REDIS_VERSIONS_REACH];
} lfb_edition_list;
lfb_status lfb_editions_from(lfb_link *link, const lfb_editions *editions, uint64_t from,
                             lfb_edition_list *list);

/*
 * Adds an edition, and drops the oldest ones beyond LFB_REDIS_VERSIONS_REACH.
 *
 * Fails  LFB_ERROR_REDIS_OVERTAKEN: an edition with this or a higher number exists or existed.
 */
lfb_status lfb_editions_add(lfb_link *link, const lfb_editions *editions,
                            const lfb_edition *edition);

LFB_EXTERN_C_END

#endif
