/*
 * http.h - the guard as an HTTP server.
 *
 *   GET, HEAD  /pms/productInfo/ID   200 and the product's JSON; 404 "product does not exist"
 *   PUT, POST  /pms/productInfo/ID   writes the JSON object that is sent; 200 and the object
 *   POST       /admin/rebuild        202, and the filter is rebuilt; 409 while it is already
 *   GET        /metrics              figures, in Prometheus' exposition format
 *
 * Refused   with an object {"error": "..."}: 400 for an ID that is not a decimal number
 *           from 1 to 2^63-1 without leading zeros, or a body that is no JSON object; 404 for
 *           another path, 405 for another method, 413 for a body above 64 KiB, 503 where the
 *           database fails.
 * Threads   As many as said, each with connections of its own.
 */
#ifndef GUARD_HTTP_H
#define GUARD_HTTP_H

#include "examples/guard/guard.h"

struct http;

/* Listens at a numeric IPv4 address; port 0 is a free one.  NULL after a report. */
struct http *http_start(struct guard *guard, const char *address, unsigned port,
                        unsigned threads);

/* The port that it listens at. */
unsigned http_port(const struct http *http);

/* Takes no more connections, answers the requests that have come, for some seconds at most,
 * and ends. */
void http_stop(struct http *http);

#endif
