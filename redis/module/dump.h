/*
 * dump.h - a value as bytes: in RDB files, in the AOF, and in BF.SCANDUMP and BF.LOADCHUNK.
 *
 * It is a head and a body (redis/dump/head.h).  The head of an empty value needs no body: replicas
 * make the value from it.  All parts have checksums, and all bytes may come from an attacker:
 * whatever does not fit is refused, and memory is taken as bytes arrive.
 */
#ifndef LFB_REDIS_MODULE_DUMP_H
#define LFB_REDIS_MODULE_DUMP_H

#include "redis/dump/chunk.h"
#include "redis/dump/head.h"
#include "redis/module/value.h"

/* Writes the head of a value, with what is to follow. */
void lfb_dump_head(const lfb_value *value, lfb_dump_state state, unsigned char *head);

/*
 * Reads a head.
 *
 * Gives  value  LFB_DUMP_EMPTY: an empty value, which is complete.  Otherwise one whose body has to
 *               come, by lfb_dump_read_body() or piece by piece.
 * Takes  max_bytes  as lfb_value_create().
 * Fails  as lfb_dump_fields_read() and lfb_value_create().
 */
LFB_CHECKED lfb_status lfb_dump_read_head(const void *head, size_t size, uint64_t max_bytes,
                                          lfb_dump_state *state, lfb_value **value);

/* Writes the body of a complete value.  Each call of `write` gets at most about 1 MiB. */
LFB_CHECKED lfb_status lfb_dump_write_body(const lfb_value *value, lfb_write_fn write, void *to);

/* Reads the body of a value, after its head.  Fails as lfb_any_read(),
 * and LFB_ERROR_BAD_HEADER: it is not the body of this head. */
LFB_CHECKED lfb_status lfb_dump_read_body(lfb_value *value, uint64_t max_bytes, lfb_read_fn read,
                                          void *from);

/*
 * Copies the part of the body that begins at `offset` into memory from malloc(), `before` bytes
 * after its beginning; that many are left for the caller.  The value keeps the checksums of what it
 * has read: those of all words stand at the end.
 *
 * Gives  size  of the part (LFB_DUMP_CHUNK), or what is left; 0: the body ends at `offset`.
 * Fails  LFB_ERROR_NO_MEMORY.
 */
LFB_CHECKED lfb_status lfb_dump_part(lfb_value *value, uint64_t offset, size_t before,
                                     char **bytes, size_t *size);

/* Lets the body of a value, after its head, come piece by piece; `first` as in coming.h.  Fails:
 * LFB_ERROR_NO_MEMORY. */
LFB_CHECKED lfb_status lfb_dump_begin(lfb_value *value, uint64_t first);

/* Adds bytes to the body of a value that waits for it.  Fails: LFB_ERROR_NO_MEMORY;
 * LFB_ERROR_OVER_LIMIT: more than a value of max_bytes can have; 0: no limit.  With value->coming
 * it fails as lfb_dump_end(), too. */
LFB_CHECKED lfb_status lfb_dump_add(lfb_value *value, uint64_t max_bytes, const void *bytes,
                                    size_t size);

/* Writes the bytes of the body that have come. */
LFB_CHECKED lfb_status lfb_dump_write_come(const lfb_value *value, lfb_write_fn write, void *to);

/* Completes a value with the bytes that have come.  Fails as lfb_dump_read_body(), and
 * LFB_ERROR_TRAILING_BYTES: the value can then only be freed. */
LFB_CHECKED lfb_status lfb_dump_end(lfb_value *value, uint64_t max_bytes);

/* Copies a complete value.  Takes max_bytes: as lfb_value_create().  Fails: LFB_ERROR_NO_MEMORY,
 * LFB_ERROR_OVER_LIMIT. */
LFB_CHECKED lfb_status lfb_dump_copy(const lfb_value *value, uint64_t max_bytes, lfb_value **copy);

#endif
