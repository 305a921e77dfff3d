/* figures.c - a filter's figures as JSON. */
#include "cli/filters/figures.h"

#include <lfbloom/filter_more.h>

#include "cli/base/json.h"

bool figures_made_for(const lfb_stats *stats)
{
  return stats->expected_insertions > 0 || stats->fpp > 0; /* a form with p has n, too */
}

/* n and p; null if the form does not record them. */
static void figures_json_made_for(const lfb_stats *stats)
{
  json_count_if("expected_insertions", stats->expected_insertions, figures_made_for(stats));
  if (stats->fpp > 0)
    json_float("fpp", stats->fpp);
  else
    json_text("fpp", NULL);
}

bool figures_counted(const lfb_stats *stats)
{
  return stats->bits_set > 0 || stats->approximate_count == 0;
}

bool figures_keyed(lfb_hash_id hash)
{
  return hash == LFB_HASH_AES || hash == LFB_HASH_SIPHASH13;
}

const char *figures_form(lfb_kind kind, lfb_form form)
{
  static const char *const names[] = {[LFB_KIND_NONE] = "redis",
                                      [LFB_KIND_GROWING] = "growing",
                                      [LFB_KIND_COUNTING] = "counting",
                                      [LFB_KIND_WINDOW] = "window"};

  return kind == LFB_KIND_PLAIN ? lfb_form_name(form) : names[kind];
}

void figures_json(const char *form, const lfb_stats *stats)
{
  json_text("form", form);
  json_text("strategy",
            stats->strategy == LFB_DEFAULT ? NULL : lfb_strategy_name(stats->strategy));
  figures_json_made_for(stats);
  json_count("bits", stats->bit_count);
  json_count("reachable_bits", stats->reachable_bits);
  json_count("bytes", stats->bytes);
  json_count_if("probes", stats->probes, stats->probes > 0); /* not of a growing one */
  json_count_if("bits_set", stats->bits_set, figures_counted(stats));
  json_count_if("approximate_count", stats->approximate_count, !stats->saturated);
  json_float("expected_fpp", stats->expected_fpp);
  json_bool("saturated", stats->saturated);
}

void figures_of_counters(lfb_stats *stats)
{
  if (stats->strategy == LFB_TAGS)
    return;
  stats->bit_count *= 4;
  stats->reachable_bits *= 4;
  stats->bytes *= 4;
}
