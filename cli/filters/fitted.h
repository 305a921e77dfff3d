/* fitted.h - a filter that fits into memory. */
#ifndef CLI_FILTERS_FITTED_H
#define CLI_FILTERS_FITTED_H

#include <lfbloom/filter.h>
#include <stdbool.h>
#include <stdint.h>

/* Makes a filter for `keys` keys, with this probability or more; if there is no memory, or it would
 * take more than `most` bytes, for fewer.  False after a report. */
bool fitted_filter(double fpp, uint64_t keys, uint64_t most, lfb_filter **filter);

#endif
