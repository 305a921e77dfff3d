/*
 * mend.h - sets bits that a filter on the server lacks.
 */
#ifndef LFB_REDIS_MEND_H
#define LFB_REDIS_MEND_H

#include "redis/filter/remote.h"

LFB_EXTERN_C_BEGIN

/*
 * Sets each bit that is on in `ours` and off in `theirs`.  Both have the filter's shape; no thread
 * may put into `theirs` during the call.
 *
 * Gives  any    whether there was such a bit; also if the call fails, as some may have been set.
 * Fails  LFB_ERROR_REDIS_PART, LFB_ERROR_NO_MEMORY; as lfb_link_run().
 */
lfb_status lfb_mend(lfb_redis *filter, const lfb_filter *ours, const lfb_filter *theirs,
                    bool *any);

LFB_EXTERN_C_END

#endif
