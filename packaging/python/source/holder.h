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

/* Begins a call that uses the held object, of a Section and a Building as a plain filter; no
 * filter: raises why not.  lfbpy_leave() ends the call. */
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

/* Makes a filter of any->kind for the arguments, in a new file if there is a path.
 * Needs no GIL. */
lfb_status lfbpy_make(const lfbpy_config *config, const char *path, lfb_any *any);

/* Methods: of one argument, or of none; and of keywords.  A method of the class has the type as
 * `self`. */
typedef PyObject *lfbpy_method(PyObject *self, PyObject *argument);
typedef PyObject *lfbpy_keyword_method(PyObject *self, PyObject *args, PyObject *kwargs);

/* Those of the classes of filters: any.c.  A Section has copy() by lfbpy_to_filter, and as a
 * Building lfbpy_stats. */
lfbpy_keyword_method lfbpy_create, lfbpy_open, lfbpy_load, lfbpy_from_bytes;
lfbpy_method lfbpy_save, lfbpy_to_bytes, lfbpy_sync, lfbpy_put_all, lfbpy_copy, lfbpy_to_filter, lfbpy_stats,
    lfbpy_sizeof;
PyObject *lfbpy_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);
Py_ssize_t lfbpy_length(PyObject *self);
int lfbpy_is_filled(PyObject *self);
PyObject *lfbpy_is_read_only(PyObject *self, void *closure);
void lfbpy_dealloc(PyObject *self);

/* The same of a plain filter in a form. */
PyObject *lfbpy_save_as(PyObject *self, PyObject *path, lfb_form form);
PyObject *lfbpy_to_bytes_as(PyObject *self, lfb_form form);

/* Those of all that have keys: verbs.c.  One key keeps the GIL: the call takes less time than to
 * release it.  Many, with the arguments (keys, offsets=None, *, answers=...), are checked first,
 * and put or queried without the GIL. */
lfbpy_method lfbpy_put, lfbpy_claim, lfbpy_might_contain, lfbpy_remove;
lfbpy_keyword_method lfbpy_put_many, lfbpy_claim_many, lfbpy_might_contain_many, lfbpy_remove_many;
int lfbpy_contains(PyObject *self, PyObject *key);

/* Passes a result of put or claim of a Growing on, or raises FullError (growing.c). */
PyObject *lfbpy_growing_end(PyObject *self, PyObject *result);

/* Refuses to pickle, with a hint. */
lfbpy_method lfbpy_reduce;

/* Frees the Python object itself; for the deallocators. */
void lfbpy_instance_free(PyObject *self);

#endif
