/* type.h - the module's type of values, as Redis sees it. */
#ifndef LFB_REDIS_MODULE_TYPE_H
#define LFB_REDIS_MODULE_TYPE_H

#include "redis/module/api.h"
#include "redis/module/value.h"

/* The type; set by lfb_type_register(). */
extern lfb_redis_type *lfb_module_type;

/* Registers the type.  Returns false if Redis refuses it. */
bool lfb_type_register(lfb_redis_context *context);

/*
 * A chunk, the third word of BF.LOADCHUNK after the first one (which is a head), is CHUNK_WORD bytes,
 * little-endian: the chunk's offset in the body times 2, and 1 for the last chunk, which is empty.
 * The bytes of the body follow.
 */
enum { LFB_CHUNK_WORD = 8 };
void lfb_chunk_put_word(char *chunk, uint64_t offset, bool last);
uint64_t lfb_chunk_word(const char *chunk);

#endif
