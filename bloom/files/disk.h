/*
 * disk.h - files and folders as the system has them: opening what is there, telling whether a
 * path still leads to it, reading from a place, making names last.
 *
 * All of them may enter the kernel and wait for a disk; none is on the path of a key.
 */
#ifndef LFB_BLOOM_DISK_H
#define LFB_BLOOM_DISK_H

#include <lfbloom/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Which file it is.  Not dev_t and ino_t, whose sizes hang on _FILE_OFFSET_BITS where long has
 * 32 bits. */
typedef struct lfb_disk_id {
  uint64_t device, inode;
} lfb_disk_id;

/* An open file. */
typedef struct lfb_disk_file {
  lfb_disk_id id;
  uint64_t size;   /* in bytes                                 */
  uint64_t filled; /* bytes of blocks that it has              */
  int fd;          /* -1 where it could not be opened          */
} lfb_disk_file;

/*
 * Opens a regular file that is there, to read or also to write; a pipe is not waited for.
 *
 * Gives   what it is, its size and blocks now; `fd` is the caller's to close, also where it
 *         fails behind the opening.
 * Fails   LFB_ERROR_OPEN, with the cause in errno; LFB_ERROR_MAP: it is no regular file.
 */
lfb_status lfb_disk_open(const char *path, bool writable, lfb_disk_file *file);

/* Looks again at an open file: all but its `fd`.  Fails: LFB_ERROR_OPEN. */
lfb_status lfb_disk_look(lfb_disk_file *file);

/* Whether they are one file. */
bool lfb_disk_same(const lfb_disk_id *one, const lfb_disk_id *other);

/* Whether a path leads to this file: LFB_OK, or LFB_ERROR_REPLACED. */
lfb_status lfb_disk_is(const char *path, const lfb_disk_id *id);

/* Reads bytes from the file's beginning; in `*got` how many there are, at most `size`.  Fails:
 * LFB_ERROR_READ. */
lfb_status lfb_disk_read_head(int fd, void *bytes, size_t size, size_t *got);

/* The permissions of a new file, less the process's umask; for its owner alone if what is in it
 * is secret. */
mode_t lfb_disk_mode(bool secret);

/* The folder of a path, for the caller to free; NULL where there is no memory. */
char *lfb_disk_folder(const char *path);

/* Opens a folder to sync it; in `*fd` -1 where it may be written to but not listed.  Fails:
 * LFB_ERROR_OPEN. */
lfb_status lfb_disk_open_folder(const char *folder, int *fd);

/* Makes the names in an opened folder last, as far as its file system can.  Fails:
 * LFB_ERROR_SYNC. */
lfb_status lfb_disk_sync_folder(int fd);

/* Opens a folder and makes the names in it last.  Fails: LFB_ERROR_SYNC. */
lfb_status lfb_disk_sync_folder_of(const char *folder);

#endif
