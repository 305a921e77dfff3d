/*
 * changes.h - the serialised list of keys that a version adds.
 *
 * Layout  all little-endian:
 *         1. three 64-bit counts: of keys, of integer keys, of hashes;
 *         2. the integer keys, 64 bits each;
 *         3. the hashes, 64 bits each;
 *         4. the keys: a 32-bit size, then the bytes.
 */
#ifndef LFB_REDIS_CHANGES_H
#define LFB_REDIS_CHANGES_H

#include <lfbloom/redis_source.h>

#include "redis/link/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the size of a list in bytes; UINT64_MAX if it exceeds LFB_REDIS_CHANGES_SIZE. */
uint64_t lfb_changes_size(const lfb_redis_changes *changes);

/* Appends the serialised list to `wire`. */
void lfb_changes_write(const lfb_redis_changes *changes, lfb_wire *wire);

/*
 * Passes the keys of a serialised list to `sink`.  The bytes are not trusted.
 *
 * Fails  LFB_ERROR_NO_CHANGES: the bytes are not a valid list; some keys may have been passed.
 *        As lfb_keys_give().
 */
lfb_status lfb_changes_give(const void *bytes, size_t size, lfb_keys_sink *sink);

#ifdef __cplusplus
}
#endif

#endif
