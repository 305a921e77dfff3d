/* fitted.c - a filter that fits into memory. */
#include "cli/filters/fitted.h"

#include <lfbloom/filter_more.h>

#include "cli/base/report.h"

bool fitted_filter(double fpp, uint64_t keys, uint64_t most, lfb_filter **filter)
{
  lfb_config config = {.expected_insertions = keys, .fpp = fpp};
  lfb_stats stats = {0};
  lfb_status status;

  for (;;) {
    status = lfb_config_plan(&config, &stats);
    if (status == LFB_OK && stats.bytes <= most)
      status = lfb_filter_create(&config, filter);
    else if (status == LFB_OK)
      status = LFB_ERROR_NO_MEMORY;
    if (status != LFB_ERROR_NO_MEMORY || config.expected_insertions < 1000)
      break;
    /* A worse filter makes the table larger, and then the lines in doubt more. */
    if (config.fpp < 0.2)
      config.fpp *= 1.3;
    else
      config.expected_insertions -= config.expected_insertions / 5;
  }
  return status == LFB_OK || report_false_status("dedupe", status);
}
