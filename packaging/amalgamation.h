/*
 * lfbloom.h - lfbloom, a lock-free concurrent Bloom filter, in one header and one source.
 *
 * Contains the headers that lfbloom installs; each describes its part.  Read lfbloom/filter.h
 * first.  Compile lfbloom.c as C11 with your program, and link with -pthread -lm.  C++ programs
 * include this header unchanged.
 *
 * Define LFBLOOM_WITH_VERSIONS for both files to add lfbloom/versions.h, follow.h and
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
#include <lfbloom/putter.h>
#include <lfbloom/sink.h>
#include <lfbloom/status.h>
#include <lfbloom/watch.h>
#include <lfbloom/window.h>

#ifdef LFBLOOM_WITH_VERSIONS
#include <lfbloom/file_source.h>
#include <lfbloom/follow.h>
#include <lfbloom/versions.h>
#endif

#endif
