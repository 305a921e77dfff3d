/* there.c - a filter on a server. */
#define _POSIX_C_SOURCE 200809L
#include "cli/filters/there.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/base/progress.h"
#include "cli/base/report.h"

lfb_config there_wanted(const uint8_t *key)
{
  lfb_config wanted = {0}; /* p 0: any */

  if (key != NULL)
    memcpy(wanted.key, key, sizeof wanted.key);
  return wanted;
}

lfb_status there_open(const struct address *address, const lfb_config *wanted, struct there *there)
{
  const struct timespec pause = {.tv_nsec = 100000000};
  const lfb_config *made = address->helper.fpp > 0 ? &address->helper : wanted;
  lfb_status status = LFB_ERROR_REDIS_UNFINISHED;

  for (int pauses = 0; status == LFB_ERROR_REDIS_UNFINISHED && pauses <= 50; pauses++) {
    if (pauses > 0)
      (void)nanosleep(&pause, NULL);
    status = lfb_redis_open(&address->at.options, address->at.name, made, &there->filter);
  }
  there->twice = address->twice;
  return status;
}

lfb_status there_make(const struct address *address, const lfb_config *config, struct there *there)
{
  lfb_config wanted = *config;
  const lfb_status status =
      lfb_redis_create(&address->at.options, address->at.name, config, 0, &there->filter);

  there->twice = address->twice;
  if (status != LFB_ERROR_REDIS_EXISTS)
    return status;
  if (wanted.strategy != LFB_REDIS_MITZ32)
    wanted.fpp = 0; /* any */
  return there_open(address, &wanted, there);
}

/* Loads a filter that is kept in strings, with a bar. */
static lfb_status there_load_strings(const struct address *address, const lfb_config *wanted,
                                     lfb_filter **filter)
{
  struct there there = {.filter = NULL};
  lfb_stats stats;
  lfb_status status = there_open(address, wanted, &there);

  if (status != LFB_OK)
    return status;
  lfb_redis_plan(there.filter, &stats);
  progress_begin(address_manner.progress, "loading", stats.bytes, PROGRESS_BYTES);
  status = lfb_redis_load(there.filter, NULL, filter);
  progress_end();
  lfb_redis_close(there.filter);
  return status;
}

lfb_status there_load(const struct address *address, const lfb_config *wanted,
                      lfb_redis_module_value *value)
{
  lfb_status status = LFB_ERROR_REDIS_NO_FILTER;

  if (address->helper.fpp == 0) {
    progress_begin(address_manner.progress, "loading", 0, PROGRESS_BYTES);
    status = lfb_redis_module_load(&address->at.options, address->at.name, NULL, value);
    progress_end();
  }
  if (status != LFB_ERROR_REDIS_NO_FILTER)
    return status;
  *value = (lfb_redis_module_value){.any.kind = LFB_KIND_PLAIN};
  return there_load_strings(address, wanted, &value->any.plain);
}

/* ---- keys --------------------------------------------------------------------------- */

/* Writes each key twice in a row to `room`; `doubled` are the doubled keys. */
static void there_write_twice(const lfb_key *keys, size_t count, char *room, lfb_key *doubled)
{
  for (size_t i = 0; i < count; i++) {
    const size_t size = keys[i].size;
    if (size > 0) /* the bytes of an empty one may be NULL */
      memcpy(room, keys[i].bytes, size);
    if (size > 0)
      memcpy(room + size, keys[i].bytes, size);
    doubled[i] = (lfb_key){room, 2 * size};
    room += 2 * size;
  }
}

static lfb_status there_do_twice(lfb_redis *filter, lfb_verb verb, const lfb_key *keys,
                                 size_t count, uint64_t *answers, size_t *yes)
{
  size_t bytes = 0;

  for (size_t i = 0; i < count; i++)
    bytes += 2 * keys[i].size;
  lfb_key *doubled = malloc(count * sizeof *doubled + bytes);
  if (doubled == NULL)
    return LFB_ERROR_NO_MEMORY;
  there_write_twice(keys, count, (char *)(doubled + count), doubled);
  const lfb_status status =
      lfb_redis_many(filter, verb, doubled, count, answers, yes, LFB_BYTES_KEY);
  free(doubled);
  return status;
}

lfb_status there_do(const struct there *there, lfb_verb verb, const lfb_key *keys, size_t count,
                    uint64_t *answers, size_t *yes)
{
  verb = verb == LFB_MIGHT_CONTAIN ? LFB_MIGHT_CONTAIN : LFB_PUT;
  return there->twice ? there_do_twice(there->filter, verb, keys, count, answers, yes)
                      : lfb_redis_many(there->filter, verb, keys, count, answers, yes,
                                       LFB_BYTES_KEY);
}

/* ---- saving ------------------------------------------------------------------------- */

lfb_status there_look(const struct address *address, const lfb_config *wanted)
{
  lfb_redis *filter = NULL;
  const lfb_status status =
      lfb_redis_open(&address->at.options, address->at.name, wanted, &filter);

  lfb_redis_close(filter);
  return status;
}

/* Whether the status of opening shows that the name is in use. */
static bool there_is_something(lfb_status status)
{
  return status == LFB_OK ||
         (status >= LFB_ERROR_REDIS_EXISTS && status < LFB_ERROR_REDIS_HOST) ||
         (status < LFB_ERROR_REDIS_ADDRESS && status != LFB_ERROR_NO_MEMORY);
}

bool there_is_free(const char *path)
{
  struct address address;

  if (!address_read(path, &address))
    return false;
  if (address.helper.fpp > 0)
    return report_false("%s: ?helper=N,P opens a filter that the helper class made, and makes one "
                        "with --shared: here leave it out, and give --strategy redis-mitz32", path);
  const lfb_status status = there_look(&address, NULL);
  const bool other = status != LFB_ERROR_REDIS_PART && there_is_something(status);
  return status == LFB_ERROR_REDIS_ABSENT ||
         address_report(path, other ? LFB_ERROR_REDIS_EXISTS : status);
}

bool there_holds(const char *from, const lfb_stats *stats)
{
  enum { STRING_BYTES = 512 << 20, HEADER = 6 }; /* of the longest Redis string; of Guava's form */
  const lfb_strategy_id strategy = stats->strategy;
  const bool guava = strategy == LFB_GUAVA_MITZ64 || strategy == LFB_GUAVA_MITZ32;

  if (guava && stats->bit_count / 8 > STRING_BYTES - HEADER)
    return report_false("%s: %s: use --strategy fast", from,
                        lfb_status_text(LFB_ERROR_REDIS_TOO_MANY_BITS));
  if (guava || strategy == LFB_FAST || strategy == LFB_REDIS_MITZ32)
    return true;
  return report_false("%s: a filter on Redis cannot have strategy %s, and the strategy cannot be "
                      "changed without the keys: build it from the keys, with --strategy fast, "
                      "fast-pair, guava-mitz64, guava-mitz32 or redis-mitz32",
                      from, lfb_strategy_name(strategy));
}

bool there_save(const char *path, const lfb_redis_module_value *value)
{
  struct address address;
  lfb_figures figures;

  if (!address_read(path, &address))
    return false;
  const lfb_redis_options *options = &address.at.options;
  lfb_any_plan(value->any, &figures);
  progress_begin(address_manner.progress, "saving", figures.all.bytes, PROGRESS_BYTES);
  const lfb_status status =
      options->module ? lfb_redis_module_save(options, address.at.name, value)
                      : lfb_redis_save(options, address.at.name, value->any.plain, 0);
  progress_end();
  return status == LFB_OK || address_report(path, status);
}
