/*
 * making.h - making the file of a shared filter, which has no name until it is complete; and room for such files:
 * their size, their blocks, huge pages.
 *
 * Room is reserved when a file is made, opened or grown.  So a full disk is found there, and not by a put, where
 * it would kill the process.
 */
#ifndef LFB_BLOOM_MAKING_H
#define LFB_BLOOM_MAKING_H

#include "bloom/files/mapping.h"

/* A range of a file that is read or written: from byte `from` up to, but not including, `end`. */
typedef struct lfb_room {
  uint64_t from, end;
} lfb_room;

/* Whether other processes may be putting into the file. */
typedef enum lfb_room_users { LFB_ROOM_ALONE, LFB_ROOM_SHARED } lfb_room_users;

/* Sets the size of a new file.  Fails: LFB_ERROR_WRITE, with the cause in errno: the file is over
 * the process's limit, or there is no room. */
lfb_status lfb_room_set_size(int fd, uint64_t size);

/*
 * Makes a file long enough for a room and reserves its blocks.  Other processes may do the same
 * concurrently.  The file may become one byte longer.  Fails: as lfb_room_set_size().
 */
lfb_status lfb_room_append(int fd, lfb_room room);

/* Reserves the blocks of a room.  Fails: LFB_ERROR_WRITE. */
lfb_status lfb_room_reserve(int fd, lfb_room room, lfb_room_users users);

/* Puts the words of a file on a tmpfs into huge pages.  They are mapped at `words` and begin at
 * byte `at` of the file.  A failure is ignored: lfb_room_reserve() then reserves the rest. */
void lfb_room_make_huge(int fd, const lfb_pages *words, uint64_t at);

/*
 * Reserves the blocks that a file lacks in `count` rooms.
 *
 * Takes  limited  whether the caller has set a limit to the filter's size.  If not, at most half of
 *                 the free space of the file system is taken, since a forged head can claim any
 *                 size.
 * Fails  LFB_ERROR_WRITE.
 */
lfb_status lfb_room_fill_holes(const lfb_disk_file *file, const lfb_room *rooms, size_t count,
                               bool limited);

/* Refuses holes of a file on a tmpfs: reading one takes memory, fails with SIGBUS if there is none,
 * and a reader cannot reserve it.  On other file systems holes read as zeros and take no space.
 * Fails: LFB_ERROR_MAP. */
lfb_status lfb_room_check_holes(const lfb_disk_file *file, const lfb_room *rooms, size_t count);

/* A file that is being made. */
typedef struct lfb_making {
  lfb_mapping *mapping;
  const char *path;
  bool named; /* true from the start if the system lacks unnamed files, or /proc to name them */
} lfb_making;

/*
 * Makes an empty file in the folder of `path`.
 *
 * Takes  mode    its permissions, less the process's umask; 0 for 0600.
 *        secret  whether the file will hold a key: then only the owner has permissions.
 * Fails  LFB_ERROR_EXISTS, _OPEN, with the cause in errno, _NO_MEMORY.
 */
lfb_status lfb_making_begin(const char *path, uint32_t mode, bool secret, lfb_making *making);

/* Sets the file's size to the end of its words, maps it, and reserves its front and its words, in huge pages if
 * the system has them.  `lazy` as lfb_config.lazy_memory.  Fails: as lfb_room_reserve() and
 * lfb_mapping_map(). */
lfb_status lfb_making_reserve(const lfb_making *making, lfb_room front, lfb_room words, bool lazy);

/* Writes the head of a mapped file.  Its first bytes are written last, so that a partial head is
 * never taken for a complete one. */
void lfb_making_write_head(const lfb_making *making, const unsigned char *head, size_t size);

/*
 * Gives the file its name and makes the name durable.  If `status` is a failure, no name is left.
 * The mapping stays the caller's; if `status` is a failure, it may have ended already.
 *
 * Fails  as `status`; LFB_ERROR_EXISTS, _OPEN, _SYNC, _NO_MEMORY.
 */
lfb_status lfb_making_end(lfb_making *making, lfb_status status);

#endif
