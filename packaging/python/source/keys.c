/* keys.c - see keys.h; keys_buffer.c has the buffers, keys_objects.c the Python objects. */
#include "packaging/python/source/keys.h"

/* Refuses one key where many are expected: its letters or bytes would be keys. */
static bool keys_not_one(PyObject *object)
{
  if (!PyUnicode_Check(object) && !PyBytes_Check(object) && !PyByteArray_Check(object))
    return true;
  PyErr_SetString(PyExc_TypeError, "many keys are expected, not one str or bytes");
  return false;
}

bool lfbpy_keys_open(lfbpy_keys *keys, PyObject *object, PyObject *offsets)
{
  if (offsets != NULL && offsets != Py_None)
    return lfbpy_keys_open_offsets(keys, object, offsets);
  if (!keys_not_one(object))
    return false;
  switch (lfbpy_keys_open_buffer(keys, object)) {
  case LFBPY_OPENED: return true;
  case LFBPY_REFUSED: return false;
  case LFBPY_NO_BUFFER: break;
  }
  return lfbpy_keys_open_objects(keys, object);
}

void lfbpy_keys_close(lfbpy_keys *keys)
{
  if (keys->view.obj != NULL)
    PyBuffer_Release(&keys->view);
  if (keys->offsets_view.obj != NULL)
    PyBuffer_Release(&keys->offsets_view);
  Py_CLEAR(keys->held);
  Py_CLEAR(keys->iterator);
  free(keys->memory);
  free(keys->piece);
  while (keys->copies != NULL) {
    lfbpy_copies *copies = keys->copies;
    keys->copies = copies->next;
    free(copies);
  }
}
