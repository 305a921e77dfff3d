/*
 * holder.h - a Python object that holds one object of the library, and what its classes share:
 * files, bytes, copies.
 *
 * The held object lives as long as the Python object, which no call can outlive: there is no
 * close(), so that no thread can use what another has closed.
 */
#ifndef LFBPY_HOLDER_H
#define LFBPY_HOLDER_H

#include <lfbloom/any.h>

#include "packaging/python/source/config.h"
#include "packaging/python/source/python.h"

/* An instance of Filter, Counting, Growing, Window or Versions. */
typedef struct lfbpy_holder {
  PyObject_HEAD
  void *object;   /* of the library                      */
  bool read_only; /* a mapped file: put and claim refuse */
  bool answers_when_full; /* Growing: put and claim raise no FullError */
} lfbpy_holder;

/* The held object as one of any kind. */
#define LFBPY_ANY(self, kind) ((lfb_any){kind, {lfbpy_holder_read(self)}})

/* The held object; for put and claim only if it may be changed: raises io.UnsupportedOperation. */
static inline void *lfbpy_holder_read(PyObject *self)
{
  return ((lfbpy_holder *)self)->object;
}
void *lfbpy_holder_refuse(void);
static inline void *lfbpy_holder_write(PyObject *self)
{
  return ((lfbpy_holder *)self)->read_only ? lfbpy_holder_refuse()
                                           : ((lfbpy_holder *)self)->object;
}
static inline void lfbpy_holder_leave(PyObject *self)
{
  (void)self;
}

/* The object that an instance of the class `name` holds.  Raises TypeError for others. */
void *lfbpy_holder_of(PyObject *instance, const char *name);

/* A new instance that holds `object`.  If there is no memory, it calls free(object). */
PyObject *lfbpy_holder_new(PyTypeObject *type, void *object, void (*free)(void *object));

/* The same for the class `name`. */
PyObject *lfbpy_holder_named(const char *name, void *object, void (*free)(void *object));

/* Methods of a class of this kind: load(), from_bytes(), save(), to_bytes(); only a plain filter has a choice of
 * `form`. */
PyObject *lfbpy_holder_load(PyObject *type, PyObject *args, PyObject *kwargs, lfb_kind kind);
PyObject *lfbpy_holder_from_bytes(PyObject *type, PyObject *args, PyObject *kwargs, lfb_kind kind);
PyObject *lfbpy_holder_save(PyObject *self, PyObject *path, lfb_kind kind, lfb_form form);
PyObject *lfbpy_holder_to_bytes(PyObject *self, lfb_kind kind, lfb_form form);

/* Takes (*, label=None): the label for a copy; NULL for none. */
bool lfbpy_label_parse(PyObject *args, PyObject *kwargs, const char **label);

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
