/*
 * versions.c - the class Versions: lfbloom/versions.h.  Its read-side section is in section.c, the
 * version that is being built in building.c.
 */
#include <lfbloom/versions.h>

#include "packaging/python/source/classes.h"
#include "packaging/python/source/error.h"
#include "packaging/python/source/holder.h"
#include "packaging/python/source/key.h"
#include "packaging/python/source/many.h"
#include "packaging/python/source/versions.h"

#define VERB_ONE versions_put
#define VERB_MANY versions_put_many
#define VERB_KEYS versions_put_many_keys
#define VERB_NUMBERS versions_put_many_numbers
#define VERB_ENTER lfbpy_holder_read
#define VERB_TYPE lfb_versions
#define VERB_CALL(suffix) lfb_versions_put##suffix
#define VERB_ARGUMENTS "O|O$O:put_many"
#define VERB_ANSWERS false
#include "packaging/python/source/verb.inc.h"

#define VERB_ONE versions_might_contain
#define VERB_MANY versions_might_contain_many
#define VERB_KEYS versions_might_contain_many_keys
#define VERB_NUMBERS versions_might_contain_many_numbers
#define VERB_ENTER lfbpy_holder_read
#define VERB_TYPE lfb_versions
#define VERB_CALL(suffix) lfb_versions_might_contain##suffix
#define VERB_ARGUMENTS "O|O$O:might_contain_many"
#define VERB_ANSWERS true
#include "packaging/python/source/verb.inc.h"

/* ---- making --------------------------------------------------------------------------------- */

static void versions_free(void *object)
{
  lfb_versions_free(object);
}

/* Makes a handle that owns the filter, or frees it. */
static PyObject *versions_with(PyTypeObject *type, lfb_filter *filter)
{
  lfb_versions *versions = NULL;
  const lfb_status status = lfb_versions_create_with(filter, &versions);
  if (status == LFB_OK)
    return lfbpy_holder_new(type, versions, versions_free);
  lfb_filter_free(filter);
  return lfbpy_raise((lfbpy_outcome){status, 0}, NULL);
}

static PyObject *versions_create(PyTypeObject *type, const lfbpy_config *config)
{
  lfb_filter *const filter = lfbpy_building_make(config);

  return filter == NULL ? NULL : versions_with(type, filter);
}

static PyObject *versions_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
  lfbpy_config config = {0};
  PyObject *self = NULL;
  if (lfbpy_config_parse(args, kwargs, false, &config))
    self = versions_create(type, &config);
  lfbpy_config_close(&config);
  return self;
}

static PyObject *versions_of(PyObject *type, PyObject *other)
{
  lfb_filter *copy = lfbpy_building_copy(other);
  return copy == NULL ? NULL : versions_with((PyTypeObject *)type, copy);
}

static void versions_dealloc(PyObject *self)
{
  lfb_versions_free(lfbpy_holder_read(self));
  lfbpy_instance_free(self);
}

/* ---- for the administrator ------------------------------------------------------------------- */

static PyObject *versions_rollback(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  uint64_t number = 0;
  lfb_status status;
  Py_BEGIN_ALLOW_THREADS
  status = lfb_versions_rollback(lfbpy_holder_read(self), &number);
  Py_END_ALLOW_THREADS
  return status == LFB_OK ? PyLong_FromUnsignedLongLong(number)
                          : lfbpy_raise((lfbpy_outcome){status, 0}, NULL);
}

static PyObject *versions_drop_previous(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  lfb_status status;
  Py_BEGIN_ALLOW_THREADS
  status = lfb_versions_drop_previous(lfbpy_holder_read(self));
  Py_END_ALLOW_THREADS
  return lfbpy_none_or_raise((lfbpy_outcome){status, 0}, NULL);
}

static PyObject *versions_reclaim(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  uint64_t left;
  Py_BEGIN_ALLOW_THREADS
  left = lfb_versions_reclaim(lfbpy_holder_read(self));
  Py_END_ALLOW_THREADS
  return PyLong_FromUnsignedLongLong(left);
}

static PyObject *versions_number(PyObject *self, void *closure)
{
  (void)closure;
  return PyLong_FromUnsignedLongLong(lfb_versions_number(lfbpy_holder_read(self)));
}

static int versions_contains(PyObject *self, PyObject *key)
{
  return lfbpy_truth(versions_might_contain(self, key));
}

static PyMethodDef versions_methods[] = {
    {"of", versions_of, METH_O | METH_CLASS,
     "of($type, filter, /)\n--\n\nMakes Versions with a copy of a Filter as the first version."},
    {"put", versions_put, METH_O,
     "put($self, key, /)\n--\n\n"
     "Puts a key into the current version, into the one that is being built and into the previous "
     "one."},
    {"might_contain", versions_might_contain, METH_O,
     "might_contain($self, key, /)\n--\n\n"
     "Returns whether the key may be present in the current version; False is certain."},
    {"put_many", LFBPY_KEYWORDS(versions_put_many), METH_VARARGS | METH_KEYWORDS,
     "put_many($self, keys, offsets=None, *, answers=False)\n--\n\n" LFBPY_PUT_MANY_DOC},
    {"might_contain_many", LFBPY_KEYWORDS(versions_might_contain_many),
     METH_VARARGS | METH_KEYWORDS,
     "might_contain_many($self, keys, offsets=None, *, answers=True)\n--\n\n" LFBPY_QUERY_MANY_DOC},
    {"section", lfbpy_section_of, METH_NOARGS,
     "section($self)\n--\n\n"
     "Returns a Section: a context manager in which the current version stays the same."},
    {"rebuild", LFBPY_KEYWORDS(lfbpy_building_begin), METH_VARARGS | METH_KEYWORDS,
     "rebuild($self, " LFBPY_CONFIG_SIGNATURE ")\n--\n\n"
     "Begins a new version: returns a Building, an empty filter to fill.  Waits until the sections "
     "in\nprogress have been left."},
    {"rebuild_of", lfbpy_building_begin_of, METH_O,
     "rebuild_of($self, filter, /)\n--\n\n"
     "The same with a copy of a Filter instead of an empty one."},
    {"rollback", versions_rollback, METH_NOARGS,
     "rollback($self)\n--\n\n"
     "Makes the previous version the current one again, if it was kept.  Returns its new number."},
    {"drop_previous", versions_drop_previous, METH_NOARGS,
     "drop_previous($self)\n--\n\nDrops the previous version."},
    {"reclaim", versions_reclaim, METH_NOARGS,
     "reclaim($self)\n--\n\n"
     "Frees dropped versions that no section can use.  Returns how many still wait for a section."},
    {"__reduce__", lfbpy_reduce, METH_NOARGS,
     "__reduce__($self)\n--\n\nRaises TypeError: use save()."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef versions_getset[] = {
    {"number", versions_number, NULL, "The number of the current version.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot versions_slots[] = {
    {Py_tp_doc,
     "Versions(" LFBPY_CONFIG_SIGNATURE ")\n--\n\n"
     "A filter that is replaced while threads use it: queries use the current version while the\n"
     "next one is being filled.\n\n"
     ">>> import lfbloom\n"
     ">>> blocked = lfbloom.Versions(1000, 0.001)\n"
     ">>> blocked.put('old')\n"
     "True\n"
     ">>> with blocked.rebuild(2000, 0.001) as building:   # publishes at its end\n"
     "...     building.put_many(['new', 'newer'])\n"
     "2\n"
     ">>> 'old' in blocked, 'new' in blocked, blocked.number\n"
     "(False, True, 2)\n"
     ">>> with blocked.section() as version:\n"
     "...     version.number, 'new' in version\n"
     "(2, True)\n"},
    {Py_tp_new, (void *)(intptr_t)versions_new},
    {Py_tp_dealloc, (void *)(intptr_t)versions_dealloc},
    {Py_sq_contains, (void *)(intptr_t)versions_contains},
    {Py_tp_methods, versions_methods},
    {Py_tp_getset, versions_getset},
    {0, NULL},
};

PyType_Spec lfbpy_versions_spec = {"lfbloom.Versions", sizeof(lfbpy_holder), 0, Py_TPFLAGS_DEFAULT,
                                   versions_slots};
