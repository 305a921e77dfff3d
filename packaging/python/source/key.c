/* key.c - the kinds of keys that are not an exact int or str. */
#include "packaging/python/source/key.h"

bool lfbpy_key_of_large(PyObject *object, uint64_t *number)
{
  *number = PyLong_AsUnsignedLongLong(object);
  if (*number != UINT64_MAX || !PyErr_Occurred())
    return true;
  PyErr_SetString(PyExc_OverflowError,
                  "an int of more than 64 bits is no key: put str(it), or its bytes");
  return false;
}

static bool key_of_index(PyObject *object, uint64_t *number)
{
  PyObject *index = PyNumber_Index(object);
  if (index == NULL)
    return false;
  const bool fine = lfbpy_key_of_int(index, number);
  Py_DECREF(index);
  return fine;
}

static bool key_of_bytes(PyObject *object, lfb_key *key)
{
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) < 0)
    return false;
  *key = (lfb_key){view.buf, (size_t)view.len};
  PyBuffer_Release(&view);
  return true;
}

/* Raises the TypeError that names the type of the object. */
static bool key_refused(PyObject *object)
{
  PyErr_Format(PyExc_TypeError, "a key is a str, bytes or an int, not a %R", Py_TYPE(object));
  return false;
}

bool lfbpy_key_of_other(PyObject *object, lfbpy_key *key)
{
  key->is_number = false;
  if (PyBytes_Check(object))
    return key_of_bytes(object, &key->bytes);
#ifndef Py_GIL_DISABLED /* else another thread may change it */
  if (key->alone && (PyByteArray_CheckExact(object) || PyMemoryView_Check(object)))
    return key_of_bytes(object, &key->bytes);
#endif
  if (PyUnicode_Check(object))
    return lfbpy_key_of_str(object, &key->bytes);
  if (!PyIndex_Check(object))
    return key_refused(object);
  key->is_number = true;
  return key_of_index(object, &key->number);
}
