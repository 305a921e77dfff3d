/* replica.c - opens and closes a replica, and puts into it. */
#define _POSIX_C_SOURCE 200809L
#include "redis/replica/replica.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "atomic/threads/wake.h"
#include "atomic/words/reserved.h"
#include "bloom/filter/pieces.h"

enum {
  REPLICA_QUEUE = 1 << 20,
  REPLICA_BLOCK = 2500,      /* ms that a read blocks at most: half of the default timeout */
  REPLICA_TIMEOUT = 5000,    /* ms, the default of lfbloom/redis.h                         */
  REPLICA_LOOK = 3000,       /* ms from one look to the next, of a small filter            */
  REPLICA_LOOK_BYTES = 2097, /* of the filter, for each further ms: 2 MiB for a second     */
};

/* ---- opening ------------------------------------------------------------------------- */

static void replica_free(lfb_replica *replica)
{
  lfb_redis_close(replica->remote);
  lfb_filter_free(replica->local);
  lfb_outbox_free(&replica->outbox);
  if (replica->wake >= 0)
    (void)close(replica->wake);
  if (replica->stop >= 0)
    (void)close(replica->stop);
  free(replica);
}

/* At most half of the link's timeout, so that a read of a live server never times out. */
static uint64_t replica_block_ms(const lfb_redis_options *options)
{
  const uint64_t timeout = options->timeout_ms == 0 ? REPLICA_TIMEOUT : options->timeout_ms;
  const uint64_t half = timeout / 2 == 0 ? 1 : timeout / 2;
  return half < REPLICA_BLOCK ? half : REPLICA_BLOCK;
}

/* Decides how often the sender looks for puts of plain clients. */
static void replica_plan_looks(lfb_replica *replica, const lfb_replica_config *config)
{
  const lfb_geometry *geometry = &replica->remote->place.description.geometry;
  const uint64_t bytes = geometry->word_count * sizeof(lfb_word);
  const uint64_t ms = config->look_ms != 0 ? config->look_ms
                                           : REPLICA_LOOK + bytes / REPLICA_LOOK_BYTES;

  replica->look_us = ms > UINT64_MAX / 2000 ? 0 : ms * 1000;
  replica->send.look_at = lfb_lags_now() + replica->look_us;
}

/* Connects, and loads the local filter, with all the patience of the options.  From then on a job
 * has one retry, because the link asks a cluster for its map again before a retry.  The two
 * threads do all further retries. */
static lfb_status replica_begin(lfb_replica *replica, const lfb_redis_options *options,
                                const char *name, const lfb_replica_config *config)
{
  const uint64_t queue = config->queue_keys == 0 ? REPLICA_QUEUE : config->queue_keys;

  lfb_status status = lfb_outbox_init(&replica->outbox, queue);
  if (status == LFB_OK)
    status = lfb_redis_open(options, name, config->wanted, &replica->remote);
  if (status == LFB_OK && replica->remote->place.layout->by_key)
    status = LFB_ERROR_REDIS_NO_FILTER; /* its words cannot be read one by one */
  if (status == LFB_OK)
    status = lfb_stream_init(&replica->stream, replica->remote, config->stream_entries,
                             replica_block_ms(options));
  if (status == LFB_OK)
    status = lfb_stream_check(&replica->stream);
  if (status == LFB_OK)
    replica_plan_looks(replica, config);
  if (status == LFB_OK)
    status = lfb_replica_load(replica);
  if (status == LFB_OK)
    lfb_pool_set_retries(&replica->remote->pool, 1);
  return status;
}

static void replica_wake(int event)
{
  const uint64_t one = 1;
  (void)!write(event, &one, sizeof one); /* fails only after almost 2^64 writes */
}

static void replica_stop(lfb_replica *replica)
{
  /* relaxed: pairs with the load in lfb_replica_is_stopping(); joining the threads orders the
   * rest. */
  atomic_store_explicit(&replica->stopping, true, memory_order_relaxed);
  replica_wake(replica->stop);
  replica_wake(replica->wake);
}

static lfb_status replica_start(lfb_replica *replica)
{
  if (pthread_create(&replica->sender, NULL, lfb_replica_send, replica) != 0)
    return LFB_ERROR_NO_THREAD;
  if (pthread_create(&replica->reader, NULL, lfb_replica_read, replica) == 0)
    return LFB_OK;
  replica_stop(replica);
  (void)pthread_join(replica->sender, NULL);
  return LFB_ERROR_NO_THREAD;
}

/* Initialises the lock and the condition, then starts both threads. */
static lfb_status replica_set_up(lfb_replica *replica)
{
  lfb_status status = LFB_ERROR_NO_MEMORY;

  (void)pthread_mutex_init(&replica->lock, NULL); /* never fails with default attributes */
  if (lfb_wake_init(&replica->told)) {
    status = replica_start(replica);
    if (status == LFB_OK)
      return LFB_OK;
    (void)pthread_cond_destroy(&replica->told);
  }
  (void)pthread_mutex_destroy(&replica->lock);
  return status;
}

/* Allocates a replica, zero except its limits, times and event descriptors. */
static lfb_status replica_make(const lfb_replica_config *config, lfb_replica **replica)
{
  lfb_replica *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  made->limits.max_bytes = config->max_bytes;
  made->resync_us =
      config->resync_ms > UINT64_MAX / 2000 ? UINT64_MAX / 2 : config->resync_ms * 1000;
  made->send.resync_at = lfb_lags_now() + made->resync_us;
  made->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  made->stop = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (made->wake >= 0 && made->stop >= 0) {
    *replica = made;
    return LFB_OK;
  }
  replica_free(made);
  return LFB_ERROR_NO_MEMORY; /* or no file descriptor is left */
}

lfb_status lfb_replica_open(const lfb_redis_options *options, const char *name,
                            const lfb_replica_config *config, lfb_replica **replica)
{
  static const lfb_replica_config defaults;
  lfb_replica *made;

  if (config == NULL)
    config = &defaults;
  lfb_status status = LFB_RESERVED(config);
  if (status == LFB_OK)
    status = replica_make(config, &made);
  if (status != LFB_OK)
    return status;
  status = replica_begin(made, options, name, config);
  if (status == LFB_OK)
    status = replica_set_up(made);
  if (status != LFB_OK) {
    replica_free(made);
    return status;
  }
  *replica = made;
  return LFB_OK;
}

void lfb_replica_close(lfb_replica *replica)
{
  if (replica == NULL)
    return;
  replica_stop(replica);
  (void)lfb_stream_rouse(&replica->stream); /* if it fails, so does the read, or it ends in time */
  (void)pthread_join(replica->sender, NULL);
  (void)pthread_join(replica->reader, NULL);
  (void)pthread_cond_destroy(&replica->told);
  (void)pthread_mutex_destroy(&replica->lock);
  replica_free(replica);
}

/* ---- querying -------------------------------------------------------------------------- */

const lfb_filter *lfb_replica_filter(const lfb_replica *replica)
{
  return replica->local;
}

/* ---- putting --------------------------------------------------------------------------- */

/* Wakes the sender if it sleeps. */
static void put_wake(lfb_replica *replica)
{
  /* seq_cst: pairs with the store in send_sleep() (replica.h, Sleep). */
  if (!atomic_load_explicit(&replica->asleep, memory_order_seq_cst))
    return;
  /* relaxed: decides only which one of several puts wakes the sender. */
  if (atomic_exchange_explicit(&replica->asleep, false, memory_order_relaxed))
    replica_wake(replica->wake);
}

/* Puts a key that the outbox has no room for: replica.h, Full. */
static bool put_unqueued(lfb_replica *replica, lfb_hash hash)
{
  /* acquire and release: pair with resync_full() and lfb_replica_flush() (replica.h, Full). */
  (void)lfb_add_u64(&replica->begun, 1, memory_order_acq_rel);
  const bool changed = lfb_filter_put_hash128(replica->local, hash.low, hash.high);
  /* release: pairs with the acquire in resync_full(). */
  (void)lfb_add_u64(&replica->ended, 1, memory_order_release);
  return changed;
}

/* Puts a key that is absent from the local filter. */
static bool put_absent(lfb_replica *replica, lfb_hash hash)
{
  if (!lfb_outbox_put(&replica->outbox, hash, lfb_lags_now()))
    return put_unqueued(replica, hash);
  /* The bits are set after the place was given, never before: replica.h. */
  const bool changed = lfb_filter_put_hash128(replica->local, hash.low, hash.high);
  put_wake(replica);
  return changed;
}

static bool replica_put(lfb_replica *replica, lfb_hash hash)
{
  return !lfb_filter_might_contain_hash128(replica->local, hash.low, hash.high) &&
         put_absent(replica, hash);
}

static size_t replica_put_many(lfb_replica *replica, const void *keys, size_t count,
                               lfb_piece_hash hash_of)
{
  const lfb_hasher *hasher = &replica->remote->layout.hasher;
  size_t changed = 0;

  for (size_t i = 0; i < count; i++)
    changed += replica_put(replica, hash_of(hasher, keys, i));
  return changed;
}

bool lfb_replica_put(lfb_replica *replica, const void *bytes, size_t size)
{
  return replica_put_many(replica, &(lfb_key){bytes, size}, 1, lfb_piece_bytes) != 0;
}

bool lfb_replica_put_u64(lfb_replica *replica, uint64_t key)
{
  return replica_put_many(replica, &key, 1, lfb_piece_u64) != 0;
}

size_t lfb_replica_put_many(lfb_replica *replica, const lfb_key *keys, size_t count)
{
  return replica_put_many(replica, keys, count, lfb_piece_bytes);
}

size_t lfb_replica_put_many_u64(lfb_replica *replica, const uint64_t *keys, size_t count)
{
  return replica_put_many(replica, keys, count, lfb_piece_u64);
}

/* ---- waiting ---------------------------------------------------------------------------- */

static struct timespec replica_deadline(uint64_t milliseconds)
{
  const uint64_t most = INT32_MAX; /* 24 days */
  const uint64_t wait = milliseconds < most ? milliseconds : most;
  struct timespec at;

  (void)clock_gettime(CLOCK_MONOTONIC, &at);
  at.tv_sec += (time_t)(wait / 1000);
  at.tv_nsec += (long)(wait % 1000) * 1000000;
  if (at.tv_nsec >= 1000000000) {
    at.tv_sec++;
    at.tv_nsec -= 1000000000;
  }
  return at;
}

/* Waits until two of the numbers under the lock have both reached the wanted values. */
static lfb_status replica_await(lfb_replica *replica, const uint64_t *number, uint64_t wanted,
                                const uint64_t *other, uint64_t other_wanted,
                                uint64_t milliseconds)
{
  const struct timespec deadline = replica_deadline(milliseconds);
  bool late = false;

  (void)pthread_mutex_lock(&replica->lock);
  while (!late && (*number < wanted || *other < other_wanted))
    late = pthread_cond_timedwait(&replica->told, &replica->lock, &deadline) != 0;
  const bool there = *number >= wanted && *other >= other_wanted;
  (void)pthread_mutex_unlock(&replica->lock);
  return there ? LFB_OK : LFB_ERROR_REPLICA_UNSENT;
}

lfb_status lfb_replica_flush(lfb_replica *replica, uint64_t milliseconds)
{
  const uint64_t placed = lfb_outbox_mark(&replica->outbox);
  /* acquire and release: pair with the first addition in put_unqueued() (replica.h, Full). */
  const uint64_t full = lfb_add_u64(&replica->begun, 0, memory_order_acq_rel);

  return replica_await(replica, &replica->acknowledged, placed, &replica->compared, full,
                       milliseconds);
}

lfb_status lfb_replica_resync(lfb_replica *replica, uint64_t milliseconds)
{
  (void)pthread_mutex_lock(&replica->lock);
  const uint64_t number = ++replica->asked;
  (void)pthread_mutex_unlock(&replica->lock);
  replica_wake(replica->wake);
  return replica_await(replica, &replica->done, number, &replica->done, number, milliseconds);
}

/* ---- the state --------------------------------------------------------------------------- */

static uint64_t state_number(const LFB_ATOMIC(uint64_t) * number)
{
  /* relaxed: the figures order nothing. */
  return atomic_load_explicit(number, memory_order_relaxed);
}

static lfb_status state_status(const lfb_replica *replica)
{
  /* relaxed: as above. */
  const int reading = atomic_load_explicit(&replica->reading, memory_order_relaxed);
  const int sending = atomic_load_explicit(&replica->sending, memory_order_relaxed);
  return (lfb_status)(reading != LFB_OK ? reading : sending);
}

/* Fills in how many puts are queued, and whether some puts still need a resync. */
static void state_waiting(const lfb_replica *replica, lfb_replica_state *state)
{
  pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&replica->lock;

  (void)pthread_mutex_lock(lock);
  state->queued = state_number(&replica->outbox.given) - replica->acknowledged;
  state->resyncs_due = state_number(&replica->begun) != replica->compared;
  (void)pthread_mutex_unlock(lock);
}

void lfb_replica_state_now(const lfb_replica *replica, lfb_replica_state *state)
{
  /* acquire: pairs with the release in read_count(), so that the caller sees the bits that the
   * reader put before. */
  const uint64_t fresh = atomic_load_explicit(&replica->fresh, memory_order_acquire);
  const lfb_status status = state_status(replica);

  *state = (lfb_replica_state){
      .connected = status == LFB_OK,
      .status = status,
      .lag_us = lfb_lags_now() - fresh,
      .behind = state_number(&replica->behind),
      .sent = state_number(&replica->sent),
      .received = state_number(&replica->received),
      .loads = state_number(&replica->loads),
      .resyncs = state_number(&replica->resyncs),
      .lag_50_us = lfb_lags_percentile(&replica->lags, 50),
      .lag_90_us = lfb_lags_percentile(&replica->lags, 90),
      .lag_99_us = lfb_lags_percentile(&replica->lags, 99),
      .lag_most_us = lfb_lags_most(&replica->lags),
  };
  state_waiting(replica, state);
}
