/*
 * options.h - copies of the options that a caller gave.
 */
#ifndef LFB_REDIS_OPTIONS_H
#define LFB_REDIS_OPTIONS_H

#include <lfbloom/redis.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copies options with their texts; `to` is then freed by lfb_options_free().  Fails:
 * LFB_ERROR_RESERVED, LFB_ERROR_NO_MEMORY. */
lfb_status lfb_options_copy(const lfb_redis_options *from, lfb_redis_options *to);

/* Frees the texts of a copy; all zero is ignored. */
void lfb_options_free(lfb_redis_options *options);

#ifdef __cplusplus
}
#endif

#endif
