/*
 * sink.h - a sink: a hash in progress.
 */
#ifndef LFB_BLOOM_SINK_H
#define LFB_BLOOM_SINK_H

#include <lfbloom/sink.h>

#include "bloom/hashing/hasher.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lfb_sink {
  lfb_hash_stream stream;
};

/* The hash of an object, through its funnel. */
lfb_hash lfb_sink_hash(const lfb_hasher *hasher, lfb_funnel funnel, const void *object);

#ifdef __cplusplus
}
#endif

#endif
