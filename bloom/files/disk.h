/*
 * disk.h - operations on files and folders: opening a file, checking whether a path still leads
 * to it, reading its head, making names durable; system calls that a signal interrupts.
 *
 * All of these functions may enter the kernel and wait for a disk.  An operation on a key calls
 * none of them, except when it adds or opens a layer of a growing filter in a file.
 */
#ifndef LFB_BLOOM_DISK_H
#define LFB_BLOOM_DISK_H

#include <lfbloom/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* As openat() with O_CLOEXEC, open() and fsync(), repeated if a signal interrupts them.  Programs
 * that this process executes do not inherit the descriptor. */
int lfb_restarted_openat(int folder, const char *path, int flags, mode_t mode);
int lfb_restarted_open(const char *path, int flags, mode_t mode);
int lfb_restarted_sync(int fd);

/* Closes a descriptor, unless it is negative, to which nothing was written: nothing can be lost.
 * Keeps errno. */
void lfb_disk_leave(int fd);

enum { LFB_DISK_FD_PATH = sizeof "/proc/self/fd/-2147483648" };

/* Writes to `path` a path that leads to an open file, also if it has no name; returns it. */
const char *lfb_disk_fd_path(int fd, char path[LFB_DISK_FD_PATH]);

/* The identity of a file.  Not dev_t and ino_t: if long has 32 bits, their sizes depend on
 * _FILE_OFFSET_BITS. */
typedef struct lfb_disk_id {
  uint64_t device, inode;
} lfb_disk_id;

/* An open file. */
typedef struct lfb_disk_file {
  lfb_disk_id id;
  uint64_t size;   /* in bytes                     */
  uint64_t filled; /* bytes of its blocks          */
  mode_t mode;     /* its type and permissions     */
  int fd;          /* -1: it could not be opened   */
} lfb_disk_file;

/*
 * Opens an existing regular file, to read or also to write.  It does not wait for the other end of
 * a pipe.
 *
 * Gives   the file's identity, and its present size and blocks.  The caller closes `fd`, also after
 *         a failure if `fd` is not -1.
 * Fails   LFB_ERROR_OPEN, with the cause in errno; LFB_ERROR_MAP: it is no regular file.
 */
lfb_status lfb_disk_open(const char *path, bool writable, lfb_disk_file *file);

/* Reads the state of an open file again: every field except `fd`.  Fails: LFB_ERROR_OPEN. */
lfb_status lfb_disk_look(lfb_disk_file *file);

enum { LFB_DISK_PROC = 0x9fa0, LFB_DISK_TMPFS = 0x01021994 }; /* as linux/magic.h has them */

/* Whether an open file is on such a file system. */
bool lfb_disk_is_on(int fd, long system);

/* Whether both are the same file. */
bool lfb_disk_same(const lfb_disk_id *one, const lfb_disk_id *other);

/* Whether a path leads to this file: LFB_OK, or LFB_ERROR_REPLACED. */
lfb_status lfb_disk_is(const char *path, const lfb_disk_id *id);

/* An lfb_read_fn, of the descriptor at `from`. */
lfb_status lfb_disk_read(void *from, void *bytes, size_t size, size_t *got);

/* Reads at most `size` bytes from byte `at` of the file on.  `*got` receives how many there are.
 * Fails: LFB_ERROR_READ. */
lfb_status lfb_disk_read_at(int fd, uint64_t at, void *bytes, size_t size, size_t *got);

/* The permissions of a new file, to be reduced by the umask; only the owner's if the content is
 * secret. */
mode_t lfb_disk_mode(bool secret);

/* The folder of a path; the caller frees it.  NULL: out of memory. */
char *lfb_disk_folder(const char *path);

/* Makes the names in an open folder durable, as far as its file system can.  Fails:
 * LFB_ERROR_SYNC. */
lfb_status lfb_disk_sync_folder(int fd);

/* Opens a folder and makes the names in it durable.  Fails: LFB_ERROR_SYNC. */
lfb_status lfb_disk_sync_folder_of(const char *folder);

#endif
