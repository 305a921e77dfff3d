/*
 * lfbloom_versions.c - versions (lfbloom/versions.h, follow.h, file_source.h): filters that are
 * replaced while threads use them.  Leave it out if your program uses none.  Else compile it as C11
 * beside lfbloom.c, and link with -lck, ConcurrencyKit 0.7 (Debian: libck-dev).
 *
 * Licence: Apache-2.0.
 */
#include "lfbloom.h"
