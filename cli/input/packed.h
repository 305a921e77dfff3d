/*
 * packed.h - reads compressed files, which their first bytes tell, or the ends of their names: .gz,
 * .zst and .xz.
 *
 * Memory is bounded: 64 KiB of input, and the window of the format.  A window is 32 KiB for gzip,
 * at most 128 MiB for zstd, and at most 256 MiB for xz.  A file that needs more is an error.
 * cli/input/input.c limits the length of a record.
 *
 * Threads  One thread at a time uses a packed file.
 */
#ifndef CLI_INPUT_PACKED_H
#define CLI_INPUT_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cli/input/codec.h"

enum { PACKED_READ = 64 * 1024 };

struct packed;

/* Whether a file of this name is compressed. */
bool packed_is(const char *path);

/* Whether this program can decompress a file of this name, or need not.  False after a report. */
bool packed_check(const char *path);

/* What begins a compressed file, if the caller has read it: the codec that start.h found, and
 * at most PACKED_READ bytes.  All zero: the name tells the codec, and nothing was read. */
struct packed_head {
  const struct codec *codec;
  const char *bytes;
  size_t size;
};

/*
 * Begins to read the open file at `path`.
 *
 * Returns NULL after a report.   Owner  the caller, until packed_end(); of `fd` and `path`, too.
 */
struct packed *packed_begin(const char *path, int fd, struct packed_head head);

/* As read(), the text of the file.  -1 after a report: also if the file is damaged or cut short. */
ssize_t packed_read(struct packed *packed, char *bytes, size_t size);

void packed_end(struct packed *packed); /* NULL is allowed */

#endif
