/*
 * building.c - the class Building: the version of Versions that is being filled.
 *
 * Its filter belongs to the handle, which may free it after publish() or abandon().  Calls that use
 * it are therefore counted: publish() and abandon() first refuse new calls, then wait for those in
 * progress.
 */
#include <lfbloom/versions.h>
#include <sched.h>
#include <stdatomic.h>

#include "packaging/python/source/classes.h"
#include "packaging/python/source/config.h"
#include "packaging/python/source/error.h"

/* A version that is being built. */
typedef struct building {
  lfbpy_holder holder;
  PyObject *versions;
  _Atomic(uint64_t) users; /* calls in progress, and BUILDING_OVER */
} building;

static const uint64_t BUILDING_OVER = UINT64_C(1) << 63;

/* Refuses a call once the building is over. */
static void *building_enter(PyObject *self)
{
  building *of = (building *)self;
  /* acquire: pairs with the release of BUILDING_OVER; the filter is not touched after it. */
  const uint64_t before = atomic_fetch_add_explicit(&of->users, 1, memory_order_acquire);
  if ((before & BUILDING_OVER) == 0)
    return of->holder.object;
  atomic_fetch_sub_explicit(&of->users, 1, memory_order_release);
  PyErr_SetString(PyExc_RuntimeError, "this version has been published or abandoned");
  return NULL;
}

static void building_leave(PyObject *self)
{
  /* release: what the call did comes before what building_finish() does. */
  atomic_fetch_sub_explicit(&((building *)self)->users, 1, memory_order_release);
}

/* ---- making --------------------------------------------------------------------------------- */

/* Gives a filter, or raises why there is none. */
static lfb_filter *building_filter(lfb_status status, lfb_filter *filter)
{
  if (status == LFB_OK)
    return filter;
  (void)lfbpy_raise_status(status);
  return NULL;
}

lfb_filter *lfbpy_building_make(PyObject *args, PyObject *kwargs)
{
  lfbpy_config config = {0};
  lfb_filter *filter = NULL;
  lfb_status status;
  if (!lfbpy_config_parse(args, kwargs, LFB_KIND_PLAIN, false, &config))
    return NULL;
  LFBPY_WITHOUT_GIL(status = lfb_filter_create(&config.config, &filter));
  return building_filter(status, filter);
}

lfb_filter *lfbpy_building_copy(PyObject *filter)
{
  const lfb_filter *from = lfbpy_holder_of(filter, "lfbloom.Filter");
  lfb_filter *copy = NULL;
  lfb_status status;
  if (from == NULL)
    return NULL;
  LFBPY_WITHOUT_GIL(status = lfb_filter_copy(from, &copy));
  return building_filter(status, copy);
}

/* A wait for its own section would not end. */
static bool building_outside(PyObject *versions)
{
  if (!lfbpy_section_here(versions))
    return true;
  PyErr_SetString(PyExc_RuntimeError, "leave the section before rebuild(), which waits for it");
  return false;
}

static PyObject *building_alloc(PyObject *versions, lfb_filter *filter)
{
  PyObject *self = lfbpy_holder_beside(versions, LFBPY_BUILDING, NULL);
  if (self == NULL)
    return NULL;
  ((building *)self)->versions = Py_NewRef(versions);
  ((building *)self)->holder.object = filter;
  atomic_init(&((building *)self)->users, BUILDING_OVER);
  return self;
}

/* Begins a version with a filter, which it frees if it fails; NULL: there is none. */
static PyObject *building_begin(PyObject *versions, lfb_filter *filter)
{
  PyObject *self =
      filter != NULL && building_outside(versions) ? building_alloc(versions, filter) : NULL;
  if (self == NULL) {
    lfb_filter_free(filter);
    return NULL;
  }
  lfb_status status;
  LFBPY_WITHOUT_GIL(status = lfb_versions_begin_rebuild_with(lfbpy_object(versions), filter));
  if (status == LFB_OK) {
    atomic_store_explicit(&((building *)self)->users, 0, memory_order_release);
    return self;
  }
  lfb_filter_free(filter);
  Py_DECREF(self);
  return lfbpy_raise_status(status);
}

PyObject *lfbpy_building_begin(PyObject *versions, PyObject *args, PyObject *kwargs)
{
  return building_begin(versions, lfbpy_building_make(args, kwargs));
}

PyObject *lfbpy_building_begin_of(PyObject *versions, PyObject *filter)
{
  return building_begin(versions, lfbpy_building_copy(filter));
}

/* ---- the end -------------------------------------------------------------------------------- */

/* Refuses further calls, and waits for those in progress.  Returns false if it is over already. */
static bool building_finish(building *of)
{
  /* acquire: what other calls did comes before publish. */
  const uint64_t before = atomic_fetch_or_explicit(&of->users, BUILDING_OVER, memory_order_acq_rel);
  if ((before & BUILDING_OVER) != 0)
    return false;
  while (atomic_load_explicit(&of->users, memory_order_acquire) != BUILDING_OVER)
    sched_yield();
  return true;
}

static bool building_finish_or_raise(PyObject *self)
{
  bool ended;
  LFBPY_WITHOUT_GIL(ended = building_finish((building *)self));
  if (!ended)
    PyErr_SetString(PyExc_RuntimeError, "this version has been published or abandoned");
  return ended;
}

static PyObject *building_publish_as(PyObject *self, lfb_previous previous)
{
  uint64_t number = 0;
  lfb_status status;
  if (!building_finish_or_raise(self))
    return NULL;
  LFBPY_WITHOUT_GIL(status = lfb_versions_publish(lfbpy_object(((building *)self)->versions), previous, &number));
  return status == LFB_OK ? PyLong_FromUnsignedLongLong(number) : lfbpy_raise_status(status);
}

static PyObject *building_publish(PyObject *self, PyObject *args, PyObject *kwargs)
{
  static char *names[] = {"keep_previous", NULL};
  int keep = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$p", names, &keep))
    return NULL;
  return building_publish_as(self, keep ? LFB_KEEP_PREVIOUS : LFB_DROP_PREVIOUS);
}

static PyObject *building_abandon(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  lfb_status status;
  if (!building_finish_or_raise(self))
    return NULL;
  LFBPY_WITHOUT_GIL(status = lfb_versions_abandon(lfbpy_object(((building *)self)->versions)));
  return lfbpy_none_or_raise_status(status);
}

/* Abandons a version that was not published: otherwise no other version could begin. */
static void building_end(PyObject *self)
{
  building *of = (building *)self;
  if (building_finish(of))
    lfb_ignore(lfb_versions_abandon(lfbpy_object(of->versions)));
  Py_CLEAR(of->versions);
}

static PyObject *building_enter_with(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  return Py_NewRef(self);
}

/* Publishes, or abandons if the block ended by an exception; nothing if the block did so itself. */
static PyObject *building_exit(PyObject *self, PyObject *args)
{
  PyObject *type = NULL, *value = NULL, *trace = NULL;
  if (!PyArg_ParseTuple(args, "OOO", &type, &value, &trace))
    return NULL;
  const uint64_t users = atomic_load_explicit(&((building *)self)->users, memory_order_relaxed);
  if ((users & BUILDING_OVER) == 0) {
    PyObject *ended = type == Py_None ? building_publish_as(self, LFB_DROP_PREVIOUS)
                                      : building_abandon(self, NULL);
    if (ended == NULL)
      return NULL;
    Py_DECREF(ended);
  }
  return Py_NewRef(Py_False);
}

lfbpy_class lfbpy_building_class = {
    .name = "lfbloom.Building",
    .doc =
        "A version that is being filled, from Versions.rebuild(), by any number of threads.\n\n"
        "As a context manager it publishes at the end of the block, and abandons after an "
        "exception.\n"
        "One that is neither published nor abandoned is abandoned with its last reference.",
    .size = sizeof(building),
    .what = LFBPY_BUILDING,
    .make = lfbpy_no_new,
    .end = building_end,
    .enter = building_enter,
    .leave = building_leave,
    .methods = {
        {"put", lfbpy_put, METH_O, "put($self, key, /)\n--\n\nPuts a key, as Filter.put()."},
        LFBPY_MIGHT_CONTAIN,
        LFBPY_PUT_MANY(""),
        LFBPY_QUERY_MANY(""),
        {"stats", lfbpy_stats, METH_NOARGS,
         "stats($self)\n--\n\nReturns the figures, as Filter.stats()."},
        LFBPY_KEYWORDS("publish", building_publish,
                       "publish($self, *, keep_previous=False)\n--\n\n"
                       "Makes it the current version.  Returns its number.  No call can use this "
                       "object afterwards."),
        {"abandon", building_abandon, METH_NOARGS,
         "abandon($self)\n--\n\nDrops it.  No call can use this object afterwards."},
        {"__enter__", building_enter_with, METH_NOARGS,
         "__enter__($self)\n--\n\nReturns itself."},
        {"__exit__", building_exit, METH_VARARGS,
         "__exit__($self, *exception)\n--\n\nPublishes; after an exception it abandons."},
        LFBPY_REDUCE,
    },
};
