/*
 * address.h - where versions on Redis are: redis://..., whose password may be in the environment.
 */
#ifndef GUARD_ADDRESS_H
#define GUARD_ADDRESS_H

#include <lfbloom/redis.h>

/* Reads it; where it has no password, LFBLOOM_REDIS_PASSWORD is it.  Fails as
 * lfb_redis_parse_url(). */
lfb_status address_read(const char *url, lfb_redis_address *address);

#endif
