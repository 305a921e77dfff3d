/*
 * holder.h - a Python object that holds one object of the library, and what its classes share.
 *
 * The held object lives as long as the Python object, which no call can outlive: there is no
 * close(), so that no thread can use what another has closed.
 */
#ifndef LFBPY_HOLDER_H
#define LFBPY_HOLDER_H

#include <lfbloom/any.h>

#include "packaging/python/source/config.h"
#include "packaging/python/source/python.h"

/* What an instance holds: a filter of a kind (lfb_kind), or one of these. */
enum {
  LFBPY_VERSIONS = LFB_KIND_NONE,
  LFBPY_SECTION = LFB_KIND_WINDOW + 1,
  LFBPY_BUILDING,
};

/* An instance; those of Section and Building begin with it. */
typedef struct lfbpy_holder {
  PyObject_HEAD
  void *object;           /* of the library                             */
  uint8_t what;           /* lfb_kind, or an enumerator above           */
  bool read_only;         /* a mapped file: put and claim refuse        */
  bool answers_when_full; /* Growing: put and claim raise no FullError  */
} lfbpy_holder;

/* The held object; as a filter of any kind.  Of Versions: LFB_KIND_NONE and the lfb_versions. */
static inline void *lfbpy_object(PyObject *self)
{
  return ((lfbpy_holder *)self)->object;
}
static inline lfb_any lfbpy_any(PyObject *self)
{
  const lfbpy_holder *holder = (lfbpy_holder *)self;
  return (lfb_any){holder->what, {holder->object}};
}

/* Begins a call that uses the held object, of a Section and a Building as a plain filter; no filter: raises why
 * not.  lfbpy_leave() ends the call. */
lfb_any lfbpy_enter_slowly(PyObject *self);
static inline lfb_any lfbpy_enter(PyObject *self, bool changes)
{
  const lfbpy_holder *holder = (lfbpy_holder *)self;
  return holder->what < LFBPY_SECTION && !(changes && holder->read_only) ? lfbpy_any(self)
                                                                         : lfbpy_enter_slowly(self);
}
void lfbpy_leave_building(PyObject *self);
static inline void lfbpy_leave(PyObject *self)
{
  if (((lfbpy_holder *)self)->what == LFBPY_BUILDING)
    lfbpy_leave_building(self);
}

/* The object that an instance of the class `name` holds.  Raises TypeError for others. */
void *lfbpy_holder_of(PyObject *instance, const char *name);

/* A new instance that holds a filter; a new Filter.  If there is no memory, it frees the filter. */
PyObject *lfbpy_holder_new(PyTypeObject *type, lfb_any any);
PyObject *lfbpy_holder_filter(lfb_filter *filter);

/* Makes a filter of any->kind for the arguments, with its label, in a new file if there is a path.  Needs no
 * GIL. */
lfb_status lfbpy_make(const lfbpy_config *config, const char *path, lfb_any *any);

/* Methods of the classes of filters: any.c. */
PyObject *lfbpy_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);
PyObject *lfbpy_create(PyObject *type, PyObject *args, PyObject *kwargs);
PyObject *lfbpy_open(PyObject *type, PyObject *args, PyObject *kwargs);
PyObject *lfbpy_load(PyObject *type, PyObject *args, PyObject *kwargs);
PyObject *lfbpy_from_bytes(PyObject *type, PyObject *args, PyObject *kwargs);
PyObject *lfbpy_save(PyObject *self, PyObject *path);
PyObject *lfbpy_to_bytes(PyObject *self, PyObject *ignored);
PyObject *lfbpy_sync(PyObject *self, PyObject *ignored);
PyObject *lfbpy_put_all(PyObject *self, PyObject *other);
PyObject *lfbpy_copy(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *lfbpy_to_filter(PyObject *self, PyObject *ignored); /* also of Section, as copy() */
PyObject *lfbpy_stats(PyObject *self, PyObject *ignored);     /* also of Section and Building */
Py_ssize_t lfbpy_length(PyObject *self);
int lfbpy_is_filled(PyObject *self);
PyObject *lfbpy_sizeof(PyObject *self, PyObject *ignored);
PyObject *lfbpy_label(PyObject *self, void *closure);
PyObject *lfbpy_is_read_only(PyObject *self, void *closure);
void lfbpy_dealloc(PyObject *self);

/* The same of a plain filter in a form. */
PyObject *lfbpy_save_as(PyObject *self, PyObject *path, lfb_form form);
PyObject *lfbpy_to_bytes_as(PyObject *self, lfb_form form);

/* Passes a result of put or claim of a Growing on, or raises FullError (growing.c). */
PyObject *lfbpy_growing_end(PyObject *self, PyObject *result);

/* Refuses to pickle, with a hint. */
PyObject *lfbpy_reduce(PyObject *self, PyObject *ignored);

/* Frees the Python object itself; for the deallocators. */
void lfbpy_instance_free(PyObject *self);

/* Reads a Python buffer as lfb_read_fn, and collects bytes as lfb_write_fn (stream.c). */
typedef struct lfbpy_input {
  const char *bytes;
  size_t left;
} lfbpy_input;
typedef struct lfbpy_output {
  char *bytes; /* from malloc() */
  size_t size;
  size_t room;
} lfbpy_output;
lfb_status lfbpy_input_read(void *from, void *bytes, size_t size, size_t *got);
lfb_status lfbpy_output_write(void *to, const void *bytes, size_t size);

#endif
