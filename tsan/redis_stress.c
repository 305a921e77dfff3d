/*
 * redis_stress.c - runs every operation of a filter on a Redis server concurrently: all threads use
 * one handle or another of the same filter, and publish, load and follow versions.
 *
 * A thread must find each key that it put, also in a version that was published since.  Exactly one
 * put of each key that all put must report it as new.
 */
#define _GNU_SOURCE /* mkdtemp */
#include <lfbloom/redis.h>
#include <lfbloom/redis_source.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tsan/crew.h"

static char directory[] = "/tmp/redis_stress.XXXXXX"; /* a socket's path is short */
static char address[sizeof directory + 16];
static const lfb_redis_options options = {.host = address};
static const lfb_config config = {.expected_insertions = 30000, .fpp = 1e-9, .strategy = LFB_FAST,
                                  .seed = 1};

static lfb_redis *one, *two;     /* the same filter                            */
static lfb_filter *published;    /* what versions are made of                  */
static lfb_versions *followed;   /* the newest of them                         */
static lfb_follow *follow;
static lfb_redis_source *source;
static lfb_redis_publisher *publisher;
static atomic_flag publishing = ATOMIC_FLAG_INIT; /* one thread at a time      */
static _Atomic(size_t) new_keys;

/* ---- the server, which ends with the program ------------------------------------- */

static pid_t server_start(void)
{
  if (mkdtemp(directory) == NULL)
    return -1;
  (void)snprintf(address, sizeof address, "%s/socket", directory);
  const pid_t server = fork();
  if (server != 0)
    return server;
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  (void)execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", address, "--save", "",
               "--dir", directory, "--loglevel", "warning", (char *)NULL);
  perror("redis_stress: redis-server cannot be started");
  _exit(127);
}

static void server_end(pid_t server)
{
  (void)kill(server, SIGTERM);
  (void)waitpid(server, NULL, 0);
  (void)unlink(address);
  (void)rmdir(directory);
}

/* ---- the filter ---------------------------------------------------------------- */

static lfb_redis *mine(const crew_turn *turn)
{
  return turn->thread % 2 == 0 ? one : two;
}

static void put_one_by_one(const crew_turn *turn)
{
  bool maybe = false;

  for (uint64_t key = turn->first; key < turn->first + 20; key++) {
    crew_expect_ok(lfb_redis_many(one, LFB_PUT, &key, 1, NULL, NULL, LFB_U64_KEY));
    crew_expect_ok(lfb_redis_put(two, &key, sizeof key, NULL));
    crew_expect_ok(lfb_redis_might_contain(one, &key, sizeof key, &maybe));
    crew_expect(maybe);
  }
}

static void put_many(const crew_turn *turn)
{
  const lfb_key bytes[] = {{"a", 1}, {&turn->first, sizeof turn->first}};
  uint64_t keys[CREW_KEYS];
  size_t yes = 0;

  crew_keys(turn->first, keys);
  crew_expect_ok(lfb_redis_many(one, LFB_PUT, keys, CREW_KEYS, NULL, NULL, LFB_U64_KEY));
  crew_expect_ok(lfb_redis_many(two, LFB_MIGHT_CONTAIN, keys, CREW_KEYS, NULL, &yes, LFB_U64_KEY));
  crew_expect(yes == CREW_KEYS);
  crew_expect_ok(lfb_redis_many(two, LFB_PUT, bytes, 2, NULL, NULL, LFB_BYTES_KEY));
  crew_expect_ok(lfb_redis_many(one, LFB_MIGHT_CONTAIN, bytes, 2, NULL, &yes, LFB_BYTES_KEY));
  crew_expect(yes == 2);
}

/* All threads put the same keys. */
static void put_new(const crew_turn *turn)
{
  uint64_t keys[CREW_KEYS];
  size_t mine_new = 0;

  crew_keys(1000000000 + CREW_KEYS * turn->round, keys);
  crew_expect_ok(
      lfb_redis_many(mine(turn), LFB_PUT, keys, CREW_KEYS, NULL, &mine_new, LFB_U64_KEY));
  atomic_fetch_add_explicit(&new_keys, mine_new, memory_order_relaxed);
}

static void look(const crew_turn *turn)
{
  lfb_stats plan;
  lfb_figures figures;
  lfb_filter *local = NULL;
  const lfb_status status = lfb_redis_put(two, &turn->first, sizeof turn->first, NULL);

  crew_expect(status == LFB_OK && lfb_redis_last_error(status)[0] == '\0');
  lfb_redis_plan(one, &plan);
  crew_expect_ok(lfb_redis_stats(mine(turn), &figures));
  crew_expect(figures.all.bit_count == plan.bit_count && figures.all.bits_set > 0);
  crew_expect_ok(lfb_redis_expire(mine(turn), 3600 * 1000));
  crew_expect_ok(lfb_redis_load(one, NULL, &local));
  crew_expect(lfb_filter_might_contain(local, &turn->first, sizeof turn->first));
  lfb_filter_free(local);
}

/* Each thread saves, opens, renames and deletes a filter of its own. */
static void save(const crew_turn *turn)
{
  char name[32], other[32];
  lfb_redis *opened = NULL;
  size_t yes = 0;

  (void)snprintf(name, sizeof name, "{own}%u", turn->thread);
  (void)snprintf(other, sizeof other, "{own}other%u", turn->thread);
  (void)lfb_filter_put_u64(published, turn->first);
  crew_expect_ok(lfb_redis_save(&options, name, published, 0));
  crew_expect_ok(lfb_redis_open(&options, name, NULL, &opened));
  crew_expect_ok(
      lfb_redis_many(opened, LFB_MIGHT_CONTAIN, &turn->first, 1, NULL, &yes, LFB_U64_KEY));
  crew_expect(yes == 1);
  crew_expect_ok(lfb_redis_rename(opened, other));
  lfb_redis_close(opened);
  crew_expect_ok(lfb_redis_delete(&options, other, LFB_DEFAULT));
}

/* ---- versions -------------------------------------------------------------------- */

/* Publishes the filter, if no other thread does, and has the follower take it. */
static void publish(const crew_turn *turn)
{
  uint64_t number = 0;
  lfb_followed what;

  if (atomic_flag_test_and_set_explicit(&publishing, memory_order_acquire))
    return;
  (void)lfb_filter_put_u64(published, turn->first);
  crew_expect_ok(turn->round % 2 == 0
                     ? lfb_redis_publish(&options, "list", published, NULL, &number)
                     : lfb_redis_publisher_publish(publisher, published, &number));
  atomic_flag_clear_explicit(&publishing, memory_order_release);
  crew_expect_ok(lfb_follow_poll(follow, 1000000 + turn->round, &what));
  crew_expect(number > 0 && lfb_versions_might_contain_u64(followed, turn->first));
}

/* One thread at a time may do it. */
static void listen_again(const crew_turn *turn)
{
  if (turn->thread != 0)
    return;
  lfb_redis_source_silence(source);
  crew_expect_ok(lfb_redis_source_listen(source, follow));
}

static void run(void)
{
  static const crew_act acts[] = {put_one_by_one, put_many, put_new, look, save, publish,
                                  listen_again};
  uint64_t number;

  crew_expect_ok(lfb_redis_open(&options, "seen", &config, &two));
  crew_expect_ok(lfb_filter_create(&config, &published));
  crew_expect_ok(lfb_versions_create_waiting(&followed));
  crew_expect_ok(lfb_redis_publisher_create(&options, "list", NULL, &publisher));
  crew_expect_ok(lfb_redis_publish(&options, "list", published, NULL, &number));
  crew_expect_ok(lfb_redis_source_create(&options, "list", NULL, &source));
  const lfb_source functions = lfb_redis_source_functions(source);
  crew_expect_ok(lfb_follow_create(followed, &functions, &(lfb_follow_config){0}, &follow));
  crew_expect_ok(lfb_follow_start(follow));
  crew_expect_ok(lfb_redis_source_listen(source, follow));
  crew_run(acts, sizeof acts / sizeof acts[0]);
  crew_expect(atomic_load(&new_keys) == CREW_ROUNDS * CREW_KEYS);
  lfb_redis_source_silence(source);
  lfb_follow_free(follow);
  lfb_redis_source_free(source);
  lfb_redis_publisher_free(publisher);
  lfb_versions_free(followed);
  lfb_filter_free(published);
  lfb_redis_close(two);
}

int main(void)
{
  const pid_t server = server_start();
  /* It waits until the server answers. */
  const lfb_status status = lfb_redis_create(&options, "seen", &config, 0, &one);

  if (status == LFB_OK) {
    run();
    lfb_redis_close(one);
  } else {
    fprintf(stderr, "redis_stress: no server: %s\n", lfb_status_text(status));
    crew_expect(false);
  }
  if (server > 0)
    server_end(server);
  return crew_end();
}
