/*
 * section.c - the class Section: a read-side section of Versions, as a context manager.
 *
 * Only the thread that entered a section can use it, so that no thread uses a version after another
 * has left.  Each thread has a list of its sections.  The list keeps each section in memory, and the
 * section keeps its Versions.
 */
#include <lfbloom/versions.h>
#include <stdatomic.h>

#include "packaging/python/source/classes.h"
#include "packaging/python/source/error.h"
#include "packaging/python/source/figures.h"
#include "packaging/python/source/holder.h"
#include "packaging/python/source/key.h"
#include "packaging/python/source/many.h"
#include "packaging/python/source/versions.h"

/* A section.  `entered` is the only field that several threads may use at once. */
typedef struct section {
  PyObject_HEAD
  PyObject *versions;
  const lfb_filter *filter;
  uint64_t number;
  struct section *outer; /* the next one in the list of the thread */
  _Atomic(bool) entered;
} section;

static _Thread_local section *section_innermost;

/* Where the list of this thread points to a section; NULL if it is not in there. */
static section **section_find(const PyObject *self)
{
  for (section **at = &section_innermost; *at != NULL; at = &(*at)->outer)
    if (*at == (const section *)self)
      return at;
  return NULL;
}

bool lfbpy_section_here(PyObject *versions)
{
  for (const section *at = section_innermost; at != NULL; at = at->outer)
    if (at->versions == versions)
      return true;
  return false;
}

/* The version of a section of this thread. */
static void *section_filter(PyObject *self)
{
  section **at = section_find(self);
  if (at != NULL)
    return (void *)(uintptr_t)(*at)->filter;
  PyErr_SetString(PyExc_RuntimeError,
                  "a section is used inside its `with`, by the thread that entered it");
  return NULL;
}

#define VERB_ONE section_might_contain
#define VERB_MANY section_might_contain_many
#define VERB_KEYS section_might_contain_many_keys
#define VERB_NUMBERS section_might_contain_many_numbers
#define VERB_ENTER section_filter
#define VERB_TYPE lfb_filter
#define VERB_CALL(suffix) lfb_filter_might_contain##suffix
#define VERB_ARGUMENTS "O|O$O:might_contain_many"
#define VERB_ANSWERS true
#include "packaging/python/source/verb.inc.h"

PyObject *lfbpy_section_of(PyObject *versions, PyObject *ignored)
{
  (void)ignored;
  PyTypeObject *type = lfbpy_class("Section");
  PyObject *self = type == NULL ? NULL : PyType_GenericAlloc(type, 0);
  Py_XDECREF(type);
  if (self == NULL)
    return NULL;
  Py_INCREF(versions);
  ((section *)self)->versions = versions;
  atomic_init(&((section *)self)->entered, false);
  return self;
}

static void section_dealloc(PyObject *self)
{
  Py_CLEAR(((section *)self)->versions);
  lfbpy_instance_free(self);
}

static PyObject *section_enter(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  section *of = (section *)self;
  /* relaxed: the flag only decides which call continues. */
  if (atomic_exchange_explicit(&of->entered, true, memory_order_relaxed)) {
    PyErr_SetString(PyExc_RuntimeError, "the section has been entered already");
    return NULL;
  }
  /* Waits if more than 1,088 threads are in sections. */
  Py_BEGIN_ALLOW_THREADS
  of->filter = lfb_versions_enter(lfbpy_holder_read(of->versions), &of->number);
  Py_END_ALLOW_THREADS
  of->outer = section_innermost;
  section_innermost = of;
  Py_INCREF(self); /* of the list */
  Py_INCREF(self);
  return self;
}

static PyObject *section_exit(PyObject *self, PyObject *args)
{
  (void)args;
  section **at = section_find(self);
  if (at == NULL)
    return section_filter(self);
  section *of = *at;
  *at = of->outer;
  of->filter = NULL;
  lfb_versions_leave(lfbpy_holder_read(of->versions));
  atomic_store_explicit(&of->entered, false, memory_order_relaxed);
  Py_DECREF(self); /* of the list; the caller has one */
  Py_INCREF(Py_None);
  return Py_None;
}

static PyObject *section_number(PyObject *self, void *closure)
{
  (void)closure;
  return section_filter(self) == NULL
             ? NULL
             : PyLong_FromUnsignedLongLong(((section *)self)->number);
}

static PyObject *section_stats(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  const lfb_filter *filter = section_filter(self);
  if (filter == NULL)
    return NULL;
  lfb_stats stats = {0};
  lfb_filter_stats(filter, &stats);
  return lfbpy_figures_filter(&stats);
}

static void section_copy_free(void *object)
{
  lfb_filter_free(object);
}

static PyObject *section_copy(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  const lfb_filter *filter = section_filter(self);
  lfb_filter *copy = NULL;
  lfb_status status;
  if (filter == NULL)
    return NULL;
  Py_BEGIN_ALLOW_THREADS
  status = lfb_filter_copy(filter, &copy);
  Py_END_ALLOW_THREADS
  return status == LFB_OK ? lfbpy_holder_named("Filter", copy, section_copy_free)
                          : lfbpy_raise((lfbpy_outcome){status, 0}, NULL);
}

static int section_contains(PyObject *self, PyObject *key)
{
  return lfbpy_truth(section_might_contain(self, key));
}

static PyMethodDef section_methods[] = {
    {"might_contain", section_might_contain, METH_O,
     "might_contain($self, key, /)\n--\n\n"
     "Returns whether the key may be present; False is certain."},
    {"might_contain_many", LFBPY_KEYWORDS(section_might_contain_many), METH_VARARGS | METH_KEYWORDS,
     "might_contain_many($self, keys, offsets=None, *, answers=True)\n--\n\n" LFBPY_QUERY_MANY_DOC},
    {"stats", section_stats, METH_NOARGS,
     "stats($self)\n--\n\nReturns the version's figures, as Filter.stats()."},
    {"copy", section_copy, METH_NOARGS,
     "copy($self)\n--\n\nReturns a copy of the version: a Filter."},
    {"__enter__", section_enter, METH_NOARGS,
     "__enter__($self)\n--\n\nEnters; returns the section."},
    {"__exit__", section_exit, METH_VARARGS, "__exit__($self, *exception)\n--\n\nLeaves."},
    {"__reduce__", lfbpy_reduce, METH_NOARGS,
     "__reduce__($self)\n--\n\nRaises TypeError: use save()."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef section_getset[] = {
    {"number", section_number, NULL, "The number of the version.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot section_slots[] = {
    {Py_tp_doc,
     "A read-side section, from Versions.section(): inside `with`, the version stays the same.\n\n"
     "Only the thread that entered may use it.  Leave it in less than a second: it keeps dropped\n"
     "versions in memory, and rebuild() waits for it."},
    {Py_tp_new, (void *)(intptr_t)lfbpy_no_new},
    {Py_tp_dealloc, (void *)(intptr_t)section_dealloc},
    {Py_sq_contains, (void *)(intptr_t)section_contains},
    {Py_tp_methods, section_methods},
    {Py_tp_getset, section_getset},
    {0, NULL},
};

PyType_Spec lfbpy_section_spec = {"lfbloom.Section", sizeof(section), 0, Py_TPFLAGS_DEFAULT,
                                  section_slots};
