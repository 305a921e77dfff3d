/*
 * slots.h - the hash slot of a key, one of a cluster's 16,384.
 */
#ifndef LFB_REDIS_SLOTS_H
#define LFB_REDIS_SLOTS_H

#include <lfbloom/status.h>
#include <stddef.h>
#include <stdint.h>

LFB_EXTERN_C_BEGIN

enum {
  LFB_KEY_SLOTS = 16384,
  LFB_ANY_SLOT = UINT16_MAX, /* of a command without a key: any node will do */
};

/*
 * The bytes of a key that decide its slot, CRC-16/XMODEM mod 16384: those between the first { and the
 * next }; the whole key if there are none.
 *
 * Source: Redis Cluster Specification, "Key distribution model" and "Hash tags".
 */
const void *lfb_key_hashed(const void *key, size_t *size);
uint16_t lfb_key_slot(const void *key, size_t size);

LFB_EXTERN_C_END

#endif
