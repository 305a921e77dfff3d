/*
 * room.h - keeps a server from copying a long string again and again while the string grows.
 */
#ifndef LFB_REDIS_ROOM_H
#define LFB_REDIS_ROOM_H

#include "redis/link/link.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Leaves `bytes` of contiguous free memory in the server that has a slot.  A string that then grows
 * in steps grows into this memory, in place.
 *
 * Otherwise the server moves the string each time it has grown by a fifth or so, and serves no
 * client until all of it is copied.
 *
 * How      A command on a connection of its own announces an argument of this size.  The server
 *          allocates the memory for it without writing to it.  The connection is then closed
 *          before the argument is sent, so that the command is never executed, and the server
 *          frees the memory.  Redis' allocator, jemalloc, keeps the addresses together.
 * Returns  once the server has closed the connection: the memory is free.
 * Fails    silently, after at most connect_ms for each of two steps: the string is moved.  That is
 *          so with a server that refuses so long an argument (proto-max-bulk-len), that reads in
 *          threads (io-threads-do-reads), or that has another allocator.
 */
void lfb_link_make_room(lfb_link *link, uint16_t slot, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
