/* holder.c - see holder.h. */
#include "packaging/python/source/holder.h"

#include <string.h>

/* ---- classes --------------------------------------------------------------------------------- */

const lfbpy_class *lfbpy_class_of(PyTypeObject *type)
{
  const char *methods = PyType_GetSlot(type, Py_tp_methods);
  return (const lfbpy_class *)(methods - offsetof(lfbpy_class, methods));
}

/* Whether a type is that of a class of ours. */
static bool holder_is(PyTypeObject *type, const char *name)
{
  return PyType_GetSlot(type, Py_tp_dealloc) == (void *)(intptr_t)lfbpy_dealloc &&
         strcmp(lfbpy_class_of(type)->name, name) == 0;
}

PyObject *lfbpy_holder_new(PyTypeObject *type, lfb_any any)
{
  PyObject *self = PyType_GenericAlloc(type, 0);
  if (self == NULL) {
    lfb_any_free(any);
    return NULL;
  }
  ((lfbpy_holder *)self)->object = any.filter;
  ((lfbpy_holder *)self)->what = lfbpy_class_of(type)->what;
  return self;
}

PyObject *lfbpy_holder_beside(PyObject *beside, int what, lfb_filter *filter)
{
  const lfbpy_state *state = PyType_GetModuleState(Py_TYPE(beside));
  if (state == NULL) { /* the interpreter ends, and has cleared the type */
    lfb_filter_free(filter);
    return NULL;
  }
  return lfbpy_holder_new((PyTypeObject *)state->types[what],
                          (lfb_any){LFB_KIND_PLAIN, {filter}});
}

void *lfbpy_holder_of(PyObject *instance, const char *name)
{
  if (holder_is(Py_TYPE(instance), name))
    return lfbpy_object(instance);
  PyErr_Format(PyExc_TypeError, "a %s is expected", name);
  return NULL;
}

void lfbpy_dealloc(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  const lfbpy_class *of = lfbpy_class_of(type);
  if (((lfbpy_holder *)self)->weak != NULL)
    PyObject_ClearWeakRefs(self);
  if (of->end != NULL)
    of->end(self);
  else
    lfb_any_free(lfbpy_any(self));
  freefunc free_instance = (freefunc)(uintptr_t)PyType_GetSlot(type, Py_tp_free);
  free_instance(self);
  Py_DECREF(type);
}

PyObject *lfbpy_no_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
  (void)type;
  (void)args;
  (void)kwargs;
  PyErr_SetString(PyExc_TypeError, "it is made by a method of lfbloom.Versions");
  return NULL;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Raises the exception for a change of a filter that was opened read-only. */
static void *holder_refuse(void)
{
  PyObject *io = PyImport_ImportModule("io");
  PyObject *error = io == NULL ? NULL : PyObject_GetAttrString(io, "UnsupportedOperation");
  if (error != NULL)
    PyErr_SetString(error, "the filter was opened read-only");
  Py_XDECREF(error);
  Py_XDECREF(io);
  return NULL;
}

lfb_any lfbpy_enter_slowly(PyObject *self)
{
  const lfbpy_class *of = lfbpy_class_of(Py_TYPE(self));
  return of->enter == NULL ? (lfb_any){LFB_KIND_NONE, {holder_refuse()}}
                           : (lfb_any){LFB_KIND_PLAIN, {of->enter(self)}};
}

PyObject *lfbpy_reduce(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  PyErr_Format(PyExc_TypeError,
               "a %s is not pickled or copied so: use save() and load(), to_bytes() and "
               "from_bytes(), copy(), or a file that processes share (Filter.create())",
               lfbpy_class_of(Py_TYPE(self))->name);
  return NULL;
}
