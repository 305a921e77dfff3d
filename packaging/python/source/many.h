/* many.h - a call with many keys: it checks them, then puts or queries them without the GIL. */
#ifndef LFBPY_MANY_H
#define LFBPY_MANY_H

#include <lfbloom/sink.h>

#include "packaging/python/source/python.h"

/* What one such method does.  verb.inc.h makes its functions. */
typedef struct lfbpy_many {
  const char *arguments; /* for PyArg_ParseTupleAndKeywords() */
  bool answers;          /* wanted by default                 */
  /* Gives the library's object for a call, or raises why not; leaves it after the call. */
  void *(*enter)(PyObject *self);
  void (*leave)(PyObject *self);
  size_t (*keys)(void *object, const lfb_key *keys, size_t count, uint64_t *answers);
  size_t (*numbers)(void *object, const uint64_t *keys, size_t count, uint64_t *answers);
} lfbpy_many;

/* Does the call with the arguments (keys, offsets=None, *, answers=...). */
PyObject *lfbpy_many_call(PyObject *self, PyObject *args, PyObject *kwargs,
                          const lfbpy_many *many);

/* Gives the truth of an answer for `in`, and drops the reference to it; -1 for NULL. */
static inline int lfbpy_truth(PyObject *answer)
{
  Py_XDECREF(answer);
  return answer == NULL ? -1 : answer == Py_True;
}

#endif
