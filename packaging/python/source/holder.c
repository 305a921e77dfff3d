/* holder.c - see holder.h. */
#include "packaging/python/source/holder.h"

#include <stdlib.h>

#include "packaging/python/source/classes.h"
#include "packaging/python/source/error.h"

void *lfbpy_holder_refuse(void)
{
  PyObject *io = PyImport_ImportModule("io");
  PyObject *error = io == NULL ? NULL : PyObject_GetAttrString(io, "UnsupportedOperation");
  if (error != NULL)
    PyErr_SetString(error, "the filter was opened read-only");
  Py_XDECREF(error);
  Py_XDECREF(io);
  return NULL;
}

void *lfbpy_holder_of(PyObject *instance, const char *name)
{
  PyTypeObject *type = lfbpy_class(name);
  if (type == NULL)
    return NULL;
  const bool fits = Py_TYPE(instance) == type;
  Py_DECREF(type);
  if (fits)
    return lfbpy_holder_read(instance);
  PyErr_Format(PyExc_TypeError, "a lfbloom.%s is expected", name);
  return NULL;
}

PyObject *lfbpy_holder_new(PyTypeObject *type, void *object, void (*free)(void *object))
{
  PyObject *self = PyType_GenericAlloc(type, 0);
  if (self == NULL) {
    free(object);
    return NULL;
  }
  ((lfbpy_holder *)self)->object = object;
  return self;
}

/* The same of a filter of any kind. */
static PyObject *holder_new_any(PyTypeObject *type, lfb_any any)
{
  PyObject *self = PyType_GenericAlloc(type, 0);
  if (self == NULL)
    lfb_any_free(any);
  else
    ((lfbpy_holder *)self)->object = any.filter;
  return self;
}

PyObject *lfbpy_holder_named(const char *name, void *object, void (*free)(void *object))
{
  PyTypeObject *type = lfbpy_class(name);
  if (type == NULL) {
    free(object);
    return NULL;
  }
  PyObject *self = lfbpy_holder_new(type, object, free);
  Py_DECREF(type);
  return self;
}

static PyObject *holder_load(PyTypeObject *type, const lfbpy_source *source,
                             lfb_kind kind)
{
  const lfb_read_limits limits = lfbpy_source_limits(source);
  const char *path = PyBytes_AsString(source->path);
  lfbpy_outcome outcome;
  lfb_any any;

  Py_BEGIN_ALLOW_THREADS
  outcome = LFBPY_OUTCOME(lfb_any_open(path, kind, LFB_OPEN_COPY, &limits, &any));
  Py_END_ALLOW_THREADS
  return outcome.status == LFB_OK ? holder_new_any(type, any) : lfbpy_raise(outcome, source->path);
}

PyObject *lfbpy_holder_load(PyObject *type, PyObject *args, PyObject *kwargs, lfb_kind kind)
{
  lfbpy_source source = {0};
  PyObject *self = NULL;
  if (lfbpy_source_parse_path(args, kwargs, &source))
    self = holder_load((PyTypeObject *)type, &source, kind);
  lfbpy_source_close(&source);
  return self;
}

/* Reads all of the input: bytes after the filter are an error. */
static lfb_status holder_read(lfbpy_input *input, const lfb_read_limits *limits, lfb_kind kind,
                              lfb_any *any)
{
  const lfb_status status = lfb_any_read(lfbpy_input_read, input, kind, limits, any);
  if (status != LFB_OK || input->left == 0)
    return status;
  lfb_any_free(*any);
  return LFB_ERROR_TRAILING_BYTES;
}

static PyObject *holder_from_view(PyTypeObject *type, const Py_buffer *view,
                                  const lfb_read_limits *limits, lfb_kind kind)
{
  lfbpy_input input = {view->buf, (size_t)view->len};
  lfb_status status;
  lfb_any any;

  Py_BEGIN_ALLOW_THREADS
  status = holder_read(&input, limits, kind, &any);
  Py_END_ALLOW_THREADS
  return status == LFB_OK ? holder_new_any(type, any) : lfbpy_raise((lfbpy_outcome){status, 0}, NULL);
}

PyObject *lfbpy_holder_from_bytes(PyObject *type, PyObject *args, PyObject *kwargs, lfb_kind kind)
{
  lfbpy_source source = {0};
  Py_buffer view = {0};
  if (!lfbpy_source_parse_bytes(args, kwargs, &source) ||
      PyObject_GetBuffer(source.bytes, &view, PyBUF_SIMPLE) < 0)
    return NULL;
  const lfb_read_limits limits = lfbpy_source_limits(&source);
  PyObject *self = holder_from_view((PyTypeObject *)type, &view, &limits, kind);
  PyBuffer_Release(&view);
  return self;
}

PyObject *lfbpy_holder_save(PyObject *self, PyObject *path, lfb_kind kind, lfb_form form)
{
  PyObject *bytes = NULL;
  if (!PyUnicode_FSConverter(path, &bytes))
    return NULL;
  const char *name = PyBytes_AsString(bytes);
  lfbpy_outcome outcome;

  Py_BEGIN_ALLOW_THREADS
  outcome = LFBPY_OUTCOME(kind == LFB_KIND_PLAIN ? lfb_filter_save(lfbpy_holder_read(self), form, name)
                                                 : lfb_any_save(LFBPY_ANY(self, kind), name));
  Py_END_ALLOW_THREADS
  PyObject *result = lfbpy_none_or_raise(outcome, bytes);
  Py_DECREF(bytes);
  return result;
}

PyObject *lfbpy_holder_to_bytes(PyObject *self, lfb_kind kind, lfb_form form)
{
  lfbpy_output output = {0};
  lfb_status status;

  Py_BEGIN_ALLOW_THREADS
  status = kind == LFB_KIND_PLAIN
               ? lfb_filter_write(lfbpy_holder_read(self), form, lfbpy_output_write, &output)
               : lfb_any_write(LFBPY_ANY(self, kind), lfbpy_output_write, &output);
  Py_END_ALLOW_THREADS
  PyObject *result = status == LFB_OK
                         ? PyBytes_FromStringAndSize(output.bytes, (Py_ssize_t)output.size)
                         : lfbpy_raise((lfbpy_outcome){status, 0}, NULL);
  free(output.bytes);
  return result;
}

bool lfbpy_label_parse(PyObject *args, PyObject *kwargs, const char **label)
{
  static char *names[] = {"label", NULL};
  *label = NULL;
  return PyArg_ParseTupleAndKeywords(args, kwargs, "|$z", names, label);
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
