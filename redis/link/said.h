/*
 * said.h - the last error text of a server or the network, for people.
 */
#ifndef LFB_REDIS_SAID_H
#define LFB_REDIS_SAID_H

#include <lfbloom/status.h>
#include <stddef.h>

LFB_EXTERN_C_BEGIN

enum { LFB_SAID_SIZE = 256 };

typedef struct lfb_said {
  lfb_status status;        /* what the text means; LFB_OK: nothing */
  char text[LFB_SAID_SIZE]; /* ends in NUL; a longer text is cut    */
} lfb_said;

/* Keeps "about: what" as the text of `status`, which it returns.  Either text may be NULL.  Control
 * characters, which a server's answer may contain, are replaced by blanks. */
lfb_status lfb_said_set(lfb_said *said, lfb_status status, const char *about, const char *what);

/* The same with the system's words for an error number. */
lfb_status lfb_said_error(lfb_said *said, lfb_status status, const char *about, int error);

/* Keeps the text of a failure for lfb_redis_last_error() on this thread; none if `said` is that of
 * another status. */
void lfb_said_tell(const lfb_said *said, lfb_status failure);

LFB_EXTERN_C_END

#endif
