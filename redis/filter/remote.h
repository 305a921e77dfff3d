/*
 * remote.h - what an open filter on Redis is.
 */
#ifndef LFB_REDIS_REMOTE_H
#define LFB_REDIS_REMOTE_H

#include "redis/filter/layouts.h"
#include "redis/link/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lfb_redis {
  lfb_redis_place place;
  lfb_layout layout; /* has no words: it says which bits a key has */
  uint32_t (*bits_of)(const lfb_layout *layout, lfb_hash hash, uint64_t *bits);
  lfb_part *parts;
  char *names, *name; /* that the parts, and place, name */
  lfb_pool pool;
};

/* Does something by a link of the filter's; its status. */
typedef lfb_status (*lfb_remote_act)(lfb_redis *filter, lfb_link *link, void *context);
lfb_status lfb_remote_with_link(lfb_redis *filter, lfb_remote_act act, void *context);

/* .. something that writes (redis/link/link.h, Replicas). */
lfb_status lfb_remote_write(lfb_redis *filter, lfb_remote_act act, void *context);

/* LFB_OK, or LFB_ERROR_REDIS_BAD_NAME. */
lfb_status lfb_remote_check_name(const char *name);

/* A filter of this place, of which a copy is kept, its name included; not connected.  Fails:
 * LFB_ERROR_NO_MEMORY. */
lfb_status lfb_remote_make(const lfb_redis_options *options, const lfb_redis_place *place,
                           lfb_redis **filter);

/* Gives each the other's name, here alone. */
void lfb_remote_swap_names(lfb_redis *a, lfb_redis *b);

/* The place of a filter that is to be made.  Fails: LFB_ERROR_REDIS_BAD_NAME,
 * LFB_ERROR_FORM_CANNOT_HOLD; as the layout's plan(). */
lfb_status lfb_remote_plan(const char *name, const lfb_description *description,
                           uint64_t part_bytes, lfb_redis_place *place);

/* What is written into a filter's parts before it is whole. */
typedef struct lfb_remote_fill {
  lfb_remote_act act;
  void *context;
} lfb_remote_fill;

/*
 * Makes a filter on the server: its name is taken, its parts are made and, unless `fill` is
 * NULL, filled, then marked.  Who fails after the first deletes it again, as far as it can be
 * reached.
 */
lfb_status lfb_remote_build(const lfb_redis_options *options, const lfb_redis_place *place,
                            const lfb_remote_fill *fill, lfb_redis **filter);

/* Makes each part as long as it is to be, by steps that are short for the server. */
lfb_status lfb_remote_grow(lfb_redis *filter, lfb_link *link);

/* Marks the parts, and makes the filter whole. */
lfb_status lfb_remote_finish(lfb_redis *filter, lfb_link *link);

/* Looks at the mark of each part.  Fails: LFB_ERROR_REDIS_PART. */
lfb_status lfb_remote_check(lfb_redis *filter, lfb_link *link);

/* Deletes its first `parts` parts, then its name: all that there is of it, or so much as was
 * made. */
lfb_status lfb_remote_delete(lfb_redis *filter, lfb_link *link, uint64_t parts);

/* Deletes a key. */
lfb_status lfb_remote_unlink(lfb_link *link, lfb_key name);

/* .. the stream of the filter under this name, if there is one. */
lfb_status lfb_remote_unlink_stream(lfb_link *link, lfb_key name);

/* Puts keys that are hashed already.  Fails as lfb_redis_put_many(); in redis/filter/filter.c. */
lfb_status lfb_remote_put_hashes(lfb_redis *filter, const lfb_hash *hashes, size_t count);

/* For each part one command, at most `at_once` of them under way: what a part's command is, and
 * what its reply means. */
typedef void (*lfb_part_command)(const lfb_redis *filter, const lfb_part *part, lfb_wire *wire);
typedef lfb_status (*lfb_part_reply)(const lfb_redis *filter, const redisReply *reply);
lfb_status lfb_remote_each_part(const lfb_redis *filter, lfb_link *link, uint64_t at_once,
                                lfb_part_command command, lfb_part_reply reply);

#ifdef __cplusplus
}
#endif

#endif
