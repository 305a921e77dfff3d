/*
 * listener.h - a thread that subscribes to a channel and calls a function when messages arrive.
 */
#ifndef LFB_REDIS_LISTENER_H
#define LFB_REDIS_LISTENER_H

#include <lfbloom/redis.h>
#include <lfbloom/sink.h>

LFB_EXTERN_C_BEGIN

typedef struct lfb_listener lfb_listener;

/*
 * Starts a listener.  Its thread connects by itself.  It reconnects if the connection is lost, or
 * if the server sends nothing for options.timeout_ms and then does not answer a PING either.
 *
 * Takes  options, channel  must outlive the listener.
 *        news              called on the listener's thread when messages have arrived, once for
 *                          several that arrive together.  Also called after each subscription,
 *                          since earlier messages may have been missed.
 * Fails  LFB_ERROR_NO_THREAD, LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_listener_start(const lfb_redis_options *options, lfb_key channel,
                              void (*news)(void *to), void *to, lfb_listener **listener);

/* Ends the thread and frees the listener; NULL is ignored. */
void lfb_listener_stop(lfb_listener *listener);

LFB_EXTERN_C_END

#endif
