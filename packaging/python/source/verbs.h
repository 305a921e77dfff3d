/* verbs.h - the methods that put, claim, query and remove keys, for all classes that have them. */
#ifndef LFBPY_VERBS_H
#define LFBPY_VERBS_H

#include "packaging/python/source/python.h"

/* One key.  Keeps the GIL: the call takes less time than to release it. */
PyObject *lfbpy_put(PyObject *self, PyObject *key);
PyObject *lfbpy_claim(PyObject *self, PyObject *key);
PyObject *lfbpy_might_contain(PyObject *self, PyObject *key);
PyObject *lfbpy_remove(PyObject *self, PyObject *key);
int lfbpy_contains(PyObject *self, PyObject *key);

/* Many keys, with the arguments (keys, offsets=None, *, answers=...): checks them, then puts or queries them
 * without the GIL. */
PyObject *lfbpy_put_many(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *lfbpy_claim_many(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *lfbpy_might_contain_many(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *lfbpy_remove_many(PyObject *self, PyObject *args, PyObject *kwargs);

#endif
