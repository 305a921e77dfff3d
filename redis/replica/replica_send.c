/* replica_send.c - the sender: the thread that sends local puts to Redis. */
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <unistd.h>

#include "redis/filter/remote.h"
#include "redis/link/net.h"
#include "redis/replica/replica.h"

enum {
  SEND_NAP = 1,      /* ms: a put has taken a place and not filled it yet */
  SEND_SLEEP = 1000, /* ms: longest sleep if no thread wakes the sender   */
  LOOK_TRIES = 4,    /* looks in a row, before the filter is loaded       */
  LOOK_PAUSE = 100,  /* ms between them                                   */
};

/* ---- waiting threads -------------------------------------------------------------- */

static void send_tell(lfb_replica *replica, uint64_t *number, uint64_t value)
{
  (void)pthread_mutex_lock(&replica->lock);
  *number = value;
  (void)pthread_cond_broadcast(&replica->told);
  (void)pthread_mutex_unlock(&replica->lock);
}

static uint64_t send_asked(lfb_replica *replica)
{
  (void)pthread_mutex_lock(&replica->lock);
  const uint64_t asked = replica->asked;
  (void)pthread_mutex_unlock(&replica->lock);
  return asked;
}

/* ---- batches ----------------------------------------------------------------------- */

/* Sets the bits first, then adds the entries that announce them (stream.h, 1). */
static lfb_status send_try(lfb_replica *replica, size_t count)
{
  const lfb_status status = lfb_remote_put_hashes(replica->remote, replica->send.hashes, count);
  return status == LFB_OK ? lfb_stream_tell(&replica->stream, replica->send.puts, count) : status;
}

/* Retries until the batch is sent; returns false if the replica is closed first. */
static bool send_until_done(lfb_replica *replica, size_t count)
{
  for (uint32_t failures = 0; !lfb_replica_is_stopping(replica); failures++) {
    const lfb_status status = send_try(replica, count);
    /* relaxed: a figure for lfb_replica_state_now(). */
    atomic_store_explicit(&replica->sending, (int)status, memory_order_relaxed);
    if (status == LFB_OK)
      return true;
    lfb_replica_pause(replica, failures);
  }
  return false;
}

/* Sends at most one batch of the queued puts; returns how many. */
static size_t send_batch(lfb_replica *replica)
{
  const size_t count = lfb_outbox_take(&replica->outbox, replica->send.puts, LFB_REPLICA_BATCH);

  for (size_t i = 0; i < count; i++)
    replica->send.hashes[i] = replica->send.puts[i].hash;
  if (count == 0 || !send_until_done(replica, count))
    return 0;
  /* relaxed: a figure for lfb_replica_state_now(). */
  (void)lfb_add_u64(&replica->sent, count, memory_order_relaxed);
  send_tell(replica, &replica->acknowledged, replica->outbox.taken);
  return count;
}

/* ---- resyncs ------------------------------------------------------------------------ */

/* Counts the puts that found the outbox full; false if one of them has not set all its bits yet. */
static bool resync_full(lfb_replica *replica, uint64_t *full)
{
  /* acquire: pairs with the release in put_unqueued(), after the bits were set. */
  const uint64_t ended = atomic_load_explicit(&replica->ended, memory_order_acquire);
  /* acquire and release: pair with the first addition in put_unqueued() (replica.h, Full). */
  *full = lfb_add_u64(&replica->begun, 0, memory_order_acq_rel);
  return *full == ended;
}

/* Sends all puts that have a place at the time of the call; false if the replica is stopping. */
static bool resync_drain(lfb_replica *replica)
{
  const uint64_t mark = lfb_outbox_mark(&replica->outbox);

  while (replica->outbox.taken < mark && !lfb_replica_is_stopping(replica))
    if (send_batch(replica) == 0)
      (void)lfb_net_wait(replica->stop, POLLIN, lfb_net_now() + SEND_NAP);
  return replica->outbox.taken >= mark;
}

/* Loads the filter from Redis, and puts it into the local filter. */
static lfb_status send_load(lfb_replica *replica, lfb_filter **theirs)
{
  const lfb_status status = lfb_redis_load(replica->remote, &replica->limits, theirs);

  return status == LFB_OK ? lfb_filter_put_all(replica->local, *theirs) : status;
}

/* Loads the filter from Redis and sets there the bits of `ours`, a copy of the local filter, that
 * it lacks. */
static lfb_status resync_with(lfb_replica *replica, const lfb_filter *ours)
{
  lfb_filter *theirs = NULL;
  bool any = false;

  lfb_status status = send_load(replica, &theirs);
  if (status == LFB_OK)
    status = lfb_mend(replica->remote, ours, theirs, &any);
  replica->send.untold |= any;
  lfb_filter_free(theirs);
  if (status == LFB_OK && replica->send.untold) {
    status = lfb_stream_tell_to_load(&replica->stream);
    replica->send.untold = status != LFB_OK;
  }
  return status;
}

/* Copies the local filter, then drains the outbox.  Redis then has the bits of all puts that were
 * queued at the copy.  Otherwise the comparison would find these bits missing, and all other
 * replicas would load the filter for nothing. */
static lfb_status resync_compare(lfb_replica *replica)
{
  lfb_filter *ours;

  lfb_status status = lfb_filter_copy(replica->local, &ours);
  if (status != LFB_OK)
    return status;
  status = resync_drain(replica) ? resync_with(replica, ours) : LFB_ERROR_STOPPED;
  lfb_filter_free(ours);
  return status;
}

/* Sets the earliest time of the next resync.  After a success, it waits as long as the resync took:
 * if puts come faster than they can be sent, the filter is not loaded all the time.  After a
 * failure, it waits for a pause. */
static void resync_put_off(lfb_replica *replica, uint64_t began, lfb_status status)
{
  const uint64_t now = lfb_lags_now(), took = now - began;

  replica->send.failures = status == LFB_OK ? 0 : replica->send.failures + 1;
  replica->send.not_before =
      now + (status == LFB_OK ? took : lfb_pause_ms(replica->send.failures - 1) * 1000);
}

/* Runs a resync, unless a put that found the outbox full is still setting its bits. */
static void resync(lfb_replica *replica)
{
  const uint64_t asked = send_asked(replica), began = lfb_lags_now();
  uint64_t full;

  if (!resync_full(replica, &full))
    return;
  const lfb_status status = resync_compare(replica);
  /* relaxed, twice: figures for lfb_replica_state_now(). */
  atomic_store_explicit(&replica->sending, (int)status, memory_order_relaxed);
  resync_put_off(replica, began, status);
  if (status != LFB_OK)
    return;
  (void)lfb_add_u64(&replica->resyncs, 1, memory_order_relaxed);
  replica->send.resync_at = lfb_lags_now() + replica->resync_us;
  send_tell(replica, &replica->compared, full);
  send_tell(replica, &replica->done, asked);
}

static bool resync_is_wanted(lfb_replica *replica)
{
  /* relaxed: a put that is not seen now is seen at the next check.  Only this thread writes
   * `compared` and `done`, so it reads them without the lock. */
  return atomic_load_explicit(&replica->begun, memory_order_relaxed) != replica->compared ||
         send_asked(replica) != replica->done ||
         (replica->resync_us != 0 && lfb_lags_now() >= replica->send.resync_at);
}

/* ---- looks: what plain clients have put (replica.h) ------------------------------------ */

/* Whether all bits that the copy had before the call are on Redis. */
static bool look_is_sent(lfb_replica *replica)
{
  const uint64_t mark = lfb_outbox_mark(&replica->outbox);
  uint64_t full;

  return replica->outbox.taken >= mark && resync_full(replica, &full) && full == replica->compared;
}

/* Gives the number of bits on Redis, and whether the copy has all of them for sure. */
static lfb_status look_compare(lfb_replica *replica, uint64_t *bits, bool *all)
{
  lfb_stats ours, theirs;

  lfb_filter_stats(replica->local, &ours);
  const bool sent = look_is_sent(replica);
  const lfb_status status = lfb_redis_stats(replica->remote, &theirs);
  if (status != LFB_OK)
    return status;
  *bits = theirs.bits_set;
  *all = *bits == replica->send.seen || (sent && *bits == ours.bits_set);
  return LFB_OK;
}

static lfb_status look_load(lfb_replica *replica)
{
  lfb_filter *theirs = NULL;

  const lfb_status status = send_load(replica, &theirs);
  lfb_filter_free(theirs);
  /* relaxed: a figure. */
  if (status == LFB_OK)
    (void)lfb_add_u64(&replica->loads, 1, memory_order_relaxed);
  return status;
}

static void look(lfb_replica *replica)
{
  bool all = false;
  uint64_t bits = 0;

  lfb_status status = look_compare(replica, &bits, &all);
  if (status == LFB_OK && !all && ++replica->send.looks < LOOK_TRIES) {
    replica->send.look_at = lfb_lags_now() + UINT64_C(1000) * LOOK_PAUSE;
    return;
  }
  if (status == LFB_OK && !all)
    status = look_load(replica);
  if (status == LFB_OK)
    replica->send.seen = bits;
  replica->send.looks = 0;
  replica->send.look_at = lfb_lags_now() + replica->look_us;
  /* relaxed: a figure for lfb_replica_state_now(). */
  atomic_store_explicit(&replica->sending, (int)status, memory_order_relaxed);
}

static bool look_is_due(const lfb_replica *replica)
{
  return replica->look_us != 0 && lfb_lags_now() >= replica->send.look_at;
}

/* ---- the thread ---------------------------------------------------------------------- */

/* Returns the time, as lfb_lags_now(), until which only new puts can give the sender work. */
static uint64_t send_idle_until(lfb_replica *replica)
{
  const uint64_t now = lfb_lags_now(), longest = now + (uint64_t)SEND_SLEEP * 1000;
  uint64_t at = resync_is_wanted(replica) ? replica->send.not_before
                : replica->resync_us != 0 ? replica->send.resync_at
                                          : longest;
  if (replica->look_us != 0 && replica->send.look_at < at)
    at = replica->send.look_at;
  /* A resync is due, but a put is still setting its bits: look again after SEND_NAP. */
  return at <= now ? now + (uint64_t)SEND_NAP * 1000 : at < longest ? at : longest;
}

/* Sleeps until there is something to do: replica.h, Sleep. */
static void send_sleep(lfb_replica *replica)
{
  const uint64_t until = send_idle_until(replica), now = lfb_lags_now();
  const uint64_t left = until > now ? until - now : 0;
  uint64_t wakes;

  /* seq_cst: pairs with the load in put_wake() (replica.h, Sleep). */
  atomic_store_explicit(&replica->asleep, true, memory_order_seq_cst);
  if (lfb_outbox_is_empty(&replica->outbox))
    (void)lfb_net_wait(replica->wake, POLLIN, lfb_net_now() + left / 1000 + 1);
  else
    (void)lfb_net_wait(replica->stop, POLLIN, lfb_net_now() + SEND_NAP);
  /* relaxed: a put that still sees `true` only writes to `wake` once more than needed. */
  atomic_store_explicit(&replica->asleep, false, memory_order_relaxed);
  (void)!read(replica->wake, &wakes, sizeof wakes); /* fails if there was no wake-up */
}

void *lfb_replica_send(void *argument)
{
  lfb_replica *replica = argument;

  while (!lfb_replica_is_stopping(replica)) {
    const size_t sent = send_batch(replica);
    if (resync_is_wanted(replica) && lfb_lags_now() >= replica->send.not_before)
      resync(replica);
    if (look_is_due(replica))
      look(replica);
    if (sent == 0)
      send_sleep(replica);
  }
  return NULL;
}
