/*
 * readers.h - the fuzzed readers of serialised filters: one table row each.
 */
#ifndef LFB_FUZZ_READERS_H
#define LFB_FUZZ_READERS_H

#include <lfbloom/any.h>

#include "fuzz/bytes.h"

/*
 * A file, and how to read it.  The first FUZZ_CONTROLS bytes of an input are controls:
 *
 *   0     flags.  1: open damaged words.  2: give the key.  4: the stream fails at its end.
 *         8: set a limit.  16: do not ask for damage.  64: make the header's checksums fit;
 *         with 128 too: make all checksums fit.
 *   1     the longest piece that the stream returns, in bytes; 0: as much as asked for
 *   2     the limit: 64 bytes times two to the power of its lowest four bits
 *   3     from 248 on: zeros after the file, 576 KiB for 248 and 576 KiB more for each step.
 *         Small inputs can so have words with more than one checksum, and of every strategy
 *   4..7  seed for keys, pieces and damage
 */
enum { FUZZ_CONTROLS = 8 };

typedef struct fuzz_input {
  fuzz_bytes file;
  bool open_damaged;
  bool with_key;
  bool fails_at_end;
  bool wants_damage;
  uint32_t longest_piece; /* in bytes; 0: no limit */
  uint64_t max_bytes;     /* 0: no limit           */
  uint64_t chance;
} fuzz_input;

typedef enum fuzz_mend {
  FUZZ_MEND_NOTHING,
  FUZZ_MEND_HEADER, /* the header's checksum            */
  FUZZ_MEND_ALL,    /* every checksum that has its room */
} fuzz_mend;

/* One way to read a file as a filter of a kind; it sets `taken` to the bytes that it read.  A
 * stream's failure at its end is checked, then counts as LFB_ERROR_TRUNCATED. */
typedef struct fuzz_way {
  lfb_status (*read)(lfb_kind kind, const fuzz_input *input, const lfb_read_limits *limits,
                     lfb_any *made, size_t *taken);
  bool takes_all; /* bytes after the filter are an error */
} fuzz_way;

enum { FUZZ_REFUSALS = 16 };

typedef struct fuzz_reader fuzz_reader;

/* A kind of filter. */
typedef struct fuzz_kind {
  lfb_kind id;

  /* Checks a filter that was read from the first `taken` bytes of a file, and that is written as
   * `written`; each kind lists its properties. */
  void (*check)(const fuzz_reader *reader, const fuzz_input *input, void *made, size_t taken,
                const fuzz_bytes *written);
} fuzz_kind;

struct fuzz_reader {
  const char *name;
  const fuzz_kind *kind;
  lfb_form form; /* of a plain filter */
  size_t fixed;  /* bytes at the start that must be undamaged for the words to open;
                    0: the form has no checksums                                   */

  /* Whether the file begins as this reader's form does. */
  bool (*begins)(const fuzz_bytes *file);

  /* Makes checksums fit; NULL: the form has none. */
  void (*mend)(const fuzz_bytes *file, fuzz_mend what);

  /* Whether the bytes written are right for the bytes read. */
  bool (*same)(const fuzz_bytes *read, const fuzz_bytes *written);

  /* Further checks of this reader only, after a read that returned `read` and took `taken` bytes;
   * NULL: none. */
  void (*use)(const fuzz_input *input, const lfb_read_limits *limits, lfb_status read,
              size_t taken);

  /* Every status with which it may refuse a file; the kept corpus reaches all of them.  Ends with
   * LFB_OK. */
  lfb_status refusals[FUZZ_REFUSALS];
};

/* Returns the row with that name; NULL if there is none. */
const fuzz_reader *fuzz_reader_find(const char *name);

/* The ways to read: as a stream, in pieces, and as a file.  All must agree; ends with a row of
 * zeros. */
extern const fuzz_way fuzz_ways[];

/*
 * For every reader of native forms.
 *
 * The first makes a file's checksums fit, if the file has room for them; the second only those of
 * `claimed` words after a header of `header` bytes.  The third compares two files, except the
 * fields that differ in each writing.
 */
void fuzz_native_mend(const fuzz_bytes *file, fuzz_mend what);
void fuzz_native_mend_words(const fuzz_bytes *file, size_t header, uint64_t claimed);
bool fuzz_native_same(const fuzz_bytes *read, const fuzz_bytes *written);

#endif
