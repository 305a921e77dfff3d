/*
 * net.h - sockets that wait no longer than the caller's deadline, and pauses after failures.
 *
 * A deadline is a time of lfb_net_now().  Signals do not end a call, and a send on a closed
 * connection raises no signal.
 */
#ifndef LFB_REDIS_NET_H
#define LFB_REDIS_NET_H

#include <lfbloom/status.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redis/link/said.h"

LFB_EXTERN_C_BEGIN

/* Milliseconds since a fixed moment; never set back. */
uint64_t lfb_net_now(void);

/*
 * Connects to the first address of a host that answers, or to the Unix socket at a path, which
 * begins with a slash; the socket does not block.  The deadline does not limit the lookup of the
 * host's name.
 *
 * Fails  LFB_ERROR_REDIS_HOST: there is no such host, or the path is too long;
 *        LFB_ERROR_REDIS_CONNECT, LFB_ERROR_REDIS_TIMEOUT; with the reason in `said`;
 *        LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_net_connect(const char *host, uint16_t port, uint64_t deadline, lfb_said *said,
                           int *socket);

/* Wait until poll() reports an event, of one socket or several; return false at the deadline. */
bool lfb_net_wait(int socket, short events, uint64_t deadline);
bool lfb_net_poll(struct pollfd *polled, nfds_t count, uint64_t deadline);

/*
 * Send or receive what is possible now.  `moved` is the number of bytes; 0 if it would block.
 *
 * Fails  LFB_ERROR_REDIS_LOST: the connection is lost.
 */
lfb_status lfb_net_send(int socket, const void *bytes, size_t size, lfb_said *said, size_t *moved);
lfb_status lfb_net_receive(int socket, void *bytes, size_t size, lfb_said *said, size_t *moved);

/* Whether a socket on which no answer is due is as expected: open and silent. */
bool lfb_net_is_quiet(int socket);

enum { LFB_PAUSE_FIRST = 20,
       LFB_PAUSE_LONGEST = 2000 }; /* ms, without the random part */

/*
 * The pause in milliseconds after a failure that followed `failures` others in a row: 20 at first,
 * twice as long each time, 2,000 at most; and a random part of up to half of that, so that clients
 * that lost a server at the same moment do not all return at the same moment.
 */
uint64_t lfb_pause_ms(uint32_t failures);

LFB_EXTERN_C_END

#endif
