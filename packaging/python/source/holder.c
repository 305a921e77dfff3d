/* holder.c - see holder.h. */

#include "packaging/python/source/classes.h"

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
  switch (((lfbpy_holder *)self)->what) {
  case LFBPY_SECTION: return (lfb_any){LFB_KIND_PLAIN, {lfbpy_section_enter(self)}};
  case LFBPY_BUILDING: return (lfb_any){LFB_KIND_PLAIN, {lfbpy_building_enter(self)}};
  default: return (lfb_any){LFB_KIND_NONE, {holder_refuse()}};
  }
}

void *lfbpy_holder_of(PyObject *instance, const char *name)
{
  PyTypeObject *type = lfbpy_class(name);
  if (type == NULL)
    return NULL;
  const bool fits = Py_TYPE(instance) == type;
  Py_DECREF(type);
  if (fits)
    return lfbpy_object(instance);
  PyErr_Format(PyExc_TypeError, "a lfbloom.%s is expected", name);
  return NULL;
}

PyObject *lfbpy_holder_new(PyTypeObject *type, lfb_any any)
{
  PyObject *self = PyType_GenericAlloc(type, 0);
  if (self == NULL) {
    lfb_any_free(any);
    return NULL;
  }
  ((lfbpy_holder *)self)->object = any.filter;
  ((lfbpy_holder *)self)->what = (uint8_t)any.kind;
  return self;
}

PyObject *lfbpy_holder_filter(lfb_filter *filter)
{
  PyTypeObject *type = lfbpy_class("Filter");
  if (type == NULL) {
    lfb_filter_free(filter);
    return NULL;
  }
  PyObject *self = lfbpy_holder_new(type, (lfb_any){LFB_KIND_PLAIN, {filter}});
  Py_DECREF(type);
  return self;
}

PyObject *lfbpy_reduce(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  PyObject *name = PyObject_GetAttrString((PyObject *)Py_TYPE(self), "__name__");
  if (name != NULL)
    PyErr_Format(PyExc_TypeError,
                 "a lfbloom.%S is not pickled or copied so: use save() and load(), to_bytes() and "
                 "from_bytes(), copy(), or a file that processes share (Filter.create())",
                 name);
  Py_XDECREF(name);
  return NULL;
}

void lfbpy_instance_free(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
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
