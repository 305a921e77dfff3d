/*
 * address.h - reads lists of hosts, as addresses and options have them.
 */
#ifndef LFB_REDIS_ADDRESS_H
#define LFB_REDIS_ADDRESS_H

#include <lfbloom/status.h>
#include <stdbool.h>
#include <stdint.h>

LFB_EXTERN_C_BEGIN

/*
 * Reads the first host[:port] of a list with commas between them; an IPv6 address is in brackets.
 * Cuts the list into texts; `*list` becomes the rest, NULL after the last.  Without a port, `*port`
 * stays unchanged.  False: malformed.
 */
bool lfb_address_next(char **list, const char **host, uint16_t *port);

LFB_EXTERN_C_END

#endif
