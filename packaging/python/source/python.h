/*
 * python.h - Python's C interface, as all files of the extension use it.
 *
 * One build serves Python 3.8 and later: LFBPY_STABLE selects the stable ABI of 3.8.  Three things
 * that the extension needs came into the stable ABI later (3.10 and 3.11).  They are declared here
 * by hand, which is sound for each version:
 *
 *   from 3.10 or 3.11   The stable ABI guarantees these declarations.
 *   3.8, 3.9, 3.10      The functions are exported with these types, and Py_buffer has this layout.
 *                       These versions are finished: neither changes any more.
 *
 * A build without LFBPY_STABLE, which a free-threaded Python needs, compares the layout with Python's
 * own at compile time.
 */
#ifndef LFBPY_PYTHON_H
#define LFBPY_PYTHON_H

#define PY_SSIZE_T_CLEAN
#ifdef LFBPY_STABLE
#define Py_LIMITED_API 0x03080000
#endif
#include <Python.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Py_buffer, as since Python 3.3. */
typedef struct lfbpy_buffer {
  void *buf;
  PyObject *obj;
  Py_ssize_t len;
  Py_ssize_t itemsize;
  int readonly;
  int ndim;
  char *format;
  Py_ssize_t *shape;
  Py_ssize_t *strides;
  Py_ssize_t *suboffsets;
  void *internal;
} lfbpy_buffer;

#ifdef LFBPY_STABLE

#define Py_buffer lfbpy_buffer
#define PyBUF_WRITABLE 0x0001
#define PyBUF_FORMAT 0x0004
#define PyBUF_ND 0x0008
#define PyBUF_STRIDES (0x0010 | PyBUF_ND)
#define PyBUF_SIMPLE 0

PyAPI_FUNC(int) PyObject_GetBuffer(PyObject *object, Py_buffer *view, int flags);
PyAPI_FUNC(void) PyBuffer_Release(Py_buffer *view);
PyAPI_FUNC(const char *) PyUnicode_AsUTF8AndSize(PyObject *text, Py_ssize_t *size);

#else

#define LFBPY_SAME(field)                                                     \
  _Static_assert(offsetof(lfbpy_buffer, field) == offsetof(Py_buffer, field), \
                 "Py_buffer." #field)
LFBPY_SAME(obj);
LFBPY_SAME(len);
LFBPY_SAME(itemsize);
LFBPY_SAME(readonly);
LFBPY_SAME(ndim);
LFBPY_SAME(format);
LFBPY_SAME(shape);
LFBPY_SAME(strides);
LFBPY_SAME(suboffsets);
LFBPY_SAME(internal);
_Static_assert(sizeof(lfbpy_buffer) == sizeof(Py_buffer), "Py_buffer");
#undef LFBPY_SAME

#endif

/* A statement of the library that needs no GIL. */
#define LFBPY_WITHOUT_GIL(statement) Py_BEGIN_ALLOW_THREADS statement; Py_END_ALLOW_THREADS

/* Two calls on one object that must take turns: the GIL does it, or a lock of a Python without. */
#ifdef Py_GIL_DISABLED
#define LFBPY_BEGIN_TURN(object) Py_BEGIN_CRITICAL_SECTION(object)
#define LFBPY_END_TURN() Py_END_CRITICAL_SECTION()
#else
#define LFBPY_BEGIN_TURN(object) {
#define LFBPY_END_TURN() }
#endif

#endif
