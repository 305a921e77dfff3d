/*
 * options.h - the options that a caller gave: copied, and read from an address.
 */
#ifndef LFB_REDIS_OPTIONS_H
#define LFB_REDIS_OPTIONS_H

#include <lfbloom/redis.h>
#include <stdbool.h>

LFB_EXTERN_C_BEGIN

/* Copies options with their texts; `to` is then freed by lfb_options_free().  Fails:
 * LFB_ERROR_RESERVED, LFB_ERROR_NO_MEMORY. */
lfb_status lfb_options_copy(const lfb_redis_options *from, lfb_redis_options *to);

/* Frees the texts of a copy; all zero is ignored. */
void lfb_options_free(lfb_redis_options *options);

/* Reports bytes that were saved or loaded to options.moved.  Fails: LFB_ERROR_STOPPED. */
static inline lfb_status lfb_options_moved(const lfb_redis_options *options, uint64_t bytes)
{
  return options->moved == NULL || options->moved(options->told, bytes) ? LFB_OK
                                                                        : LFB_ERROR_STOPPED;
}

LFB_EXTERN_C_END

#endif
