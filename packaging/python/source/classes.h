/* classes.h - the classes of the module: each file of this name has one; and what several of them
 * have. */
#ifndef LFBPY_CLASSES_H
#define LFBPY_CLASSES_H

#include "packaging/python/source/holder.h"

/* The first slot of each has its methods. */
extern PyType_Spec lfbpy_filter_spec;
extern PyType_Spec lfbpy_counting_spec;
extern PyType_Spec lfbpy_growing_spec;
extern PyType_Spec lfbpy_window_spec;
extern PyType_Spec lfbpy_versions_spec;
extern PyType_Spec lfbpy_section_spec;
extern PyType_Spec lfbpy_building_spec;

/* The class that the module made under this name (module.c), whatever its attribute of that name is
 * now; a new reference. */
PyTypeObject *lfbpy_class(const char *name);

/* The kind of the filters of a class of this module. */
lfb_kind lfbpy_kind(PyTypeObject *type);

/* The tp_new of a class that only Versions makes instances of. */
PyObject *lfbpy_no_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);

/* ---- what versions.c, section.c and building.c need of each other ---- */

/* Methods of Versions that return a Section or a Building. */
PyObject *lfbpy_section_of(PyObject *versions, PyObject *ignored);
PyObject *lfbpy_building_begin(PyObject *versions, PyObject *args, PyObject *kwargs);
PyObject *lfbpy_building_begin_of(PyObject *versions, PyObject *filter);

/* What lfbpy_enter() does for them: gives the filter, or NULL with an exception. */
void *lfbpy_section_enter(PyObject *self);
void *lfbpy_building_enter(PyObject *self);

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

/* The estimated count as len() returns it.  Raises OverflowError if the filter is saturated. */
Py_ssize_t lfbpy_figures_length(uint64_t approximate_count);

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
#define LFBPY_COPY LFBPY_METHOD("copy", lfbpy_copy, METH_NOARGS, "copy($self)\n--\n\nReturns a copy in private memory.")
#define LFBPY_SIZEOF \
  LFBPY_METHOD("__sizeof__", lfbpy_sizeof, METH_NOARGS, "__sizeof__($self)\n--\n\nReturns the size in bytes.")

/* The last rows of every class. */
#define LFBPY_LAST                                                        \
  LFBPY_METHOD("__reduce__", lfbpy_reduce, METH_NOARGS,                   \
               "__reduce__($self)\n--\n\nRaises TypeError: use save()."), \
      LFBPY_METHOD(NULL, NULL, 0, NULL)

/* Rows of PyType_Slot of the classes of filters. */
#define LFBPY_FILTER_SLOTS                                                                                  \
  {Py_tp_new, (void *)(intptr_t)lfbpy_new}, {Py_tp_dealloc, (void *)(intptr_t)lfbpy_dealloc},               \
      {Py_sq_contains, (void *)(intptr_t)lfbpy_contains}, {Py_sq_length, (void *)(intptr_t)lfbpy_length},   \
      {Py_nb_bool, (void *)(intptr_t)lfbpy_is_filled}

/* Rows of PyGetSetDef: one that is only read, and the last one. */
#define LFBPY_GETTER(name, function, doc) \
  {                                       \
    name, function, NULL, doc, NULL       \
  }
#define LFBPY_READ_ONLY \
  LFBPY_GETTER("read_only", lfbpy_is_read_only, "Whether the filter was opened read-only.")
#define LFBPY_NO_MORE LFBPY_GETTER(NULL, NULL, NULL)

#endif
