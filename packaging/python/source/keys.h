/*
 * keys.h - the keys of one call with many: from a buffer in place, or from Python objects.
 *
 *   a buffer of 64-bit integers   numbers, in place if they are contiguous and aligned
 *   a buffer of fixed strings     bytes, in place; trailing NULs are no part of a key, as for NumPy
 *   values and offsets            key i is values[offsets[i]:offsets[i + 1]], in place, as Arrow's
 *   a list or tuple               all of it is checked before anything is put; of a list the bytes
 *                                 of short keys are copied, since another thread may take them
 *                                 out of it
 *   another iterable              read in rounds of KEYS_ROUND keys, each checked before it is put
 *
 * One call has ints only, or str and bytes only.
 *
 * Threads  The keys are read without the GIL, while other threads may change the caller's buffers:
 *          then other keys are put, and no other memory is read.
 */
#ifndef LFBPY_KEYS_H
#define LFBPY_KEYS_H

#include <lfbloom/sink.h>
#include <stdlib.h>

#include "packaging/python/source/python.h"

enum {
  LFBPY_KEYS_PIECE = 4096,  /* keys that are described at a time: 64 KiB of lfb_key */
  LFBPY_KEYS_ROUND = 65536, /* keys that are read from an iterator at a time        */
};

/* How the keys of a round lie in memory. */
typedef enum lfbpy_layout {
  LFBPY_NUMBERS, /* `numbers`                                   */
  LFBPY_LIST,    /* `list`                                      */
  LFBPY_FIXED,   /* strings of `width` bytes, `stride` apart    */
  LFBPY_OFFSETS, /* `offset_size` bytes each at `offsets`       */
} lfbpy_layout;

/* The keys of a call.  All zero before lfbpy_keys_open(). */
typedef struct lfbpy_keys {
  lfbpy_layout layout;
  size_t count; /* of this round */
  const uint64_t *numbers;
  const lfb_key *list;
  const char *first; /* FIXED: the first string; OFFSETS: the values */
  size_t width;      /* FIXED: of a string; OFFSETS: of the values   */
  Py_ssize_t stride;
  const char *offsets;
  size_t offset_size;

  /* What keeps it in memory. */
  Py_buffer view, offsets_view;
  PyObject *held;              /* `list` points to the bytes of these objects */
  PyObject *iterator;          /* NULL: there is one round                 */
  void *memory;                /* of `numbers` or `list`                   */
  struct lfbpy_copies *copies; /* `list` points to bytes of keys in it, the newest first */
  char *room;                  /* of the newest: where the next key goes                 */
  size_t left;                 /* bytes there                                            */
  lfb_key *piece;              /* LFBPY_KEYS_PIECE of them; FIXED, OFFSETS */
} lfbpy_keys;

/* Opens the keys; call lfbpy_keys_close() in any case.  Raises TypeError, ValueError,
 * OverflowError, UnicodeEncodeError, and what the caller's iterator raises. */
bool lfbpy_keys_open(lfbpy_keys *keys, PyObject *object, PyObject *offsets);

/* Reads the next round of an iterator.  Afterwards count is 0 if there is none. */
bool lfbpy_keys_next(lfbpy_keys *keys);

void lfbpy_keys_close(lfbpy_keys *keys);

/*
 * Describes the keys from `from`, at most LFBPY_KEYS_PIECE, in keys->piece; FIXED and OFFSETS.
 * Needs no GIL.  Returns how many; 0: another thread made the offsets invalid.
 */
size_t lfbpy_keys_piece(lfbpy_keys *keys, size_t from);

/* ---- the ways to open keys, for keys.c alone ---- */

/* What became of an object that may be a buffer. */
typedef enum lfbpy_opened {
  LFBPY_OPENED,
  LFBPY_REFUSED,   /* with an exception                      */
  LFBPY_NO_BUFFER, /* or one of Python objects: iterate over it */
} lfbpy_opened;

lfbpy_opened lfbpy_keys_open_buffer(lfbpy_keys *keys, PyObject *object);
bool lfbpy_keys_open_offsets(lfbpy_keys *keys, PyObject *values, PyObject *offsets);
bool lfbpy_keys_open_objects(lfbpy_keys *keys, PyObject *object);

/* Makes `*memory` as large as `count` entries of `size` bytes.  Raises MemoryError. */
static inline bool lfbpy_keys_room(void **memory, size_t count, size_t size)
{
  void *room = NULL;
  if (count <= PTRDIFF_MAX / size)
    room = realloc(*memory, count == 0 ? 1 : count * size);
  if (room == NULL) {
    PyErr_NoMemory();
    return false;
  }
  *memory = room;
  return true;
}

/* Memory for copies of keys. */
typedef struct lfbpy_copies {
  struct lfbpy_copies *next;
  char bytes[];
} lfbpy_copies;

#endif
