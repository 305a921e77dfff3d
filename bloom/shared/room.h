/*
 * room.h - room for the files of shared filters: their size, their blocks, huge pages; so that a
 * full disk is found when a file is made, opened or grown, and not by a put, which it would kill.
 */
#ifndef LFB_BLOOM_ROOM_H
#define LFB_BLOOM_ROOM_H

#include "bloom/shared/mapping.h"

/* Bytes of a file that are read or written: from `from` up to `end`. */
typedef struct lfb_room {
  uint64_t from, end;
} lfb_room;

/* Whether other processes may be putting into the file. */
typedef enum lfb_room_users { LFB_ROOM_ALONE, LFB_ROOM_SHARED } lfb_room_users;

/* Gives a new file its size.  Fails: LFB_ERROR_WRITE, with the cause in errno: the process may
 * not make so large a file, or there is no room. */
lfb_status lfb_room_set_size(int fd, uint64_t size);

/*
 * Makes a file long enough for a room and reserves its blocks, while other processes do the same.
 * The file may become longer by a byte.  Fails: as lfb_room_set_size().
 */
lfb_status lfb_room_append(int fd, lfb_room room);

/* Reserves the blocks of a room.  Fails: LFB_ERROR_WRITE. */
lfb_status lfb_room_reserve(int fd, lfb_room room, lfb_room_users users);

/* Has the words of a file in memory lie in huge pages: mapped at `words`, which begin at byte
 * `at` of the file.  Where that fails, reserving does what is left. */
void lfb_room_make_huge(int fd, const lfb_pages *words, uint64_t at);

/*
 * Reserves the blocks that a file lacks of so many rooms.
 *
 * Takes  limited  whether the caller has said how large a filter may be; else at most half of
 *                 what is free on the file system is taken, since a few bytes can say anything.
 * Fails  LFB_ERROR_WRITE.
 */
lfb_status lfb_room_fill_holes(const lfb_disk_file *file, const lfb_room *rooms, size_t count,
                               bool limited);

/* Refuses holes that take memory when they are read, which may not be there then (SIGBUS), and
 * that a reader cannot reserve: those of a tmpfs.  Elsewhere holes read as zeros and take
 * nothing.  Fails: LFB_ERROR_MAP. */
lfb_status lfb_room_check_holes(const lfb_disk_file *file, const lfb_room *rooms, size_t count);

#endif
