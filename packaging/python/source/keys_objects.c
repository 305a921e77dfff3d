/* keys_objects.c - keys that are Python objects, in a list, a tuple or another iterable. */
#include <string.h>

#include "packaging/python/source/key.h"
#include "packaging/python/source/keys.h"

/* Raises the TypeError for ints and strings in one call. */
static bool objects_mixed(void)
{
  PyErr_SetString(PyExc_TypeError, "the keys of one call are ints only, or str and bytes only");
  return false;
}

enum {
  OBJECTS_AHEAD = 16,    /* objects whose memory is fetched before they are read */
  OBJECTS_SHORT = 128,   /* bytes; a longer key costs more to copy than to hold  */
  OBJECTS_COPIES = 4096, /* bytes for copies, beyond what is known to follow     */
};

/* The objects of a list or a tuple. */
typedef struct objects {
  PyObject *sequence;
  PyObject *(*item)(PyObject *sequence, Py_ssize_t i);
  bool may_change;                /* by code of Python, and during the call by other threads: a list */
  PyObject *ahead[OBJECTS_AHEAD]; /* object i is at i % OBJECTS_AHEAD */
} objects;

/* Fetches object i, if there is one. */
static void objects_fetch(objects *of, size_t i, size_t count)
{
  if (i >= count)
    return;
  PyObject *object = of->item(of->sequence, (Py_ssize_t)i);
  __builtin_prefetch(object);
  of->ahead[i % OBJECTS_AHEAD] = object;
}

/* Gives object i; they are asked for in their order. */
static PyObject *objects_get(objects *of, size_t i, size_t count)
{
  PyObject *object = of->ahead[i % OBJECTS_AHEAD];
  objects_fetch(of, i + OBJECTS_AHEAD, count);
  return object;
}

/* The key of an object; of one that may change only if no code of Python runs for it: it gives
 * false then. */
static bool objects_key(const objects *of, PyObject *object, lfbpy_key *key)
{
  return (!of->may_change || PyLong_CheckExact(object) || PyUnicode_CheckExact(object) ||
          PyBytes_CheckExact(object)) &&
         lfbpy_key_of(object, key);
}

/* The number of an object that must be an int. */
static bool objects_number(const objects *of, PyObject *object, uint64_t *number)
{
  lfbpy_key key = {.alone = false};
  if (PyLong_CheckExact(object))
    return lfbpy_key_of_int(object, number);
  if (!objects_key(of, object, &key))
    return false;
  if (!key.is_number)
    return objects_mixed();
  *number = key.number;
  return true;
}

/* The bytes of an object that must have some.  Each field is written by itself: a store of both is
 * slow to read again. */
static bool objects_string(const objects *of, PyObject *object, lfb_key *string)
{
  lfbpy_key key = {.alone = false};
  if (PyBytes_CheckExact(object)) {
    string->bytes = PyBytes_AsString(object);
    string->size = (size_t)Py_SIZE(object);
    return true;
  }
  if (!objects_key(of, object, &key))
    return false;
  if (key.is_number)
    return objects_mixed();
  string->bytes = key.bytes.bytes;
  string->size = key.bytes.size;
  return true;
}

static bool objects_numbers(lfbpy_keys *keys, objects *of)
{
  uint64_t *numbers = keys->memory;
  for (size_t i = 0; i < keys->count; i++)
    if (!objects_number(of, objects_get(of, i, keys->count), &numbers[i]))
      return false;
  keys->layout = LFBPY_NUMBERS;
  keys->numbers = numbers;
  return true;
}

/* Makes room for copies of `count` keys of this size, or a little more. */
static bool objects_room(lfbpy_keys *keys, size_t count, size_t size)
{
  void *memory = NULL;
  size = count * (size + size / 8) + OBJECTS_COPIES; /* as many lfb_keys are in memory, and `size` is small */
  if (!lfbpy_keys_room(&memory, sizeof(lfbpy_copies) + size, 1))
    return false;
  lfbpy_copies *copies = memory;
  copies->next = keys->copies;
  keys->copies = copies;
  keys->room = copies->bytes;
  keys->left = size;
  return true;
}

/* Copies the bytes of a short key, which `after` keys follow; or holds the object of a long one. */
static bool objects_keep(lfbpy_keys *keys, PyObject *object, size_t after, lfb_key *string)
{
  const size_t size = string->size;
  if (size > OBJECTS_SHORT)
    return PyList_Append(keys->held, object) == 0;
  if (size > keys->left && !objects_room(keys, after, size))
    return false;
  string->bytes = memcpy(keys->room, string->bytes, size);
  keys->room += size;
  keys->left -= size;
  return true;
}

static bool objects_strings(lfbpy_keys *keys, objects *of)
{
  lfb_key *list = keys->memory;
  for (size_t i = 0; i < keys->count; i++) {
    PyObject *object = objects_get(of, i, keys->count);
    if (!objects_string(of, object, &list[i]) ||
        (of->may_change && !objects_keep(keys, object, keys->count - i, &list[i])))
      return false;
  }
  keys->layout = LFBPY_LIST;
  keys->list = list;
  return true;
}

/* Reads all objects, of which the first decides their kind.  False without an exception: code of
 * Python would have to run, and may change the objects. */
static bool objects_of(lfbpy_keys *keys, objects *of)
{
  lfbpy_key first = {.is_number = true};
  keys->count = (size_t)PySequence_Size(of->sequence);
  for (size_t i = 0; i < OBJECTS_AHEAD; i++)
    objects_fetch(of, i, keys->count);
  if (keys->count > 0 && !objects_key(of, of->ahead[0], &first))
    return false;
  if (!lfbpy_keys_room(&keys->memory, keys->count,
                       first.is_number ? sizeof(uint64_t) : sizeof(lfb_key)))
    return false;
  return first.is_number ? objects_numbers(keys, of) : objects_strings(keys, of);
}

static bool objects_of_tuple(lfbpy_keys *keys)
{
  return keys->held != NULL && objects_of(keys, &(objects){.sequence = keys->held, .item = PyTuple_GetItem});
}

/*
 * Reads a list in place: a copy of it would touch each object twice more.  Without a GIL other threads could
 * change it meanwhile.
 */
static bool objects_of_list(lfbpy_keys *keys, PyObject *list)
{
#ifndef Py_GIL_DISABLED
  keys->held = PyList_New(0); /* before the loop: it may run the garbage collector, and so code of Python */
  if (keys->held == NULL)
    return false;
  if (objects_of(keys, &(objects){list, PyList_GetItem, true, {NULL}}))
    return true;
  if (PyErr_Occurred())
    return false;
  Py_CLEAR(keys->held);
#endif
  keys->held = PySequence_Tuple(list);
  return objects_of_tuple(keys);
}

bool lfbpy_keys_open_objects(lfbpy_keys *keys, PyObject *object)
{
  if (PyList_CheckExact(object))
    return objects_of_list(keys, object);
  if (PyList_Check(object) || PyTuple_Check(object)) {
    keys->held = PySequence_Tuple(object);
    return objects_of_tuple(keys);
  }
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
  return objects_of_tuple(keys);
}
