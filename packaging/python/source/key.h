/*
 * key.h - one key of Python: a str (its UTF-8 bytes), bytes, or an int from 0 to 2^64-1.
 *
 * An int is a number for the library (the _u64 calls).  True and False are the ints 1 and 0, as for
 * Python's set; objects with __index__, such as numpy.uint64, are ints, too.
 */
#ifndef LFBPY_KEY_H
#define LFBPY_KEY_H

#include <lfbloom/sink.h>

#include "packaging/python/source/python.h"

/* A key.  Bytes belong to the Python object, which must outlive the key. */
typedef struct lfbpy_key {
  lfb_key bytes;   /* if not is_number */
  uint64_t number; /* if is_number     */
  bool is_number;
  bool alone; /* set before: it may be a bytearray or memoryview, which many may not */
} lfbpy_key;

/* The key of an object that is not an exact int or str, or an int that is out of range. */
bool lfbpy_key_of_other(PyObject *object, lfbpy_key *key);

/* The number of an int of 2^63 and more.  Raises OverflowError for one below -2^63 or above
 * 2^64-1. */
bool lfbpy_key_of_large(PyObject *object, uint64_t *number);

/* Gives the number of an int; of a negative one its two's complement, as a Java long has it.
 * Raises no exception for one that is a key: that may run the garbage collector, and so code of
 * Python. */
static inline bool lfbpy_key_of_int(PyObject *object, uint64_t *number)
{
  int overflow = 0;
  *number = (uint64_t)PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0 || lfbpy_key_of_large(object, number);
}

/* Gives the bytes of a str.  Python keeps the UTF-8 form of one that is not ASCII with the str.
 * Raises UnicodeEncodeError for a lone surrogate. */
static inline bool lfbpy_key_of_str(PyObject *object, lfb_key *key)
{
  Py_ssize_t size = 0;
  key->bytes = PyUnicode_AsUTF8AndSize(object, &size);
  key->size = (size_t)size;
  return key->bytes != NULL;
}

/* Gives the key of an object.  Raises TypeError if it is none. */
static inline bool lfbpy_key_of(PyObject *object, lfbpy_key *key)
{
  key->is_number = PyLong_CheckExact(object);
  if (key->is_number)
    return lfbpy_key_of_int(object, &key->number);
  if (PyUnicode_CheckExact(object))
    return lfbpy_key_of_str(object, &key->bytes);
  return lfbpy_key_of_other(object, key);
}

#endif
