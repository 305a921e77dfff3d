/*
 * address.h - the redis:// URL of published versions; the password may be in the environment.
 */
#ifndef GUARD_ADDRESS_H
#define GUARD_ADDRESS_H

#include <lfbloom/redis.h>

/* Parses a URL.  If it has no password, the one in LFBLOOM_REDIS_PASSWORD is used.  Fails as
 * lfb_redis_parse_url(). */
lfb_status address_read(const char *url, lfb_redis_address *address);

#endif
