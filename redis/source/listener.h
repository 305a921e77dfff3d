/*
 * listener.h - a thread that is subscribed to a channel, and says so whenever there may be news.
 */
#ifndef LFB_REDIS_LISTENER_H
#define LFB_REDIS_LISTENER_H

#include <lfbloom/redis.h>
#include <lfbloom/sink.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lfb_listener lfb_listener;

/*
 * Starts one, which connects by itself, and anew where a connection is lost, or is silent for
 * options.timeout_ms and then to a PING as well.
 *
 * Takes  options, channel  which must outlive it.
 *        news              called on its thread, for each message; and for each time that it is
 *                          subscribed, since there may have been messages before.
 * Fails  LFB_ERROR_NO_THREAD, LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_listener_start(const lfb_redis_options *options, lfb_key channel,
                              void (*news)(void *to), void *to, lfb_listener **listener);

/* Ends and frees it; NULL: nothing. */
void lfb_listener_stop(lfb_listener *listener);

#ifdef __cplusplus
}
#endif

#endif
