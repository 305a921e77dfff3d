/*
 * holder.h - a Python object that holds one object of the library, its class, and the methods that
 * several classes have.
 *
 * The held object lives as long as the Python object, which no call can outlive: there is no
 * close(), so that no thread can use what another has closed.
 */
#ifndef LFBPY_HOLDER_H
#define LFBPY_HOLDER_H

#include <lfbloom/any.h>

#include "packaging/python/source/python.h"

/* What an instance holds: a filter of a kind (lfb_kind), or one of these. */
enum {
  LFBPY_VERSIONS = LFB_KIND_NONE,
  LFBPY_SECTION = LFB_KIND_WINDOW + 1,
  LFBPY_BUILDING,
  LFBPY_CLASSES, /* how many there are: one for each */
};

/* An instance; those of Section and Building begin with it. */
typedef struct lfbpy_holder {
  PyObject_HEAD
  void *object;           /* of the library                             */
  PyObject *weak;         /* references to it                           */
  uint8_t what;           /* lfb_kind, or an enumerator above           */
  bool read_only;         /* a mapped file: put and claim refuse        */
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

/* ---- classes --------------------------------------------------------------------------------- */

/* A class: module.c makes its type. */
typedef struct lfbpy_class {
  const char *name; /* as its objects show it, with the module's */
  const char *doc;
  size_t size;  /* of an instance                                  */
  uint8_t what; /* that an instance holds                          */
  newfunc make;
  reprfunc repr;                  /* NULL: Python's */
  void (*end)(PyObject *self);    /* Frees what an instance holds; NULL: it is a filter */
  void *(*enter)(PyObject *self); /* Gives the plain filter of a Section or a Building, or raises */
  void (*leave)(PyObject *self);  /* Ends a call that entered a Building */
  PyGetSetDef getset[4];          /* the last one is all zero */
  PyMethodDef methods[24];        /* the same                 */
} lfbpy_class;

/* What the type of a class was made of. */
const lfbpy_class *lfbpy_class_of(PyTypeObject *type);

/* The module's own references to its types, by what their instances hold: a program can replace the
 * module's attributes, and an object of another class has no room for what lfbpy_holder holds. */
typedef struct lfbpy_state {
  PyObject *types[LFBPY_CLASSES];
} lfbpy_state;

/* A new instance that holds a filter; the same of another class of the module of `beside`, with a
 * plain filter or NULL.  If it fails, it frees the filter. */
PyObject *lfbpy_holder_new(PyTypeObject *type, lfb_any any);
PyObject *lfbpy_holder_beside(PyObject *beside, int what, lfb_filter *filter);

/* The object that an instance of the class `name` holds.  Raises TypeError for others. */
void *lfbpy_holder_of(PyObject *instance, const char *name);

/* The tp_dealloc of each class. */
void lfbpy_dealloc(PyObject *self);

/* The tp_new of a class that only Versions makes instances of. */
PyObject *lfbpy_no_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);

/* ---- calls ----------------------------------------------------------------------------------- */

/* Begins a call that uses the held object, of a Section and a Building as a plain filter; no
 * filter: raises why not.  lfbpy_leave() ends the call. */
lfb_any lfbpy_enter_slowly(PyObject *self);
static inline lfb_any lfbpy_enter(PyObject *self, bool changes)
{
  const lfbpy_holder *holder = (lfbpy_holder *)self;
  return holder->what < LFBPY_SECTION && !(changes && holder->read_only) ? lfbpy_any(self)
                                                                         : lfbpy_enter_slowly(self);
}
static inline void lfbpy_leave(PyObject *self)
{
  if (((lfbpy_holder *)self)->what == LFBPY_BUILDING)
    lfbpy_class_of(Py_TYPE(self))->leave(self);
}

/* Methods: of one argument, or of none; and of keywords.  A method of the class has the type as
 * `self`. */
typedef PyObject *lfbpy_method(PyObject *self, PyObject *argument);
typedef PyObject *lfbpy_keyword_method(PyObject *self, PyObject *args, PyObject *kwargs);

/* Those of the classes of filters: any.c.  A Section has copy() by lfbpy_to_filter, and as a
 * Building lfbpy_stats. */
lfbpy_keyword_method lfbpy_create, lfbpy_open, lfbpy_load, lfbpy_from_bytes;
lfbpy_method lfbpy_save, lfbpy_to_bytes, lfbpy_sync, lfbpy_put_all, lfbpy_copy, lfbpy_to_filter;
lfbpy_method lfbpy_stats, lfbpy_sizeof;
PyObject *lfbpy_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);
Py_ssize_t lfbpy_length(PyObject *self);
int lfbpy_is_filled(PyObject *self);
PyObject *lfbpy_is_read_only(PyObject *self, void *closure);

/* The same of a plain filter in a form. */
PyObject *lfbpy_save_as(PyObject *self, PyObject *path, lfb_form form);
PyObject *lfbpy_to_bytes_as(PyObject *self, lfb_form form);

/* Those of all that have keys: verbs.c.  One key keeps the GIL: the call takes less time than to
 * release it.  Many, with the arguments (keys, offsets=None, *, answers=...), are checked first,
 * and put or queried without the GIL. */
lfbpy_method lfbpy_put, lfbpy_claim, lfbpy_might_contain, lfbpy_remove;
lfbpy_keyword_method lfbpy_put_many, lfbpy_claim_many, lfbpy_might_contain_many, lfbpy_remove_many;
int lfbpy_contains(PyObject *self, PyObject *key);

/* Refuses to pickle, with a hint. */
lfbpy_method lfbpy_reduce;

#endif
