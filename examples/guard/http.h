/*
 * http.h - the guard as an HTTP server.
 *
 *   GET, HEAD  /pms/productInfo/ID   200 and the product's JSON; 404 "product does not exist"
 *   PUT, POST  /pms/productInfo/ID   writes the JSON object in the body; 200 and the object
 *   POST       /admin/rebuild        202, and the filter is rebuilt; 409 during a rebuild
 *   GET        /metrics              figures, in Prometheus' exposition format
 *
 * Refused   with an object {"error": "..."}:
 *           400  the ID is not a decimal number from 1 to 2^63-1 without leading zeros, or the
 *                body is not a JSON object
 *           404  another path
 *           405  another method
 *           413  a body above 64 KiB
 *           503  the database failed
 * Threads   `threads` of them, each with connections of its own.
 */
#ifndef GUARD_HTTP_H
#define GUARD_HTTP_H

#include "examples/guard/guard.h"

struct http;

/* Listens at a numeric IPv4 address; port 0 chooses a free one.  NULL after a report. */
struct http *http_start(struct guard *guard, const char *address, unsigned port,
                        unsigned threads);

/* Returns the port that it listens at. */
unsigned http_port(const struct http *http);

/* Accepts no more connections, answers the requests in progress for at most 5 seconds, and
 * ends. */
void http_stop(struct http *http);

#endif
