/*
 * net.h - sockets that never make a caller wait longer than it said.
 *
 * A deadline is a time of lfb_net_now().  Interruption by signals is of no consequence, and
 * a peer that is gone raises none.
 */
#ifndef LFB_REDIS_NET_H
#define LFB_REDIS_NET_H

#include <lfbloom/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redis/link/said.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Milliseconds that have passed since some moment; never set back. */
uint64_t lfb_net_now(void);

/*
 * Connects to the first address of a host that answers; the socket does not block.
 *
 * Fails  LFB_ERROR_REDIS_CONNECT, LFB_ERROR_REDIS_TIMEOUT: why is in `said`.
 */
lfb_status lfb_net_connect(const char *host, uint16_t port, uint64_t deadline, lfb_said *said,
                           int *socket);

/* Waits until something can be done with a socket, as poll() has it; false at the deadline. */
bool lfb_net_wait(int socket, short events, uint64_t deadline);

/*
 * Sends, or receives, what can be now; `moved` says how many bytes, 0 where it would block.
 *
 * Fails  LFB_ERROR_REDIS_LOST: the connection is no more.
 */
lfb_status lfb_net_send(int socket, const void *bytes, size_t size, lfb_said *said, size_t *moved);
lfb_status lfb_net_receive(int socket, void *bytes, size_t size, lfb_said *said, size_t *moved);

/* Whether a socket from which nothing is due is as it should be: open, and silent. */
bool lfb_net_is_quiet(int socket);

#ifdef __cplusplus
}
#endif

#endif
