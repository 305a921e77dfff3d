/*
 * lfbloom/redis.h - filters on a Redis server or cluster.
 *
 * Floor 9.  May include: lfbloom/status.h.
 *
 * In a library of its own, liblfbloom_redis, so that nobody else needs hiredis.
 */
#ifndef LFBLOOM_REDIS_H
#define LFBLOOM_REDIS_H

#include <lfbloom/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Where the server is, or one node of a cluster, from which the others are found; and how
 * long to be patient.  All zero is the default.  Texts are copied by whoever takes options.
 *
 * A command that is not answered (the connection is lost, or timeout_ms passes) or is refused
 * for the time being (the server loads its data, a cluster has lost a master) is sent again
 * after a pause of 20 ms, twice as long each time and 2 s at most: `retries` times as long as
 * nothing at all is answered.  The default is 20 s of pauses, in which a cluster with its own
 * default (cluster-node-timeout 15 s) puts a replica in its dead master's place.
 */
typedef struct lfb_redis_options {
  const char *host;     /* name or address; NULL: 127.0.0.1                           */
  uint16_t port;        /* 0: 6379                                                    */
  const char *user;     /* NULL: the server's default user                            */
  const char *password; /* NULL: none                                                 */
  uint32_t connect_ms;  /* for connecting and logging in, but for the lookup of a name; 0: 1000 */
  uint32_t timeout_ms;  /* that a node may be silent while an answer is due; 0: 5000  */
  uint32_t retries;     /* in a row; 0: 16; UINT32_MAX: none                          */
  uint32_t window;      /* commands that a node is sent ahead of its answers; 0: 1024 */
  bool tls;             /* refused with LFB_ERROR_REDIS_TLS: Debian's hiredis has none */
} lfb_redis_options;

enum {
  LFB_REDIS_URL_SIZE = 1023, /* bytes of the longest address that is taken */
};

/* What an address says.  Not to be copied: its texts point into it. */
typedef struct lfb_redis_address {
  lfb_redis_options options; /* host, port, user, password and tls; the rest is zero */
  const char *name;          /* behind the slash, "" where there is none             */
  char text[LFB_REDIS_URL_SIZE + 1];
} lfb_redis_address;

/*
 * Reads redis://[[user]:password@]host[:port][/name], or rediss:// for TLS.  In user, password
 * and name %XX stands for a byte, so that they may hold any but NUL; an IPv6 address is
 * written in brackets.
 *
 * Fails  LFB_ERROR_REDIS_ADDRESS, `address` untouched: another scheme, no host, no such port
 *        (1 to 65535), a lone %, %00, or more than LFB_REDIS_URL_SIZE bytes.
 */
LFB_API lfb_status lfb_redis_parse_url(const char *url, lfb_redis_address *address);

#ifdef __cplusplus
}
#endif

#endif
