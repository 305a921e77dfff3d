/*
 * tls.h - TLS on a socket of net.h, by OpenSSL.
 *
 * OpenSSL sends and receives through net.h: no call blocks or raises a signal.  The server's
 * certificate and its name are always verified.  A library that was compiled with LFB_WITHOUT_TLS
 * has no OpenSSL: lfb_tls_create() fails.
 *
 * Threads  One thread at a time may use a context or what was opened with it.
 */
#ifndef LFB_REDIS_TLS_H
#define LFB_REDIS_TLS_H

#include <lfbloom/redis.h>
#include <stddef.h>
#include <stdint.h>

#include "redis/link/said.h"

LFB_EXTERN_C_BEGIN

/* The certificates of the options. */
typedef struct lfb_tls_context lfb_tls_context;

/* TLS on one socket. */
typedef struct lfb_tls lfb_tls;

/* Fails: LFB_ERROR_REDIS_TLS_FILE, with the file's name in `said`; LFB_ERROR_REDIS_NO_TLS;
 * LFB_ERROR_NO_MEMORY. */
lfb_status lfb_tls_create(const lfb_redis_options *options, lfb_said *said,
                          lfb_tls_context **context);

#ifdef LFB_WITHOUT_TLS
#define lfb_tls_free(context) (void)(context)
#define lfb_tls_open(...) LFB_ERROR_REDIS_NO_TLS
#define lfb_tls_close(tls) (void)(tls)
#define lfb_tls_send(...) LFB_ERROR_REDIS_NO_TLS
#define lfb_tls_receive(...) LFB_ERROR_REDIS_NO_TLS
#else
/* Nothing may be open.  NULL is ignored. */
void lfb_tls_free(lfb_tls_context *context);

/*
 * Shakes hands with a server that must have a certificate for `name`, which is also sent to it
 * (SNI) unless it is an address.  The socket stays the caller's.
 *
 * Fails  LFB_ERROR_REDIS_CERTIFICATE, LFB_ERROR_REDIS_TLS; LFB_ERROR_REDIS_LOST,
 *        LFB_ERROR_REDIS_TIMEOUT; LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_tls_open(lfb_tls_context *context, int socket, const char *name, uint64_t deadline,
                        lfb_said *said, lfb_tls **tls);
void lfb_tls_close(lfb_tls *tls); /* NULL is ignored */

/*
 * As lfb_net_send() and lfb_net_receive().  After a send of which not everything moved, the next
 * one must begin with the bytes that did not.  Nothing received stays behind unseen by poll() if
 * `size` is at least LFB_TLS_RECORD.
 *
 * Fails  LFB_ERROR_REDIS_LOST, LFB_ERROR_REDIS_TLS, LFB_ERROR_NO_MEMORY.
 */
enum { LFB_TLS_RECORD = 1 << 14 };

lfb_status lfb_tls_send(lfb_tls *tls, const void *bytes, size_t size, lfb_said *said,
                        size_t *moved);
lfb_status lfb_tls_receive(lfb_tls *tls, void *bytes, size_t size, lfb_said *said, size_t *moved);
#endif

LFB_EXTERN_C_END

#endif
