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
  char *bytes = NULL;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(object, &bytes, &size) < 0)
    return false;
  *key = (lfb_key){bytes, (size_t)size};
  return true;
}

/* Raises the TypeError that names the object's type. */
static bool key_refused(PyObject *object)
{
  PyObject *name = PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__name__");
  if (name != NULL)
    PyErr_Format(PyExc_TypeError, "a key is a str, bytes or an int, not %S", name);
  Py_XDECREF(name);
  return false;
}

bool lfbpy_key_of_other(PyObject *object, lfbpy_key *key)
{
  key->is_number = false;
  if (PyBytes_Check(object))
    return key_of_bytes(object, &key->bytes);
  if (PyUnicode_Check(object))
    return lfbpy_key_of_str(object, &key->bytes);
  if (!PyIndex_Check(object))
    return key_refused(object);
  key->is_number = true;
  return key_of_index(object, &key->number);
}
