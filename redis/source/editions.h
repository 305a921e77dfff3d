/*
 * editions.h - the versions of a filter that are on a server: which there are, and under which
 * names.
 *
 * A version as it stands on the server is an edition.  The list of them is a stream, {name:versions},
 * whose entry N-0 is version N.  It is one key, which one command changes and one command
 * reads, so that all see the same newest one; and a stream takes no entry whose number is not
 * above all that it ever had: of several who add N one does, and whoever comes too late, by a
 * year maybe, is refused.  That is the compare-and-set which WATCH and MULTI, or a script, would
 * be for, without a connection that has to remember anything.
 *
 * The names of what belongs to an edition hold its token, 64 random bits, and not its number:
 * so two who make the same version, one of them in vain, never meet.
 */
#ifndef LFB_REDIS_EDITIONS_H
#define LFB_REDIS_EDITIONS_H

#include <lfbloom/redis_source.h>

#include "redis/filter/layouts.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LFB_TOKEN_SIZE = 16,                                    /* hexadecimal digits  */
  LFB_EDITIONS_NAME = LFB_REDIS_VERSIONS_NAME + 12,       /* and {:versions}     */
  LFB_EDITION_NAME = LFB_REDIS_VERSIONS_NAME + LFB_TOKEN_SIZE + 12, /* and {::changes} */
  LFB_SHAPE_SIZE = 3 * (LFB_WIRE_DIGITS + 1),
};

typedef struct lfb_token {
  char text[LFB_TOKEN_SIZE + 1];
} lfb_token;

/* A filter's strategy, bits and probes, as text: an empty one is unequal to all. */
typedef struct lfb_shape {
  char text[LFB_SHAPE_SIZE];
} lfb_shape;

typedef struct lfb_edition {
  uint64_t number;  /* 0: none                                   */
  uint64_t changes; /* bytes of its list of changes; 0: none     */
  lfb_token token;
  lfb_shape shape;
} lfb_edition;

/* The names of a list; not to be copied. */
typedef struct lfb_editions {
  char name[LFB_REDIS_VERSIONS_NAME + 1];
  lfb_key versions; /* the list of editions, and the channel of news */
  lfb_key notes;    /* names that were noted before they were made   */
  char room[2][LFB_EDITIONS_NAME];
} lfb_editions;

/* Fails: LFB_ERROR_REDIS_BAD_NAME. */
lfb_status lfb_editions_init(lfb_editions *editions, const char *name);

lfb_shape lfb_shape_of(const lfb_description *description);
bool lfb_shape_is(const lfb_shape *a, const lfb_shape *b);

/* The name of an edition's filter, which ends in NUL; and the key of its changes. */
void lfb_edition_name(const lfb_editions *editions, const lfb_token *token,
                      char name[LFB_EDITION_NAME]);
lfb_key lfb_edition_changes_key(const lfb_editions *editions, const lfb_token *token,
                                char room[LFB_EDITION_NAME]);

/* Reads a token of so many bytes, hostile as they may be. */
bool lfb_token_read(const char *bytes, size_t size, lfb_token *token);

/* The highest number of a version that is read: below 2^63 - 1 with room for what is added. */
#define LFB_EDITION_MOST ((uint64_t)INT64_MAX / 10 * 10 - 1)

/* An argument's bytes as they came in a reply. */
static inline lfb_key lfb_reply_bytes(const redisReply *reply)
{
  return (lfb_key){reply->str, reply->type == REDIS_REPLY_STRING ? reply->len : 0};
}

/* As lfb_ask_expect(), for keys of editions: LFB_ERROR_REDIS_NO_VERSIONS where these are of
 * another type. */
lfb_status lfb_editions_expect(const redisReply *reply, int type);

/* The newest edition; number 0: there is none.  Fails: LFB_ERROR_REDIS_NO_VERSIONS; as
 * lfb_ask(). */
lfb_status lfb_editions_newest(lfb_link *link, const lfb_editions *editions, lfb_edition *newest);

/* Those from number `from` on, oldest first, up to LFB_REDIS_VERSIONS_REACH of them. */
typedef struct lfb_edition_list {
  size_t count;
  lfb_edition all[LFB_REDIS_VERSIONS_REACH];
} lfb_edition_list;
lfb_status lfb_editions_from(lfb_link *link, const lfb_editions *editions, uint64_t from,
                             lfb_edition_list *list);

/*
 * Adds an edition, and drops the oldest beyond LFB_REDIS_VERSIONS_REACH.
 *
 * Fails  LFB_ERROR_REDIS_OVERTAKEN: there is one of its number, or has been.
 */
lfb_status lfb_editions_add(lfb_link *link, const lfb_editions *editions,
                            const lfb_edition *edition);

#ifdef __cplusplus
}
#endif

#endif
