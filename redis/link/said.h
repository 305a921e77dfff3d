/*
 * said.h - what a server or the network said last, for people.
 */
#ifndef LFB_REDIS_SAID_H
#define LFB_REDIS_SAID_H

#include <lfbloom/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LFB_SAID_SIZE = 256 };

typedef struct lfb_said {
  char text[LFB_SAID_SIZE]; /* ends in NUL; cut where it is longer */
} lfb_said;

/* Keeps "about: what"; returns `status`.  Either may be NULL, and what holds control
 * characters, as a server's answer may, is kept without them. */
lfb_status lfb_said_set(lfb_said *said, lfb_status status, const char *about, const char *what);

#ifdef __cplusplus
}
#endif

#endif
