/* keys_kinds.h - the ways to open keys, for keys.c alone (see keys.h). */
#ifndef LFBPY_KEYS_KINDS_H
#define LFBPY_KEYS_KINDS_H

#include "packaging/python/source/keys.h"

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
bool lfbpy_keys_room(void **memory, size_t count, size_t size);

/* Memory for copies of keys. */
typedef struct lfbpy_copies {
  struct lfbpy_copies *next;
  char bytes[];
} lfbpy_copies;

#endif
