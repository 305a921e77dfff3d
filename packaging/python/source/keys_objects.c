/* keys_objects.c - keys that are Python objects, in a list, a tuple or another iterable. */
#include "packaging/python/source/key.h"
#include "packaging/python/source/keys_kinds.h"

/* Raises the TypeError for ints and strings in one call. */
static bool objects_mixed(void)
{
  PyErr_SetString(PyExc_TypeError, "the keys of one call are ints only, or str and bytes only");
  return false;
}

/* The number of an object that must be an int. */
static bool objects_number(PyObject *object, uint64_t *number)
{
  if (PyLong_CheckExact(object))
    return lfbpy_key_of_int(object, number);
  lfbpy_key key;
  if (!lfbpy_key_of(object, &key))
    return false;
  *number = key.number;
  return key.is_number || objects_mixed();
}

static bool objects_string(PyObject *object, lfb_key *string)
{
  lfbpy_key key;
  if (!lfbpy_key_of(object, &key))
    return false;
  *string = key.bytes;
  return !key.is_number || objects_mixed();
}

static bool objects_numbers(lfbpy_keys *keys, PyObject *tuple)
{
  uint64_t *numbers = keys->memory;
  for (size_t i = 0; i < keys->count; i++)
    if (!objects_number(PyTuple_GetItem(tuple, (Py_ssize_t)i), &numbers[i]))
      return false;
  keys->layout = LFBPY_NUMBERS;
  keys->numbers = numbers;
  return true;
}

static bool objects_strings(lfbpy_keys *keys, PyObject *tuple)
{
  lfb_key *list = keys->memory;
  for (size_t i = 0; i < keys->count; i++)
    if (!objects_string(PyTuple_GetItem(tuple, (Py_ssize_t)i), &list[i]))
      return false;
  keys->layout = LFBPY_LIST;
  keys->list = list;
  return true;
}

/* Reads all objects of a tuple, which keys->held keeps in memory.  The first decides their kind. */
static bool objects_of_tuple(lfbpy_keys *keys, PyObject *tuple)
{
  lfbpy_key first = {.is_number = true};
  keys->count = (size_t)PyTuple_Size(tuple);
  if (keys->count > 0 && !lfbpy_key_of(PyTuple_GetItem(tuple, 0), &first))
    return false;
  const size_t size = first.is_number ? sizeof(uint64_t) : sizeof(lfb_key);
  if (!lfbpy_keys_room(&keys->memory, keys->count, size))
    return false;
  return first.is_number ? objects_numbers(keys, tuple) : objects_strings(keys, tuple);
}

#ifndef Py_GIL_DISABLED
/*
 * Reads a list of exact ints in place: a copy of the list would touch each int twice more.  No code
 * of Python runs during the loop, so the list does not change.  Gives false, without an exception,
 * if it has anything else; the caller then starts again with a copy.
 */
static bool objects_ints_of_list(lfbpy_keys *keys, PyObject *list, bool *other)
{
  const Py_ssize_t count = PyList_Size(list);
  *other = true;
  if (count == 0 || !PyLong_CheckExact(PyList_GetItem(list, 0)))
    return true;
  if (!lfbpy_keys_room(&keys->memory, (size_t)count, sizeof(uint64_t)))
    return false;
  uint64_t *numbers = keys->memory;
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *object = PyList_GetItem(list, i);
    if (!PyLong_CheckExact(object))
      return true;
    if (!lfbpy_key_of_int(object, &numbers[i]))
      return false;
  }
  *other = false;
  keys->layout = LFBPY_NUMBERS;
  keys->numbers = numbers;
  keys->count = (size_t)count;
  return true;
}
#endif

static bool objects_of_sequence(lfbpy_keys *keys, PyObject *sequence)
{
#ifndef Py_GIL_DISABLED
  bool other = true;
  if (PyList_CheckExact(sequence) && !objects_ints_of_list(keys, sequence, &other))
    return false;
  if (!other)
    return true;
#endif
  keys->held = PySequence_Tuple(sequence);
  return keys->held != NULL && objects_of_tuple(keys, keys->held);
}

bool lfbpy_keys_open_objects(lfbpy_keys *keys, PyObject *object)
{
  if (PyList_Check(object) || PyTuple_Check(object))
    return objects_of_sequence(keys, object);
  keys->iterator = PyObject_GetIter(object);
  return keys->iterator != NULL && lfbpy_keys_next(keys);
}

/* Reads the next objects of the iterator into a list of their own. */
static PyObject *objects_round(PyObject *iterator)
{
  PyObject *round = PyList_New(0);
  for (Py_ssize_t i = 0; round != NULL && i < LFBPY_KEYS_ROUND; i++) {
    PyObject *object = PyIter_Next(iterator);
    if (object == NULL)
      break;
    if (PyList_Append(round, object) < 0)
      Py_CLEAR(round);
    Py_DECREF(object);
  }
  if (PyErr_Occurred() || PyErr_CheckSignals() < 0)
    Py_CLEAR(round);
  return round;
}

bool lfbpy_keys_next(lfbpy_keys *keys)
{
  keys->count = 0;
  if (keys->iterator == NULL)
    return true;
  PyObject *round = objects_round(keys->iterator);
  if (round == NULL)
    return false;
  Py_CLEAR(keys->held);
  keys->held = PyList_AsTuple(round);
  Py_DECREF(round);
  return keys->held != NULL && objects_of_tuple(keys, keys->held);
}
