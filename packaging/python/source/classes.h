/* classes.h - the classes of the module: each file of this name has one. */
#ifndef LFBPY_CLASSES_H
#define LFBPY_CLASSES_H

#include "packaging/python/source/python.h"

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

/* The tp_new of a class that only Versions makes instances of. */
PyObject *lfbpy_no_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);

/* Methods with keywords, as PyMethodDef has them. */
#define LFBPY_KEYWORDS(function) (PyCFunction)(void (*)(void))(function)

/* What every many method says of its arguments. */
#define LFBPY_MANY_DOC                                                                  \
  "keys: a list or another iterable of ints, or of str and bytes; a buffer of 64-bit\n" \
  "integers or of fixed strings, such as a NumPy array of dtype u8 or S; or with\n"     \
  "offsets the bytes of all strings, as Arrow stores a column.\n"                       \
  "answers: False, True (a bytearray), \"numpy\", or a writable buffer to fill.\n"
#define LFBPY_PUT_MANY_DOC \
  "Puts many keys, without the GIL.  Returns how many of the answers of put() are True.\n\n" LFBPY_MANY_DOC
#define LFBPY_QUERY_MANY_DOC \
  "Queries many keys, without the GIL.  Returns the answers of might_contain().\n\n" LFBPY_MANY_DOC

#endif
