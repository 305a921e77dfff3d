/* any.c - the methods that the classes of filters share (holder.h), by what lfbloom/any.h has for
 * any kind. */
#include <lfbloom/growing_mapped.h>
#include <lfbloom/mapped.h>
#include <lfbloom/window_mapped.h>
#include <stdlib.h>
#include <string.h>

#include "packaging/python/source/classes.h"
#include "packaging/python/source/config.h"
#include "packaging/python/source/error.h"

/* A new instance for a filter that was made or read; or raises why there is none. */
static PyObject *any_instance(PyTypeObject *type, lfbpy_outcome outcome, lfb_any any, PyObject *path)
{
  return outcome.status == LFB_OK ? lfbpy_holder_new(type, any) : lfbpy_raise(outcome, path);
}

/* ---- making --------------------------------------------------------------------------------- */

static lfb_status any_make(const lfbpy_config *of, const char *path, lfb_any *any)
{
  const lfb_config *config = &of->config;
  switch (any->kind) {
  case LFB_KIND_WINDOW:
    return path == NULL ? lfb_window_create(&of->window, &any->window)
                        : lfb_window_mapped_create(path, &of->window, &any->window);
  case LFB_KIND_GROWING:
    return path == NULL ? lfb_growing_create(config, &any->growing)
                        : lfb_growing_mapped_create(path, config, &any->growing);
  case LFB_KIND_COUNTING: /* in no file */
    return lfb_counting_create(config, &any->counting);
  default:
    return path == NULL ? lfb_filter_create(config, &any->plain)
                        : lfb_mapped_create(path, config, &any->plain);
  }
}

/* The kind of the filters of a class. */
static lfb_kind any_kind(PyTypeObject *type)
{
  return (lfb_kind)lfbpy_class_of(type)->what;
}

static PyObject *any_new(PyTypeObject *type, const lfbpy_config *config)
{
  const char *path = config->path == NULL ? NULL : PyBytes_AsString(config->path);
  lfb_any any = {.kind = any_kind(type)};
  lfbpy_outcome outcome;

  LFBPY_WITHOUT_GIL(outcome = LFBPY_OUTCOME(any_make(config, path, &any)));
  return any_instance(type, outcome, any, config->path);
}

static PyObject *any_parsed(PyTypeObject *type, PyObject *args, PyObject *kwargs, bool with_path)
{
  lfbpy_config config = {0};
  PyObject *self = NULL;
  if (lfbpy_config_parse(args, kwargs, any_kind(type), with_path, &config))
    self = any_new(type, &config);
  lfbpy_config_close(&config);
  return self;
}

PyObject *lfbpy_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
  return any_parsed(type, args, kwargs, false);
}

PyObject *lfbpy_create(PyObject *type, PyObject *args, PyObject *kwargs)
{
  return any_parsed((PyTypeObject *)type, args, kwargs, true);
}

/* ---- files and bytes ------------------------------------------------------------------------- */

static lfb_status any_open(const lfbpy_source *source, lfb_opening how, const char *path, lfb_any *any)
{
  const lfb_read_limits limits = lfbpy_source_limits(source);
  lfb_form form;

  /* A copy of a saved filter is not that file opened. */
  if (any->kind == LFB_KIND_GROWING && how != LFB_OPEN_COPY &&
      lfb_form_of_file(path, &form) == LFB_ERROR_GROWING)
    return LFB_ERROR_NOT_MAPPED;
  return lfb_any_open(path, any->kind, how, &limits, any);
}

static PyObject *any_opened(PyObject *type, const lfbpy_source *source, lfb_opening how)
{
  const char *path = PyBytes_AsString(source->path);
  lfb_any any = {.kind = any_kind((PyTypeObject *)type)};
  lfbpy_outcome outcome;

  if (any.kind == LFB_KIND_WINDOW && source->read_only) {
    PyErr_SetString(PyExc_ValueError, "a window is opened to be changed: load() reads a copy");
    return NULL;
  }
  LFBPY_WITHOUT_GIL(outcome = LFBPY_OUTCOME(any_open(source, how, path, &any)));
  PyObject *self = any_instance((PyTypeObject *)type, outcome, any, source->path);
  if (self != NULL)
    ((lfbpy_holder *)self)->read_only = source->read_only;
  return self;
}

static PyObject *any_open_or_load(PyObject *type, PyObject *args, PyObject *kwargs, bool loads)
{
  lfbpy_source source = {0};
  PyObject *self = NULL;
  if (loads ? lfbpy_source_parse(args, kwargs, true, &source)
            : lfbpy_source_parse_mapped(args, kwargs, &source))
    self = any_opened(type, &source, loads ? LFB_OPEN_COPY : source.read_only ? LFB_OPEN_IN_PLACE
                                                                              : LFB_OPEN_SHARED);
  lfbpy_source_close(&source);
  return self;
}

PyObject *lfbpy_open(PyObject *type, PyObject *args, PyObject *kwargs)
{
  return any_open_or_load(type, args, kwargs, false);
}

PyObject *lfbpy_load(PyObject *type, PyObject *args, PyObject *kwargs)
{
  return any_open_or_load(type, args, kwargs, true);
}

/* A Python buffer as lfb_any_read() reads it, and the bytes that lfb_any_write() gives. */
typedef struct any_input {
  const char *bytes;
  size_t left;
} any_input;
typedef struct any_output {
  char *bytes; /* from malloc() */
  size_t size;
  size_t room;
} any_output;

static lfb_status any_input_read(void *from, void *bytes, size_t size, size_t *got)
{
  any_input *input = from;
  *got = size < input->left ? size : input->left;
  if (*got > 0) /* both may be NULL */
    memcpy(bytes, input->bytes, *got);
  input->bytes += *got;
  input->left -= *got;
  return LFB_OK;
}

/* Makes room for `size` more bytes, at least twice the old room. */
static lfb_status any_output_grow(any_output *output, size_t size)
{
  if (size > PTRDIFF_MAX / 2 - output->size)
    return LFB_ERROR_NO_MEMORY;
  size_t room = output->size + size;
  if (room < 2 * output->room)
    room = 2 * output->room;
  char *bytes = realloc(output->bytes, room);
  if (bytes == NULL)
    return LFB_ERROR_NO_MEMORY;
  output->bytes = bytes;
  output->room = room;
  return LFB_OK;
}

static lfb_status any_output_write(void *to, const void *bytes, size_t size)
{
  any_output *output = to;
  if (size > output->room - output->size) {
    const lfb_status status = any_output_grow(output, size);
    if (status != LFB_OK)
      return status;
  }
  if (size > 0)
    memcpy(output->bytes + output->size, bytes, size);
  output->size += size;
  return LFB_OK;
}

/* Reads all of the input: bytes after the filter are an error. */
static lfb_status any_read(any_input *input, const lfb_read_limits *limits, lfb_any *any)
{
  const lfb_status status = lfb_any_read(any_input_read, input, any->kind, limits, any);
  if (status != LFB_OK || input->left == 0)
    return status;
  lfb_any_free(*any);
  return LFB_ERROR_TRAILING_BYTES;
}

PyObject *lfbpy_from_bytes(PyObject *type, PyObject *args, PyObject *kwargs)
{
  lfbpy_source source = {0};
  Py_buffer view = {0};
  if (!lfbpy_source_parse(args, kwargs, false, &source) ||
      PyObject_GetBuffer(source.bytes, &view, PyBUF_SIMPLE) < 0)
    return NULL;
  const lfb_read_limits limits = lfbpy_source_limits(&source);
  any_input input = {view.buf, (size_t)view.len};
  lfb_any any = {.kind = any_kind((PyTypeObject *)type)};
  lfb_status status;

  LFBPY_WITHOUT_GIL(status = any_read(&input, &limits, &any));
  PyBuffer_Release(&view);
  return any_instance((PyTypeObject *)type, (lfbpy_outcome){status, 0}, any, NULL);
}

PyObject *lfbpy_save_as(PyObject *self, PyObject *path, lfb_form form)
{
  PyObject *bytes = NULL;
  if (!PyUnicode_FSConverter(path, &bytes))
    return NULL;
  const char *name = PyBytes_AsString(bytes);
  const lfb_any any = lfbpy_any(self);
  lfbpy_outcome outcome;

  LFBPY_WITHOUT_GIL(outcome = LFBPY_OUTCOME(form == LFB_FORM_NONE ? lfb_any_save(any, name)
                                                                  : lfb_filter_save(any.plain, form, name)));
  PyObject *result = lfbpy_none_or_raise(outcome, bytes);
  Py_DECREF(bytes);
  return result;
}

PyObject *lfbpy_save(PyObject *self, PyObject *path)
{
  return lfbpy_save_as(self, path, LFB_FORM_NONE);
}

PyObject *lfbpy_to_bytes_as(PyObject *self, lfb_form form)
{
  const lfb_any any = lfbpy_any(self);
  any_output output = {0};
  lfb_status status;

  LFBPY_WITHOUT_GIL(status = form == LFB_FORM_NONE ? lfb_any_write(any, any_output_write, &output)
                                                   : lfb_filter_write(any.plain, form, any_output_write, &output));
  PyObject *result = status == LFB_OK
                         ? PyBytes_FromStringAndSize(output.bytes, (Py_ssize_t)output.size)
                         : lfbpy_raise_status(status);
  free(output.bytes);
  return result;
}

PyObject *lfbpy_to_bytes(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  return lfbpy_to_bytes_as(self, LFB_FORM_NONE);
}

PyObject *lfbpy_sync(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  lfbpy_outcome outcome;
  LFBPY_WITHOUT_GIL(outcome = LFBPY_OUTCOME(lfb_any_sync(lfbpy_any(self))));
  return lfbpy_none_or_raise(outcome, NULL);
}

/* ---- several filters ------------------------------------------------------------------------- */

PyObject *lfbpy_put_all(PyObject *self, PyObject *other)
{
  const lfb_any into = lfbpy_enter(self, true);
  if (into.filter == NULL)
    return NULL;
  const bool plain = into.kind == LFB_KIND_PLAIN;
  const void *from = lfbpy_holder_of(other, plain ? "lfbloom.Filter" : "lfbloom.Counting");
  lfb_status status;
  if (from == NULL)
    return NULL;
  LFBPY_WITHOUT_GIL(status = plain ? lfb_filter_put_all(into.plain, from) : lfb_counting_put_all(into.counting, from));
  return lfbpy_none_or_raise_status(status);
}

PyObject *lfbpy_copy(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  lfb_any copy = {0};
  lfb_status status;
  LFBPY_WITHOUT_GIL(status = lfb_any_copy(lfbpy_any(self), &copy));
  return any_instance(Py_TYPE(self), (lfbpy_outcome){status, 0}, copy, NULL);
}

PyObject *lfbpy_to_filter(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  lfb_filter *filter = NULL;
  lfb_status status;
  const lfb_any any = lfbpy_enter(self, false);
  if (any.filter == NULL)
    return NULL;
  LFBPY_WITHOUT_GIL(status = lfb_any_to_plain(any, &filter));
  return status == LFB_OK ? lfbpy_holder_beside(self, LFB_KIND_PLAIN, filter)
                          : lfbpy_raise_status(status);
}

/* ---- figures --------------------------------------------------------------------------------- */

static bool any_figures(PyObject *self, lfb_figures *figures)
{
  const lfb_any any = lfbpy_enter(self, false);
  if (any.filter == NULL)
    return false;
  LFBPY_WITHOUT_GIL(lfb_any_stats(any, figures));
  lfbpy_leave(self);
  return true;
}

PyObject *lfbpy_stats(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  lfb_figures figures;
  return any_figures(self, &figures) ? lfbpy_figures(&figures) : NULL;
}

/* Raises OverflowError if the filter is saturated. */
Py_ssize_t lfbpy_length(PyObject *self)
{
  lfb_figures figures;
  if (!any_figures(self, &figures))
    return -1;
  if (figures.all.approximate_count <= PTRDIFF_MAX)
    return (Py_ssize_t)figures.all.approximate_count;
  PyErr_SetString(PyExc_OverflowError, "the filter is saturated: its keys cannot be counted");
  return -1;
}

/* False for an empty filter, as for other containers.  Python would take len(), which a saturated
 * filter does not have. */
int lfbpy_is_filled(PyObject *self)
{
  lfb_figures figures;
  return any_figures(self, &figures) ? figures.all.approximate_count != 0 : -1;
}

PyObject *lfbpy_sizeof(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  lfb_figures figures;
  return any_figures(self, &figures)
             ? PyLong_FromUnsignedLongLong(sizeof(lfbpy_holder) + figures.all.bytes)
             : NULL;
}

PyObject *lfbpy_is_read_only(PyObject *self, void *closure)
{
  (void)closure;
  return PyBool_FromLong(((lfbpy_holder *)self)->read_only);
}
