/*
 * lfbloom.h - lfbloom, a lock-free concurrent Bloom filter, in one header and one source.
 *
 * Contains the headers that lfbloom installs; each describes its part.  Read lfbloom/filter.h
 * first.  Compile lfbloom.c as C11 with your program, and link with -lck -pthread -lm: lfbloom.c
 * includes <ck_epoch.h> of ConcurrencyKit (Debian: libck-dev).  C++ programs include this header
 * unchanged.
 *
 * What is left out, and why:
 *
 * - lfbloom/redis.h and redis_source.h: they need hiredis, and so would every program.
 *   The installed library has them.
 * - Code for AVX-512, and code for single shapes of a filter where it matters least, unless
 *   LFBLOOM_WITH_ALL_KERNELS is defined for lfbloom.c: without it lfbloom.c compiles in half the
 *   time.  Bits and answers are the same.  On processors with AVX-512, operations in a cache take up to
 *   1.4 times as long, those of a window up to 1.9 times; with AVX2 filters are as fast as in the
 *   library, a counting filter takes up to 1.5 times as long, a window up to 1.3.
 * - The AVX2 variant of XXH3 for the checksums of files: xxhash.h would be in lfbloom.c twice.
 *
 * Licence: Apache-2.0.
 */
#ifndef LFBLOOM_AMALGAMATION_H
#define LFBLOOM_AMALGAMATION_H

#include <lfbloom/any.h>
#include <lfbloom/bit_array.h>
#include <lfbloom/builder.h>
#include <lfbloom/counting.h>
#include <lfbloom/delta.h>
#include <lfbloom/file_source.h>
#include <lfbloom/filter.h>
#include <lfbloom/filter_more.h>
#include <lfbloom/follow.h>
#include <lfbloom/growing.h>
#include <lfbloom/growing_mapped.h>
#include <lfbloom/mapped.h>
#include <lfbloom/sink.h>
#include <lfbloom/status.h>
#include <lfbloom/versions.h>
#include <lfbloom/window.h>
#include <lfbloom/window_mapped.h>
#include <lfbloom/word.h>

#endif
