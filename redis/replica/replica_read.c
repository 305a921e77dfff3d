/* replica_read.c - the reader: the thread that receives the puts of other replicas. */
#include <poll.h>

#include "redis/link/net.h"
#include "redis/replica/replica.h"

enum { READ_KEEP = LFB_STREAM_LIFE_MS / 24 }; /* ms until the stream is kept again */

bool lfb_replica_is_stopping(const lfb_replica *replica)
{
  /* relaxed: pairs with the store in replica_stop(); the flag orders nothing. */
  return atomic_load_explicit(&replica->stopping, memory_order_relaxed);
}

void lfb_replica_pause(const lfb_replica *replica, uint32_t failures)
{
  (void)lfb_net_wait(replica->stop, POLLIN, lfb_net_now() + lfb_pause_ms(failures));
}

/* Merges the loaded filter into the local filter, or makes it the local filter; takes ownership. */
static lfb_status replica_take_over(lfb_replica *replica, lfb_filter *loaded)
{
  if (replica->local == NULL) {
    replica->local = loaded;
    return LFB_OK;
  }
  const lfb_status status = lfb_filter_put_all(replica->local, loaded);
  lfb_filter_free(loaded);
  return status;
}

static lfb_status replica_check(lfb_redis *filter, lfb_link *link, void *context)
{
  (void)context;
  return lfb_remote_check(filter, link);
}

static lfb_status replica_keep(lfb_replica *replica)
{
  replica->keep_at = lfb_lags_now() + UINT64_C(1000) * READ_KEEP;
  return lfb_stream_keep(&replica->stream);
}

/* Checks first that the filter exists: a greeting for a deleted filter would create a stream. */
static lfb_status replica_greet(lfb_replica *replica, lfb_stream_at *at)
{
  lfb_status status = lfb_remote_with_link(replica->remote, replica_check, NULL);

  if (status == LFB_OK)
    status = lfb_stream_greet(&replica->stream, at);
  return status == LFB_OK ? replica_keep(replica) : status;
}

/* The end of the stream is noted before the load; otherwise entries added in between would be lost
 * (stream.h, 1). */
lfb_status lfb_replica_load(lfb_replica *replica)
{
  lfb_filter *loaded = NULL;
  lfb_stream_at at;

  lfb_status status = replica_greet(replica, &at);
  const uint64_t began = lfb_lags_now();
  if (status == LFB_OK)
    status = lfb_redis_load(replica->remote, &replica->limits, &loaded);
  if (status == LFB_OK)
    status = replica_take_over(replica, loaded);
  if (status != LFB_OK)
    return status;
  replica->at = at;
  /* release: pairs with the acquire in lfb_replica_state_now(); a thread that sees this time sees
   * the bits that were loaded before it. */
  atomic_store_explicit(&replica->fresh, began, memory_order_release);
  /* relaxed: a figure. */
  (void)lfb_add_u64(&replica->loads, 1, memory_order_relaxed);
  return LFB_OK;
}

static void read_take(void *context, lfb_hash hash)
{
  (void)lfb_filter_put_hash128(context, hash.low, hash.high);
}

/* Updates the figures.  relaxed, except `fresh`: they order nothing. */
static void read_count(lfb_replica *replica, const lfb_stream_news *news, uint64_t began)
{
  for (uint32_t i = 0; i < news->lag_count; i++)
    lfb_lags_add(&replica->lags, news->lags[i].microseconds, news->lags[i].keys);
  (void)lfb_add_u64(&replica->received, news->keys, memory_order_relaxed);
  atomic_store_explicit(&replica->behind, news->behind, memory_order_relaxed);
  /* release: pairs with the acquire in lfb_replica_state_now(); a thread that sees this time sees
   * the bits that were read before it. */
  if (news->behind == 0)
    atomic_store_explicit(&replica->fresh, began, memory_order_release);
}

/* Reads once; loads the filter if entries may have been missed, or an entry asks for it. */
static lfb_status read_once(lfb_replica *replica)
{
  lfb_stream_news news;
  const uint64_t began = lfb_lags_now();

  const lfb_status status =
      lfb_stream_read(&replica->stream, &replica->at, read_take, replica->local, &news);
  if (status != LFB_OK)
    return status;
  if (news.reload)
    return lfb_replica_load(replica);
  read_count(replica, &news, began);
  return began >= replica->keep_at ? replica_keep(replica) : LFB_OK;
}

void *lfb_replica_read(void *argument)
{
  lfb_replica *replica = argument;

  for (uint32_t failures = 0; !lfb_replica_is_stopping(replica);) {
    const lfb_status status = read_once(replica);
    /* relaxed: a figure for lfb_replica_state_now(). */
    atomic_store_explicit(&replica->reading, (int)status, memory_order_relaxed);
    if (status == LFB_OK)
      failures = 0;
    else
      lfb_replica_pause(replica, failures++);
  }
  return NULL;
}
