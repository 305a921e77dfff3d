/*
 * room.h - room for mapped files: their size, their blocks, huge pages; so that a full disk is
 * found when a file is made or opened, and not by a put, which it would kill.
 *
 * Floor 16.  May include: floors 0 to 15.
 */
#ifndef LFB_BLOOM_ROOM_H
#define LFB_BLOOM_ROOM_H

#include "bloom/forms/mapped_header.h"

/* Who has a file whose blocks are reserved. */
typedef enum lfb_room_users { LFB_ROOM_ALONE, LFB_ROOM_SHARED } lfb_room_users;

/* Gives a new file its size.  Fails: LFB_ERROR_WRITE, with the cause in errno: the process may
 * not make so large a file, or there is no room. */
lfb_status lfb_room_set_size(int fd, uint64_t size);

/* Reserves all blocks of a file that may be written to.  Fails: LFB_ERROR_WRITE. */
lfb_status lfb_room_reserve(int fd, const lfb_mapped_shape *shape, lfb_room_users users);

/* Has a file in memory lie in huge pages.  Where that fails, reserving does what is left. */
void lfb_room_make_huge(const lfb_mapping *mapping, const lfb_mapped_shape *shape);

/* Reserves what a file that is there lacks of the blocks that may be written to.  Fails:
 * LFB_ERROR_WRITE. */
lfb_status lfb_room_fill_holes(const lfb_disk_file *file, const lfb_mapped_shape *shape);

/* Refuses holes that to read takes memory, which may not be there then (SIGBUS), and that a
 * reader cannot reserve: a tmpfs's.  Elsewhere they read as zeros and take nothing.  Fails:
 * LFB_ERROR_MAP. */
lfb_status lfb_room_check_holes(const lfb_disk_file *file, const lfb_mapped_shape *shape);

#endif
