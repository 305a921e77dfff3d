/* like.c - takes the hash, or everything, of an existing filter for a new one. */
#include "cli/filters/like.h"

#include <string.h>

#include "cli/base/human.h"
#include "cli/base/report.h"
#include "cli/filters/figures.h"
#include "cli/filters/source.h"

static bool like_take_hash(const struct like *like, const lfb_filter *filter,
                           const lfb_stats *stats, struct options_key *key,
                           lfb_config *config)
{
  const bool keep = config->keep_key;
  const lfb_status status = lfb_config_take_hash(config, filter);

  if (status != LFB_OK)
    return report_false("--like %s: %s", like->path, lfb_status_text(status));
  if (key->given && !figures_keyed(stats->hash))
    return report_false("--like %s: its hash has no key: leave out --key-file", like->path);
  config->keep_key |= keep;
  key->given = figures_keyed(stats->hash);
  memcpy(key->bytes, config->key, sizeof config->key);
  return true;
}

static bool like_fits(const lfb_config *config, const lfb_stats *stats)
{
  lfb_stats planned;

  return lfb_config_plan(config, &planned) == LFB_OK && planned.bit_count == stats->bit_count &&
         planned.probes == stats->probes && planned.words_per_key == stats->words_per_key;
}

/* Files do not record what else decides the size: finds what gives the filter's. */
static bool like_find_size(const lfb_stats *stats, lfb_config *config)
{
  lfb_config tried = *config;

  for (int memory = LFB_MEMORY_BALANCED; memory <= LFB_MEMORY_SMALLEST; memory++)
    for (int formula = LFB_PROBES_GUAVA_31; formula <= LFB_PROBES_GUAVA_CURRENT; formula++)
      for (int foldable = 0; foldable <= 1; foldable++) {
        tried.memory_preference = (lfb_memory_preference)memory;
        tried.probes_formula = (lfb_probes_formula)formula;
        tried.foldable = foldable == 1;
        if (like_fits(&tried, stats)) {
          *config = tried;
          return true;
        }
      }
  return false;
}

static bool like_take_size(const struct like *like, const lfb_stats *stats, lfb_config *config)
{
  if (!(stats->fpp > 0))
    return report_false("--like %s: it does not record -n and -p: give those that it was built "
                        "with, too", like->path);
  config->expected_insertions = stats->expected_insertions;
  config->fpp = stats->fpp;
  bool found = like_find_size(stats, config);
  if (!found && config->strategy == LFB_FAST) { /* files do not tell the two apart */
    config->strategy = LFB_FAST_PAIR;
    found = like_find_size(stats, config);
  }
  return found || report_false(
       "--like %s: no filter for %s keys at -p %g has its %s bits: it was folded, or "
       "made by another version of lfbloom",
       like->path, human_count(stats->expected_insertions).text, stats->fpp,
       human_count(stats->bit_count).text);
}

bool like_take(const struct like *like, struct options_key *key,
               struct options_strategy *strategy, lfb_config *config)
{
  lfb_filter *filter = source_load(like->path, key, &config->key_type);
  lfb_stats stats;

  if (filter == NULL)
    return false;
  lfb_filter_stats(filter, &stats);
  if (!strategy->given)
    *strategy = (struct options_strategy){true, stats.strategy};
  config->strategy = strategy->id;
  const bool taken = like_take_hash(like, filter, &stats, key, config) &&
                     (!like->all || like_take_size(like, &stats, config));
  strategy->id = config->strategy;
  lfb_filter_free(filter);
  return taken;
}
