/*
 * changes.h - the keys that came with a version, as bytes.
 *
 * Little-endian: three numbers of 64 bits, how many there are of each kind; the numbers that are
 * put as such, the hashes; then each key, 32 bits for its size before it.
 */
#ifndef LFB_REDIS_CHANGES_H
#define LFB_REDIS_CHANGES_H

#include <lfbloom/redis_source.h>

#include "redis/link/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many bytes a list takes; UINT64_MAX: more than LFB_REDIS_CHANGES_SIZE. */
uint64_t lfb_changes_size(const lfb_redis_changes *changes);

/* Writes such a list. */
void lfb_changes_write(const lfb_redis_changes *changes, lfb_wire *wire);

/*
 * Gives the keys of a list, hostile as its bytes may be.
 *
 * Fails  LFB_ERROR_NO_CHANGES: it is none, and some of its keys may have been given;
 *        as lfb_keys_give().
 */
lfb_status lfb_changes_give(const void *bytes, size_t size, lfb_keys_sink *sink);

#ifdef __cplusplus
}
#endif

#endif
