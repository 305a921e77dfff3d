/*
 * destination.h - where a file is to be saved: an open folder, and a name in it.
 *
 * The folder is opened once, and everything is done in it: so whoever renames a folder or exchanges
 * a link meanwhile cannot lead a save to another folder.
 *
 * Links  If the path ends in a symbolic link, the destination is that of the link's target.  Links
 *        in the folders on the way are followed as the system follows them.
 * Trust  In a folder like /tmp (sticky, writable by all) a link, a pipe or a file of another user
 *        is refused, unless that is root or the folder's owner: the other user chose what it leads
 *        to, reads what is saved, or has chosen what it has.  So do fs.protected_symlinks,
 *        protected_fifos and protected_regular of Linux, where they are on.
 */
#ifndef LFB_BLOOM_DESTINATION_H
#define LFB_BLOOM_DESTINATION_H

#include <lfbloom/status.h>

#include <stdbool.h>
#include <sys/types.h>

#include "bloom/files/disk.h"

typedef struct lfb_destination {
  int folder;       /* open; AT_FDCWD: none                                    */
  bool can_sync;    /* the folder may be read, and so can be synced            */
  bool linked;      /* `name` is a link of /proc to what is there: to no file  */
  bool owned;       /* there is something, and it belongs to the caller        */
  bool refused;     /* it is another user's, as above                          */
  mode_t mode;      /* type and permissions of what is there; 0: there is none */
  lfb_disk_id id;   /* of what is there                                        */
  const char *name; /* part of the path, or of the private text                */
  char *text;       /* private: of the last link                               */
} lfb_destination;

/*
 * Finds the destination of a path, which must outlive it.  The caller leaves the destination also
 * after a failure.
 *
 * Fails  LFB_ERROR_OPEN, with the cause in errno: ENOENT for a link to nothing, EISDIR for a
 *        folder, EACCES for what is refused; LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_destination_find(const char *path, lfb_destination *destination);

/*
 * Opens what is at the destination.
 *
 * Takes  flags  O_WRONLY or O_RDWR, and others of open().
 * Fails  LFB_ERROR_OPEN, with ESTALE in errno if something else is there by now.
 */
lfb_status lfb_destination_open(const lfb_destination *destination, int flags, int *fd);

/* Closes the folder and frees the text.  Keeps errno. */
void lfb_destination_leave(lfb_destination *destination);

#endif
