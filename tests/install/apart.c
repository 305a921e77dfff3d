/*
 * apart.c - filters on Redis in every way that passes an object from one shared library to the
 * other; for apart_test.sh.
 *
 *     apart PORT
 */
#include <lfbloom/follow.h>
#include <lfbloom/redis.h>
#include <lfbloom/redis_source.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 2000, MORE = 100 };

/* Ends the program if a condition does not hold. */
#define MUST(condition) must(condition, #condition, __LINE__)

static void must(bool holds, const char *condition, int line)
{
  if (holds)
    return;
  fprintf(stderr, "apart.c:%d: not so: %s\n", line, condition);
  exit(1);
}

static void ok(lfb_status status, int line)
{
  must(status == LFB_OK, lfb_status_text(status), line);
}
#define OK(call) ok(call, __LINE__)

static void hold_keys(const lfb_filter *filter, uint64_t first)
{
  uint64_t wrong = 0;

  for (uint64_t i = 0; i < KEYS; i++) {
    MUST(lfb_filter_might_contain_u64(filter, first + i));
    wrong += lfb_filter_might_contain_u64(filter, first + (UINT64_C(1) << 40) + i);
  }
  MUST(wrong < KEYS / 10);
}

/* A filter from memory is saved; what is loaded equals it. */
static void save_and_load(const lfb_redis_options *options, const lfb_config *config)
{
  lfb_filter *filter, *loaded;
  lfb_redis *remote;
  lfb_stats before, after;
  lfb_figures there;
  const uint64_t one = 1;
  size_t yes = 0;

  OK(lfb_filter_create(config, &filter));
  for (uint64_t i = 0; i < KEYS; i++)
    (void)lfb_filter_put_u64(filter, i);
  OK(lfb_redis_save(options, "saved", filter, 4096));
  OK(lfb_redis_open(options, "saved", config, &remote));
  OK(lfb_redis_load(remote, NULL, &loaded));
  hold_keys(loaded, 0);
  lfb_filter_stats(filter, &before);
  lfb_filter_stats(loaded, &after);
  MUST(before.bits_set == after.bits_set && before.bit_count == after.bit_count);
  OK(lfb_redis_many(remote, LFB_MIGHT_CONTAIN, &one, 1, NULL, &yes, LFB_U64_KEY));
  MUST(yes == 1);
  OK(lfb_redis_stats(remote, &there));
  MUST(before.bits_set == there.all.bits_set);
  OK(lfb_redis_delete(options, "saved", config->strategy));
  lfb_redis_close(remote);
  lfb_filter_free(loaded);
  lfb_filter_free(filter);
}

/* Versions that are published are followed, the second one by its delta. */
static void publish_and_follow(const lfb_redis_options *options, const lfb_config *config)
{
  lfb_filter *filter;
  lfb_redis_publisher *publisher;
  lfb_redis_source *source;
  lfb_follow *follow;
  lfb_versions *versions;
  const lfb_follow_config how_to_follow = {.rebuild = *config};
  lfb_followed what;
  uint64_t number = 0;

  OK(lfb_filter_create(config, &filter));
  for (uint64_t i = 0; i < KEYS; i++)
    (void)lfb_filter_put_u64(filter, i);
  OK(lfb_redis_publisher_create(options, "followed", NULL, &publisher));
  OK(lfb_redis_publisher_publish(publisher, filter, &number));
  OK(lfb_redis_source_create(options, "followed", NULL, &source));
  const lfb_source functions = lfb_redis_source_functions(source);
  OK(lfb_versions_create(config, &versions));
  OK(lfb_follow_create(versions, &functions, &how_to_follow, &follow));
  OK(lfb_follow_poll(follow, 1000, &what));
  for (uint64_t i = 0; i < MORE; i++)
    (void)lfb_filter_put_u64(filter, 5 * KEYS + i);
  OK(lfb_redis_publisher_publish(publisher, filter, &number));
  lfb_redis_publisher_free(publisher);
  OK(lfb_follow_poll(follow, 2000, &what));
  MUST(what == LFB_FOLLOWED_CHANGES);
  const lfb_filter *newest = lfb_versions_enter(versions, NULL);
  MUST(newest != NULL);
  hold_keys(newest, 0);
  for (uint64_t i = 0; i < MORE; i++)
    MUST(lfb_filter_might_contain_u64(newest, 5 * KEYS + i));
  lfb_versions_leave(versions);
  lfb_follow_free(follow);
  lfb_redis_source_free(source);
  lfb_versions_free(versions);
  OK(lfb_redis_unpublish(options, "followed"));
  lfb_filter_free(filter);
}

int main(int count, char **arguments)
{
  static const lfb_strategy_id strategies[] = {LFB_DEFAULT, LFB_FAST, LFB_GUAVA_MITZ64,
                                               LFB_GUAVA_MITZ32};

  MUST(count == 2);
  const lfb_redis_options options = {.port = (uint16_t)atoi(arguments[1])};
  for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
    const lfb_config config = {
        .expected_insertions = 4 * KEYS, .fpp = 0.01, .strategy = strategies[i]};
    save_and_load(&options, &config);
    publish_and_follow(&options, &config);
    printf("%s: saved, loaded, published and followed\n",
           lfb_strategy_name(strategies[i]));
  }
  return 0;
}
