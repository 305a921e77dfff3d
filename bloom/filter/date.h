/* date.h - when a filter was written, for what reads it from a form that does not record it. */
#ifndef LFB_BLOOM_DATE_H
#define LFB_BLOOM_DATE_H

#include <lfbloom/filter.h>

LFB_EXTERN_C_BEGIN

/* Sets lfb_stats.written, in seconds since 1970, unless the filter's form has recorded it. */
void lfb_filter_date(lfb_filter *filter, uint64_t written);

LFB_EXTERN_C_END

#endif
