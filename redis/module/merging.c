/* merging.c - BF.LIKE, BF.MERGE, BF.COMPARE. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bloom/filter/filter.h"
#include "redis/module/commands.h"
#include "redis/module/later.h"
#include "redis/module/settings.h"

enum {
  COMPARE_ASIDE = 16 << 20, /* bytes of words: some 5 ms */
  COMPARE_WORDS = 1 << 13,
};

/* Replies with why two filters cannot be merged or compared. */
static int pair_fail(lfb_open_key *a, lfb_open_key *b, lfb_status status)
{
  lfb_key_close(b);
  if (status == LFB_ERROR_CANNOT_GROW)
    return lfb_key_error(a, "ERR the merge would exceed the error that the filter was made for: "
                            "with FORCE as the last word it is done, and BF.INFO tells the error");
  if (status != LFB_ERROR_BIT_COUNT_DIFFERS && status != LFB_ERROR_HASH_DIFFERS &&
      status != LFB_ERROR_STRATEGY_DIFFERS)
    return lfb_key_fail(a, status);
  return lfb_key_error(
      a, status == LFB_ERROR_HASH_DIFFERS
             ? "ERR the filters differ in their hash: make one by COPY or BF.LIKE of the other"
         : status == LFB_ERROR_STRATEGY_DIFFERS
             ? "ERR only two filters, or two removable ones, can be merged; only filters compared"
             : "ERR the filters differ in their capacity, error, expansion or size");
}

/* ---- BF.LIKE destination source --------------------------------------------------------- */

int lfb_command_like(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  if (count != 3)
    return lfb_redis.WrongArity(context);
  lfb_open_key from = lfb_key_open(context, words[2], REDIS_READ);
  if (from.found != LFB_FOUND_VALUE)
    return lfb_key_refuse(&from);
  const lfb_recipe recipe = from.value->recipe;
  lfb_key_close(&from);
  return lfb_key_reserve(context, words[1], &recipe);
}

/* ---- BF.MERGE destination source [source ...] [FORCE] ---------------------------------------- */

/* Merges one source, and replicates it: the sources before it are merged also if it fails.  What a
 * master has merged, its replicas and the AOF do not refuse. */
static lfb_status merge_one(lfb_open_key *key, lfb_open_key *from)
{
  const bool made = key->found == LFB_FOUND_NOTHING;
  lfb_status status = LFB_OK;

  if (made)
    status = lfb_key_make(key, &from->value->recipe);
  if (status == LFB_OK)
    status = lfb_value_merge(key->value, from->value);
  if (status != LFB_OK && made && key->found == LFB_FOUND_VALUE)
    lfb_key_delete(key);
  if (status != LFB_OK)
    return status;
  lfb_module_continue();
  (void)lfb_redis.Replicate(key->context, "BF.MERGE", "ss", key->name, from->name);
  return LFB_OK;
}

/* Checks all sources, and the limit, before anything is changed.  Returns whether they fit; if not,
 * it has replied. */
static bool merge_check(lfb_open_key *key, lfb_redis_string **names, int count, bool force)
{
  const uint64_t limit = lfb_limit(key->context);
  const lfb_value *into = key->value; /* or the first source */
  lfb_merged merged = lfb_merged_begin(key->value);

  for (int i = 0; i < count; i++) {
    lfb_open_key from = lfb_key_open(key->context, names[i], REDIS_READ);
    if (from.found != LFB_FOUND_VALUE) {
      lfb_key_close(key);
      (void)lfb_key_refuse(&from);
      return false;
    }
    if (into == NULL)
      into = from.value;
    lfb_status status = from.value == key->value ? LFB_ERROR_SAME_FILTER
                                                 : lfb_value_fit(into, from.value);
    if (status == LFB_OK)
      status = lfb_merged_add(&merged, from.value, limit, force || limit == 0);
    if (status != LFB_OK) {
      (void)pair_fail(key, &from, status);
      return false;
    }
    lfb_key_close(&from);
  }
  return true;
}

/* Tells the server which words are keys. */
static int merge_keys(lfb_redis_context *context, int count)
{
  for (int i = 1; i < count; i++)
    lfb_redis.KeyAtPosWithFlags(context, i, i == 1 ? LFB_KEY_PUTS : LFB_KEY_ASKS);
  return REDIS_OK;
}

int lfb_command_merge(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  const bool force = count > 3 && lfb_word_is(words[count - 1], "FORCE");

  count -= force;
  if (lfb_redis.IsKeysPositionRequest(context))
    return merge_keys(context, count);
  if (count < 3)
    return lfb_redis.WrongArity(context);
  lfb_open_key key = lfb_key_open(context, words[1], REDIS_READ | REDIS_WRITE);
  if (key.found != LFB_FOUND_VALUE && key.found != LFB_FOUND_NOTHING)
    return lfb_key_refuse(&key);
  if (!merge_check(&key, words + 2, count - 2, force))
    return REDIS_OK;
  for (int i = 2; i < count; i++) {
    lfb_open_key from = lfb_key_open(context, words[i], REDIS_READ);
    const lfb_status status = merge_one(&key, &from);
    if (status != LFB_OK)
      return pair_fail(&key, &from, status);
    lfb_key_close(&from);
  }
  (void)lfb_redis.NotifyKeyspaceEvent(context, REDIS_NOTIFY_MODULE, "bf.merge", key.name);
  return lfb_key_done(&key);
}

/* ---- BF.COMPARE a b -------------------------------------------------------------------------- */

static void compare_reply(lfb_redis_context *context, const char *name, lfb_estimate estimate)
{
  (void)lfb_redis.ReplyWithSimpleString(context, name);
  (void)lfb_redis.ReplyWithArray(context, 2);
  (void)lfb_redis.ReplyWithDouble(context, estimate.value);
  (void)lfb_redis.ReplyWithDouble(context, estimate.error);
}

/* A comparison; a thread's, if the filters are large. */
typedef struct comparing {
  const lfb_filter *a, *b;
  lfb_comparison result;
  lfb_status status;
  lfb_redis_blocked *client; /* NULL: this thread's */
} comparing;

/* Compares, and lets other threads in between. */
static void *compare(void *of)
{
  comparing *job = of;
  const lfb_filter *both[2] = {job->a, job->b};
  const struct timespec pause = {.tv_nsec = 100000};

  for (int i = 0; i < 2; i++)
    for (uint64_t at = 0; at < both[i]->layout.bits.word_count; at += COMPARE_WORDS)
      if (lfb_later_ready_words(both[i], at, COMPARE_WORDS) && job->client != NULL)
        (void)nanosleep(&pause, NULL); /* a mutex is not fair: the server waits for it */
  job->status = lfb_filter_compare(job->a, job->b, &job->result);
  if (job->client != NULL) {
    lfb_later_drop(job->a, job->b);
    (void)lfb_redis.UnblockClient(job->client, job);
  }
  return NULL;
}

static int compare_reply_all(lfb_redis_context *context, const comparing *job)
{
  const lfb_comparison *result = &job->result;

  if (job->status != LFB_OK)
    return lfb_redis.ReplyWithError(context, "ERR the filters cannot be compared");
  (void)lfb_redis.ReplyWithMap(context, 7);
  compare_reply(context, "a", result->a);
  compare_reply(context, "b", result->b);
  compare_reply(context, "both", result->both);
  compare_reply(context, "either", result->either);
  compare_reply(context, "jaccard", result->jaccard);
  compare_reply(context, "a_in_b", result->a_in_b);
  compare_reply(context, "b_in_a", result->b_in_a);
  return REDIS_OK;
}

static int compare_unblocked(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  (void)words, (void)count;
  return compare_reply_all(context, lfb_redis.GetBlockedClientPrivateData(context));
}

static void compare_free(lfb_redis_context *context, void *job)
{
  (void)context;
  free(job);
}

/* Compares in a thread of its own, which replies and drops the filters.  Returns false if it
 * cannot: nothing has been done. */
static bool compare_aside(lfb_redis_context *context, const comparing *wanted)
{
  comparing *job = malloc(sizeof *job);

  if (job == NULL)
    return false;
  *job = *wanted;
  job->client = lfb_redis.BlockClient(context, compare_unblocked, NULL, compare_free, 0);
  if (!lfb_aside(compare, job))
    (void)compare(job); /* in this thread, then */
  return true;
}

int lfb_command_compare(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  if (count != 3)
    return lfb_redis.WrongArity(context);
  lfb_open_key a = lfb_key_open(context, words[1], REDIS_READ);
  if (a.found != LFB_FOUND_VALUE)
    return lfb_key_refuse(&a);
  lfb_open_key b = lfb_key_open(context, words[2], REDIS_READ);
  if (b.found != LFB_FOUND_VALUE) {
    lfb_key_close(&a);
    return lfb_key_refuse(&b);
  }
  const bool grown = a.value->layer_count > 1 || b.value->layer_count > 1;
  const lfb_status status = a.value->layer_count == 0 ? LFB_ERROR_STRATEGY_DIFFERS
                            : grown                   ? LFB_OK
                                                      : lfb_value_fit(a.value, b.value);
  if (status != LFB_OK)
    return pair_fail(&a, &b, status);
  lfb_key_close(&a);
  lfb_key_close(&b);
  if (grown)
    return lfb_redis.ReplyWithError(context, "ERR a filter that has grown cannot be compared");
  comparing job = {.a = a.value->layers->filter, .b = b.value->layers->filter};
  const int not_now = REDIS_FLAG_SCRIPT | REDIS_FLAG_MULTI | REDIS_FLAG_NO_BLOCK;
  if (job.a->pages.size >= COMPARE_ASIDE && (lfb_redis.GetContextFlags(context) & not_now) == 0) {
    if (!lfb_later_hold(job.a, job.b))
      return lfb_redis.ReplyWithError(context, "ERR too many comparisons at once: repeat it later");
    if (compare_aside(context, &job))
      return REDIS_OK;
    lfb_later_drop(job.a, job.b);
  }
  (void)compare(&job);
  return compare_reply_all(context, &job);
}
