/*
 * readers.h - the readers of serialised filters that are fuzzed: one row of a table each.
 */
#ifndef LFB_FUZZ_READERS_H
#define LFB_FUZZ_READERS_H

#include "fuzz/bytes.h"

/*
 * What is read, and how.  An input's first FUZZ_CONTROLS bytes say how:
 *
 *   0     1: damaged words are opened; 2: the key is given; 4: the stream fails at its
 *         end; 8: there is a limit; 16: damage is not asked for; 64, and 128 beside it:
 *         checksums are made to fit, those of the header, or all
 *   1     the longest piece that the stream gives, in bytes; 0: as much as is asked for
 *   2     the limit: 64 bytes times two to the power of its lowest four bits
 *   3     from 248 on, zeros behind the file: 576 KiB each, so that words of more than
 *         one checksum, and of every strategy, come up without inputs of that size
 *   4..7  what chooses keys, pieces and damage
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

/* One way to read a file; `taken` bytes of it.  A stream's failure at its end counts as
 * LFB_ERROR_TRUNCATED, having been checked. */
typedef struct fuzz_way {
  lfb_status (*read)(const fuzz_input *input, const lfb_read_limits *limits,
                     void **made, size_t *taken);
  bool takes_all; /* bytes behind the filter are an error */
} fuzz_way;

enum { FUZZ_REFUSALS = 16 };

typedef struct fuzz_reader fuzz_reader;

/* What is made of a file: a plain filter, one that grows, one that counts. */
typedef struct fuzz_kind {
  const fuzz_way *ways; /* ends with a row of zeros; all must agree */

  /* Writes one in the reader's form. */
  lfb_status (*write)(const fuzz_reader *reader, const void *made, lfb_write_fn write, void *to);
  void (*free)(void *made);

  /* Checks one that was read of the `taken` first bytes of a file, and is written as
   * `written`: what is said at each kind. */
  void (*check)(const fuzz_reader *reader, const fuzz_input *input, void *made, size_t taken,
                const fuzz_bytes *written);
} fuzz_kind;

struct fuzz_reader {
  const char *name;
  const fuzz_kind *kind;
  lfb_form form; /* of a plain filter */
  size_t fixed;  /* bytes at the start of which none may be damaged to open the words;
                    0: the form has no checksums                                     */

  /* Whether such a file is this reader's to read. */
  bool (*begins)(const fuzz_bytes *file);

  /* Makes checksums fit; NULL: there are none. */
  void (*mend)(const fuzz_bytes *file, fuzz_mend what);

  /* Whether the bytes written are as they should be for the bytes read. */
  bool (*same)(const fuzz_bytes *read, const fuzz_bytes *written);

  /* Does with a file what no other reader can, after reading it came to `read` and took
   * so many bytes of it; NULL: nothing. */
  void (*use)(const fuzz_input *input, const lfb_read_limits *limits, lfb_status read,
              size_t taken);

  /* All that it may refuse a file for, and that the kept corpus reaches; ends with LFB_OK. */
  lfb_status refusals[FUZZ_REFUSALS];
};

/* The row of that name; NULL if there is none. */
const fuzz_reader *fuzz_reader_find(const char *name);

/* Of a filter in memory, as a stream and as a file; of a growing one; of a counting one. */
extern const fuzz_way fuzz_stream_ways[];
extern const fuzz_way fuzz_growing_ways[];
extern const fuzz_way fuzz_counting_ways[];

/* What every reader of native forms needs: makes one's checksums fit, where it has room for
 * them; those of `claimed` words behind a header of that size alone; and whether two are the
 * same but for the writing. */
void fuzz_native_mend(const fuzz_bytes *file, fuzz_mend what);
void fuzz_native_mend_words(const fuzz_bytes *file, size_t header, uint64_t claimed);
bool fuzz_native_same(const fuzz_bytes *read, const fuzz_bytes *written);

#endif
