/*
 * lfbloom.c - the sources of lfbloom in one file, except versions (lfbloom_versions.c): compile as
 * C11, link with -pthread -lm.  lfbloom.h lists the headers.  Needs no other flags: functions with
 * vector instructions are marked as such, and run only if the processor has the instructions.
 *
 * The comments of the sources are left out, except those of the public headers in lfbloom.h: they
 * are in the project's tree, in the files that are named here.
 *
 * Licence: Apache-2.0; the part that is xxhash.h: BSD-2-Clause, as it says.
 */
#include "lfbloom.h"
