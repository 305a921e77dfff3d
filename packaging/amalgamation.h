/*
 * lfbloom.h - lfbloom, a lock-free concurrent Bloom filter, in one header and two sources.
 *
 * Contains the headers that lfbloom installs; each describes its part.  Read lfbloom/filter.h
 * first.  Compile lfbloom.c as C11 and link it with your program, which may be C++11, and with
 * -pthread -lm.  A program that uses versions (lfbloom/versions.h, follow.h, file_source.h) links
 * lfbloom_versions.c, too, and -lck: that file includes <ck_epoch.h> of ConcurrencyKit (Debian:
 * libck-dev).
 *
 * What is left out, and why:
 *
 * - lfbloom/redis.h and redis_source.h: they need hiredis, and so would every program.
 *   The installed library has them.
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
