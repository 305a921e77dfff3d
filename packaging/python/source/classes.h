/* classes.h - the classes of the module, each in the file of its name, and what several of them
 * have. */
#ifndef LFBPY_CLASSES_H
#define LFBPY_CLASSES_H

#include "packaging/python/source/holder.h"

extern lfbpy_class lfbpy_filter_class, lfbpy_counting_class, lfbpy_growing_class;
extern lfbpy_class lfbpy_window_class, lfbpy_versions_class, lfbpy_section_class;
extern lfbpy_class lfbpy_building_class;

/* ---- what versions.c, section.c and building.c need of each other ---- */

/* Methods of Versions that return a Section or a Building. */
PyObject *lfbpy_section_of(PyObject *versions, PyObject *ignored);
PyObject *lfbpy_building_begin(PyObject *versions, PyObject *args, PyObject *kwargs);
PyObject *lfbpy_building_begin_of(PyObject *versions, PyObject *filter);

/* Whether the calling thread is in a section of these Versions. */
bool lfbpy_section_here(PyObject *versions);

/* Makes a filter for the arguments; copies that of a Filter.  NULL: with an exception. */
lfb_filter *lfbpy_building_make(PyObject *args, PyObject *kwargs);
lfb_filter *lfbpy_building_copy(PyObject *filter);

/* ---- the library's figures as Python dicts, with the names of their fields (figures.c) ---- */

/* A dict of those that the kind of filter has; approximate_count is None if the filter is
 * saturated. */
PyObject *lfbpy_figures(const lfb_figures *figures);

/* A dict of (value, error) pairs. */
PyObject *lfbpy_figures_comparison(const lfb_comparison *comparison);

/* ---- tables ---- */

/* Rows of PyMethodDef; those with keywords, of an object or of a class. */
#define LFBPY_METHOD(name, function, flags, doc)              \
  {                                                           \
    name, (PyCFunction)(void (*)(void))(function), flags, doc \
  }
#define LFBPY_KEYWORDS(name, function, doc) LFBPY_METHOD(name, function, METH_VARARGS | METH_KEYWORDS, doc)
#define LFBPY_OF_CLASS(name, function, doc) \
  LFBPY_METHOD(name, function, METH_VARARGS | METH_KEYWORDS | METH_CLASS, doc)

/* What every many method says of its arguments. */
#define LFBPY_MANY_DOC                                                                  \
  "keys: a list or another iterable of ints, or of str and bytes; a buffer of 64-bit\n" \
  "integers or of fixed strings, such as a NumPy array of dtype u8 or S; or with\n"     \
  "offsets the bytes of all strings, as Arrow stores a column.\n"                       \
  "answers: False, True (a bytearray), \"numpy\", or a writable buffer to fill.\n"
#define LFBPY_PUT_MANY(examples)                                                 \
  LFBPY_KEYWORDS("put_many", lfbpy_put_many,                                     \
                 "put_many($self, keys, offsets=None, *, answers=False)\n--\n\n" \
                 "Puts many keys, without the GIL.  Returns how many of the answers of put() are True.\n\n" LFBPY_MANY_DOC examples)
#define LFBPY_CLAIM_MANY                                                          \
  LFBPY_KEYWORDS("claim_many", lfbpy_claim_many,                                  \
                 "claim_many($self, keys, offsets=None, *, answers=True)\n--\n\n" \
                 "Claims many keys, without the GIL.  Returns the answers of claim().\n\n" LFBPY_MANY_DOC)
#define LFBPY_QUERY_MANY(examples)                                                        \
  LFBPY_KEYWORDS("might_contain_many", lfbpy_might_contain_many,                          \
                 "might_contain_many($self, keys, offsets=None, *, answers=True)\n--\n\n" \
                 "Queries many keys, without the GIL.  Returns the answers of might_contain().\n\n" LFBPY_MANY_DOC examples)

/* Query of a class without more to say of it. */
#define LFBPY_MIGHT_CONTAIN                                  \
  LFBPY_METHOD("might_contain", lfbpy_might_contain, METH_O, \
               "might_contain($self, key, /)\n--\n\n"        \
               "Returns whether the key may be present; False is certain.")

/* Files and bytes of a class with one form. */
#define LFBPY_FILES                                                                                  \
  LFBPY_OF_CLASS("load", lfbpy_load,                                                                 \
                 "load($type, path, *, max_bytes=0, key=None, open_damaged=False)\n--\n\n"           \
                 "Reads what save() wrote.  Arguments: as Filter.load()."),                          \
      LFBPY_OF_CLASS("from_bytes", lfbpy_from_bytes,                                                 \
                     "from_bytes($type, data, *, max_bytes=0, key=None, open_damaged=False)\n--\n\n" \
                     "Reads what to_bytes() returned.  Arguments: as Filter.load()."),               \
      LFBPY_METHOD("save", lfbpy_save, METH_O,                                                       \
                   "save($self, path, /)\n--\n\nWrites it to a file, atomically and durably."),      \
      LFBPY_METHOD("to_bytes", lfbpy_to_bytes, METH_NOARGS,                                          \
                   "to_bytes($self)\n--\n\n"                                                         \
                   "Returns what save() would write.  It may hold the secret key of the hash.")

#define LFBPY_SYNC                              \
  LFBPY_METHOD("sync", lfbpy_sync, METH_NOARGS, \
               "sync($self)\n--\n\nMakes durable all that was put into a mapped file before the call.")
#define LFBPY_COPY                              \
  LFBPY_METHOD("copy", lfbpy_copy, METH_NOARGS, \
               "copy($self)\n--\n\nReturns a copy in private memory.")
#define LFBPY_SIZEOF \
  LFBPY_METHOD("__sizeof__", lfbpy_sizeof, METH_NOARGS, "__sizeof__($self)\n--\n\nReturns the size in bytes.")

/* The last row of every class. */
#define LFBPY_REDUCE                                    \
  LFBPY_METHOD("__reduce__", lfbpy_reduce, METH_NOARGS, \
               "__reduce__($self)\n--\n\nRaises TypeError: use save().")

#define LFBPY_READ_ONLY                                                                     \
  {                                                                                         \
    "read_only", lfbpy_is_read_only, NULL, "Whether the filter was opened read-only.", NULL \
  }

#endif
