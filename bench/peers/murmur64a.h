/*
 * murmur64a.h - MurmurHash64A, the hash of RedisBloom, as the C++ library has it.
 */
#ifndef LFB_BENCH_MURMUR64A_H
#define LFB_BENCH_MURMUR64A_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The hash of `size` bytes, with the seed 0xc70f6907. */
uint64_t lfb_peer_murmur64a(const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
