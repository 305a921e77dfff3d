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

/* A section.  It holds the version's filter; `entered` is the only field that several threads may
 * use at once. */
typedef struct section {
  lfbpy_holder holder;
  PyObject *versions;
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

static void *section_filter(PyObject *self)
{
  section **at = section_find(self);
  if (at != NULL)
    return (*at)->holder.object;
  PyErr_SetString(PyExc_RuntimeError,
                  "a section is used inside its `with`, by the thread that entered it");
  return NULL;
}

PyObject *lfbpy_section_of(PyObject *versions, PyObject *ignored)
{
  (void)ignored;
  PyObject *self = lfbpy_holder_beside(versions, LFBPY_SECTION, NULL);
  if (self == NULL)
    return NULL;
  ((section *)self)->versions = Py_NewRef(versions);
  atomic_init(&((section *)self)->entered, false);
  return self;
}

static void section_end(PyObject *self)
{
  Py_CLEAR(((section *)self)->versions);
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
  /* Only queried: a section has no method that changes it. */
  LFBPY_WITHOUT_GIL(of->holder.object = (void *)(uintptr_t)lfb_versions_enter(lfbpy_object(of->versions), &of->number));
  of->outer = section_innermost;
  section_innermost = of;
  Py_INCREF(self); /* of the list */
  return Py_NewRef(self);
}

static PyObject *section_exit(PyObject *self, PyObject *args)
{
  (void)args;
  section **at = section_find(self);
  if (at == NULL)
    return section_filter(self);
  section *of = *at;
  *at = of->outer;
  of->holder.object = NULL;
  lfb_versions_leave(lfbpy_object(of->versions));
  atomic_store_explicit(&of->entered, false, memory_order_relaxed);
  Py_DECREF(self); /* of the list; the caller has one */
  return Py_NewRef(Py_None);
}

static PyObject *section_number(PyObject *self, void *closure)
{
  (void)closure;
  return section_filter(self) == NULL
             ? NULL
             : PyLong_FromUnsignedLongLong(((section *)self)->number);
}

lfbpy_class lfbpy_section_class = {
    .name = "lfbloom.Section",
    .doc =
        "A read-side section, from Versions.section(): inside `with`, the version stays the "
        "same.\n\n"
        "Only the thread that entered may use it.  Leave it in less than a second: it keeps "
        "dropped\n"
        "versions in memory, and rebuild() waits for it.",
    .size = sizeof(section),
    .what = LFBPY_SECTION,
    .make = lfbpy_no_new,
    .end = section_end,
    .enter = section_filter,
    .getset = {
        {"number", section_number, NULL, "The number of the version.", NULL},
    },
    .methods = {
        LFBPY_MIGHT_CONTAIN,
        LFBPY_QUERY_MANY(""),
        {"stats", lfbpy_stats, METH_NOARGS,
         "stats($self)\n--\n\nReturns the version's figures, as Filter.stats()."},
        {"copy", lfbpy_to_filter, METH_NOARGS,
         "copy($self)\n--\n\nReturns a copy of the version: a Filter."},
        {"__enter__", section_enter, METH_NOARGS,
         "__enter__($self)\n--\n\nEnters; returns the section."},
        {"__exit__", section_exit, METH_VARARGS, "__exit__($self, *exception)\n--\n\nLeaves."},
        LFBPY_REDUCE,
    },
};
