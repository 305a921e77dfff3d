/*
 * pause.h - how long to wait after a failure before the next attempt.
 */
#ifndef LFB_REDIS_PAUSE_H
#define LFB_REDIS_PAUSE_H

#include <lfbloom/status.h>
#include <stdint.h>

LFB_EXTERN_C_BEGIN

/* A number that differs between threads, processes and moments.  It need not be unpredictable. */
uint64_t lfb_pause_random(void);

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
