/* python.c - the check that a running Python is as declared in python.h. */
#include "packaging/python/source/python.h"

#include <string.h>

/* Whether a view of these bytes has each field where it is expected. */
static bool python_view_fits(const Py_buffer *view, PyObject *bytes, Py_ssize_t size)
{
  return view->buf == (void *)PyBytes_AsString(bytes) && view->obj == bytes && view->len == size &&
         view->itemsize == 1 && view->readonly == 1 && view->ndim == 1 && view->format != NULL &&
         strcmp(view->format, "B") == 0 && view->shape != NULL && view->shape[0] == size &&
         view->strides != NULL && view->strides[0] == 1 && view->suboffsets == NULL;
}

bool lfbpy_check_python(void)
{
  enum { SIZE = 7 };
  PyObject *bytes = PyBytes_FromStringAndSize("lfbloom", SIZE);
  if (bytes == NULL)
    return false;
  /* Room after the struct: a Python with a larger one must not overwrite the stack. */
  union {
    Py_buffer view;
    char room[4 * sizeof(Py_buffer)];
  } large = {0};

  bool fits = false;
  if (PyObject_GetBuffer(bytes, &large.view, PyBUF_STRIDES | PyBUF_FORMAT) == 0) {
    fits = python_view_fits(&large.view, bytes, SIZE);
    PyBuffer_Release(&large.view);
  }
  Py_DECREF(bytes);
  if (!fits && !PyErr_Occurred())
    PyErr_SetString(PyExc_ImportError, "lfbloom does not know the buffers of this Python");
  return fits;
}
