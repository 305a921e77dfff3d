/* transfer.c - filters between files and a Redis server. */
#include "cli/transfer.h"

#include <math.h>

#include "cli/remote.h"
#include "cli/report.h"
#include "cli/source.h"
#include "cli/target.h"

/* ---- loading ------------------------------------------------------------------------ */

/* Loads a key of the module, or plain strings.  False after a report. */
static bool transfer_fetch(const struct transfer *transfer, const char *from,
                           lfb_redis_module_value *value)
{
  /* The string of the Java helper class is opened as what the caller says. */
  if (!transfer->reading.helper.given) {
    const enum remote_found found = remote_load_key(from, value);
    if (found != REMOTE_NOTHING)
      return found == REMOTE_FOUND;
  }
  lfb_filter *filter = source_load(from, &transfer->reading, NULL);
  value->any = (lfb_any){LFB_KIND_PLAIN, {filter}};
  return filter != NULL;
}

bool transfer_load(const struct transfer *transfer, const char *from, const char *to)
{
  lfb_redis_module_value value = {.period_ms = 0};

  if (!target_check(to) || !target_spares_shared(to, LFB_FORM_NATIVE) ||
      !transfer_fetch(transfer, from, &value))
    return false;
  const bool done = target_save_value(to, &value);
  lfb_any_free(value.any);
  return done;
}

/* ---- saving ------------------------------------------------------------------------- */

/* Saves a plain filter as plain strings. */
static bool transfer_save_strings(const struct transfer *transfer, const char *from, const char *to)
{
  lfb_stats stats;

  lfb_filter *filter = source_load(from, &transfer->reading, NULL);
  if (filter == NULL)
    return false;
  lfb_filter_stats(filter, &stats);
  const bool done = target_holds(to, LFB_FORM_NONE, from, &stats) &&
                    target_save(to, filter, LFB_FORM_NONE);
  lfb_filter_free(filter);
  return done;
}

/* Sets how the server ends the generations of a window.  False after a report. */
static bool transfer_set_period(const struct transfer *transfer, const char *from,
                                lfb_redis_module_value *value)
{
  lfb_figures figures;

  if (transfer->span.text == NULL)
    return true;
  if (value->any.kind != LFB_KIND_WINDOW)
    return report_false("%s: not a window: leave out --window", from);
  lfb_any_plan(value->any, &figures);
  value->period_ms = (uint64_t)ceil(1000 * transfer->span.seconds / figures.window.generations);
  return true;
}

/* Opens a file of a plain filter, of a growing one or of a window, after comparing all checksums.
 * False after a report. */
static bool transfer_open(const struct transfer *transfer, const char *from, lfb_any *any)
{
  const lfb_read_limits limits = {.key = options_key_bytes(&transfer->reading.key)};

  lfb_status status = source_open_copy(from, &limits, any);
  if (status == LFB_OK && any->kind == LFB_KIND_COUNTING) {
    lfb_any_free(*any);
    status = LFB_ERROR_COUNTING;
  }
  if (status != LFB_OK)
    source_report(from, status);
  return status == LFB_OK;
}

static bool transfer_save_key(const struct transfer *transfer, const char *from, const char *to)
{
  lfb_redis_module_value value = {.period_ms = 0};

  if (!transfer_open(transfer, from, &value.any))
    return false;
  const bool done = transfer_set_period(transfer, from, &value) && target_save_value(to, &value);
  lfb_any_free(value.any);
  return done;
}

bool transfer_save(const struct transfer *transfer, const char *from, const char *to)
{
  if (!target_check(to))
    return false;
  return transfer->module ? transfer_save_key(transfer, from, to)
                          : transfer_save_strings(transfer, from, to);
}
