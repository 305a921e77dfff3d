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
  return (PyType_GetFlags(type) & Py_TPFLAGS_HEAPTYPE) != 0 &&
         PyType_GetSlot(type, Py_tp_dealloc) == (void *)(intptr_t)lfbpy_dealloc &&
         strcmp(lfbpy_class_of(type)->name, name) == 0;
}

void lfbpy_state_free(void *module)
{
  lfbpy_state *state = PyModule_GetState(module);
  for (size_t i = 0; state != NULL && i < LFBPY_CLASSES; i++)
    Py_CLEAR(state->types[i]);
}

/* The type that the module made under this name, whatever its attribute of that name is now; a
 * borrowed reference.  NULL if `module` is another one. */
static PyTypeObject *holder_type(PyObject *module, const char *name)
{
  const PyModuleDef *definition = PyModule_Check(module) ? PyModule_GetDef(module) : NULL;
  const lfbpy_state *state = NULL;
  if (definition != NULL && definition->m_free == lfbpy_state_free)
    state = PyModule_GetState(module);
  for (size_t i = 0; state != NULL && i < LFBPY_CLASSES; i++) {
    PyTypeObject *type = (PyTypeObject *)state->types[i];
    if (type != NULL && holder_is(type, name))
      return type;
  }
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
  ((lfbpy_holder *)self)->what = lfbpy_class_of(type)->what;
  return self;
}

PyObject *lfbpy_holder_named(const char *name, lfb_filter *filter)
{
  PyObject *module = PyImport_ImportModule("lfbloom._lfbloom");
  PyTypeObject *type = module == NULL ? NULL : holder_type(module, name);
  PyObject *self = NULL;
  if (type != NULL) {
    self = lfbpy_holder_new(type, (lfb_any){LFB_KIND_PLAIN, {filter}});
  } else {
    lfb_filter_free(filter);
    if (module != NULL)
      PyErr_SetString(PyExc_TypeError, "sys.modules['lfbloom._lfbloom'] is another module");
  }
  Py_XDECREF(module);
  return self;
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
