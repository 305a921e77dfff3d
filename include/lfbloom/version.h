/*
 * lfbloom/version.h - the version of these headers, and of the library in use.
 *
 * Within one MAJOR, from 1 on, a program runs with every library that is at least as new as the
 * headers it was compiled with (docs/abi.md).
 */
#ifndef LFBLOOM_VERSION_H
#define LFBLOOM_VERSION_H

#include <lfbloom/status.h>

LFB_EXTERN_C_BEGIN

/* The version of these headers: MAJOR.MINOR.PATCH. */
#define LFB_VERSION_MAJOR 0
#define LFB_VERSION_MINOR 9
#define LFB_VERSION_PATCH 0

/* A version as one number, for comparisons. */
#define LFB_VERSION_NUMBER(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))

/* The version of these headers as one number, for #if too. */
#define LFB_VERSION \
  LFB_VERSION_NUMBER(LFB_VERSION_MAJOR, LFB_VERSION_MINOR, LFB_VERSION_PATCH)

/* Returns LFB_VERSION of the library in use.  Wait-free; any thread. */
LFB_API unsigned lfb_version(void);

/* Returns that version as text, for example "0.9.0": a constant string. */
LFB_API const char *lfb_version_text(void);

LFB_EXTERN_C_END

#endif
