/*
 * remote.h - an open filter on Redis, and what is done to it as a whole.
 */
#ifndef LFB_REDIS_REMOTE_H
#define LFB_REDIS_REMOTE_H

#include "redis/dump/head.h"
#include "redis/filter/layouts.h"
#include "redis/link/link.h"

LFB_EXTERN_C_BEGIN

struct lfb_redis {
  lfb_redis_place place;
  lfb_layout layout; /* which bits a key has; without words */
  lfb_part *parts;
  char *names, *name; /* the texts of the parts' names and of place.name */
  lfb_pool pool; /* the last member: keep.c */
};

/* Calls `act` with a link from the filter's pool; returns its status.  `writes`: redis/link/link.h,
 * Replicas. */
typedef lfb_status (*lfb_remote_act)(lfb_redis *filter, lfb_link *link, void *context);
lfb_status lfb_remote_with_link(lfb_redis *filter, bool writes, lfb_remote_act act, void *context);

/* Makes the open filter of a place, without connecting.  Copies the place with its name.
 * Fails: LFB_ERROR_NO_MEMORY. */
lfb_status lfb_remote_make(const lfb_redis_options *options, const lfb_redis_place *place,
                           lfb_redis **filter);

/* Plans the place of a new filter.  Fails: LFB_ERROR_REDIS_BAD_NAME,
 * LFB_ERROR_FORM_CANNOT_HOLD; as the layout's plan(). */
lfb_status lfb_remote_plan(const char *name, const lfb_description *description,
                           uint64_t part_bytes, lfb_redis_place *place);

/* Fills a filter's parts before the filter is whole. */
typedef struct lfb_remote_fill {
  lfb_remote_act act;
  void *context;
} lfb_remote_fill;

/*
 * Makes a filter on the server: takes its name, makes its parts, fills them unless `fill` is
 * NULL, and marks them.  If a step after the first fails, the filter is deleted again, as far
 * as the server can be reached.
 */
lfb_status lfb_remote_build(const lfb_redis_options *options, const lfb_redis_place *place,
                            const lfb_remote_fill *fill, lfb_redis **filter);

/* As lfb_redis_save(), but gives the filter made, open. */
lfb_status lfb_remote_save(const lfb_redis_options *options, const char *name,
                           const lfb_filter *from, uint64_t part_bytes, lfb_redis **filter);

/* Checks the mark of each part.  Fails: LFB_ERROR_REDIS_PART. */
lfb_status lfb_remote_check(lfb_redis *filter, lfb_link *link);

/* Deletes the first `parts` parts, then the name. */
lfb_status lfb_remote_delete(lfb_redis *filter, lfb_link *link, uint64_t parts);

/* Deletes a key. */
lfb_status lfb_remote_unlink(lfb_link *link, lfb_key name);

/* Deletes what puts have left where parts are missing (layouts.h, Stump), as far as the server
 * can be reached.  In redis/filter/filter.c. */
void lfb_remote_clear_stumps(lfb_redis *filter, lfb_link *link);

/*
 * Makes an empty key of the module, which grows.  In redis/filter/layout_module.c.
 *
 * Fails  LFB_ERROR_MODULE_FILTER, _MODULE_MISSING; LFB_ERROR_REDIS_EXISTS, _OVER_LIMIT; as
 *        lfb_link_run().
 */
lfb_status lfb_module_create(const lfb_redis_options *options, const char *name,
                             const lfb_config *config);

/* What a key of the module tells of itself. */
typedef struct lfb_module_info {
  lfb_dump_fields dumped;
  uint64_t memory; /* bytes */
  double error;    /* the probability of a false positive now */
} lfb_module_info;

/* Asks for a lfb_module_info.  A lfb_remote_act.  Fails: LFB_ERROR_REDIS_PART.  In
 * redis/filter/layout_module.c. */
lfb_status lfb_module_ask_info(lfb_redis *filter, lfb_link *link, void *of);

/* Sends one command for each part, at most `at_once` of them in flight.  `command` writes the
 * command for a part; `reply` takes its reply. */
typedef void (*lfb_part_command)(const lfb_redis *filter, const lfb_part *part, lfb_wire *wire);
typedef lfb_status (*lfb_part_reply)(const lfb_redis *filter, const redisReply *reply);
lfb_status lfb_remote_each_part(const lfb_redis *filter, lfb_link *link, uint64_t at_once,
                                lfb_part_command command, lfb_part_reply reply);

/*
 * Sets each bit that is on in `ours` and off in `theirs`.  Both have the filter's shape; no thread
 * may put into `theirs` during the call.
 *
 * Fails  LFB_ERROR_REDIS_PART, LFB_ERROR_NO_MEMORY; as lfb_link_run().  In redis/filter/mend.c.
 */
lfb_status lfb_mend(lfb_redis *filter, const lfb_filter *ours, const lfb_filter *theirs);

LFB_EXTERN_C_END

#endif
