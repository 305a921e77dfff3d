/*
 * lfbloom.h - lfbloom, a lock-free concurrent Bloom filter, in one header and one source.
 *
 * Made of the headers that lfbloom installs, which say what each is for; the first to read
 * is lfbloom/filter.h.  Compile lfbloom.c as C11 with your program, and link
 * with -pthread -lm.  C++ includes this header as it is.
 *
 * LFBLOOM_WITH_VERSIONS, defined for both files, adds lfbloom/versions.h, follow.h and
 * file_source.h.
 *
 * Licence: Apache-2.0.
 */
#ifndef LFBLOOM_AMALGAMATION_H
#define LFBLOOM_AMALGAMATION_H

#include <lfbloom/builder.h>
#include <lfbloom/counting.h>
#include <lfbloom/fast.h>
#include <lfbloom/filter.h>
#include <lfbloom/growing.h>
#include <lfbloom/growing_mapped.h>
#include <lfbloom/mapped.h>
#include <lfbloom/sink.h>
#include <lfbloom/status.h>
#include <lfbloom/watch.h>

#ifdef LFBLOOM_WITH_VERSIONS
#include <lfbloom/file_source.h>
#include <lfbloom/follow.h>
#include <lfbloom/versions.h>
#endif

#endif
