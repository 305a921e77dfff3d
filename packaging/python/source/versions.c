/*
 * versions.c - the class Versions: lfbloom/versions.h.  Its read-side section is in section.c, the
 * version that is being built in building.c.
 */
#include <lfbloom/versions.h>

#include "packaging/python/source/classes.h"
#include "packaging/python/source/config.h"
#include "packaging/python/source/error.h"

/* ---- making --------------------------------------------------------------------------------- */

/* Makes a handle that owns the filter, or frees it; NULL: there is none. */
static PyObject *versions_with(PyTypeObject *type, lfb_filter *filter)
{
  lfb_versions *versions = NULL;
  if (filter == NULL)
    return NULL;
  const lfb_status status = lfb_versions_create_with(filter, &versions);
  if (status != LFB_OK) {
    lfb_filter_free(filter);
    return lfbpy_raise_status(status);
  }
  PyObject *self = lfbpy_holder_new(type, (lfb_any){LFB_KIND_NONE, {versions}});
  if (self == NULL)
    lfb_versions_free(versions);
  return self;
}

static PyObject *versions_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
  return versions_with(type, lfbpy_building_make(args, kwargs));
}

static PyObject *versions_of(PyObject *type, PyObject *other)
{
  return versions_with((PyTypeObject *)type, lfbpy_building_copy(other));
}

static void versions_end(PyObject *self)
{
  lfb_versions_free(lfbpy_object(self));
}

/* ---- for the administrator ------------------------------------------------------------------- */

static PyObject *versions_rollback(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  uint64_t number = 0;
  lfb_status status;
  LFBPY_WITHOUT_GIL(status = lfb_versions_rollback(lfbpy_object(self), &number));
  return status == LFB_OK ? PyLong_FromUnsignedLongLong(number) : lfbpy_raise_status(status);
}

static PyObject *versions_drop_previous(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  lfb_status status;
  LFBPY_WITHOUT_GIL(status = lfb_versions_drop_previous(lfbpy_object(self)));
  return lfbpy_none_or_raise_status(status);
}

static PyObject *versions_reclaim(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  uint64_t left;
  LFBPY_WITHOUT_GIL(left = lfb_versions_reclaim(lfbpy_object(self)));
  return PyLong_FromUnsignedLongLong(left);
}

static PyObject *versions_number(PyObject *self, void *closure)
{
  (void)closure;
  return PyLong_FromUnsignedLongLong(lfb_versions_number(lfbpy_object(self)));
}

lfbpy_class lfbpy_versions_class = {
    .name = "lfbloom.Versions",
    .doc =
        "Versions(" LFBPY_CONFIG_SIGNATURE ")\n--\n\n"
        "A filter that is replaced while threads use it: queries use the current version while "
        "the\n"
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
        "(2, True)\n",
    .size = sizeof(lfbpy_holder),
    .what = LFBPY_VERSIONS,
    .make = versions_new,
    .end = versions_end,
    .getset = {
        {"number", versions_number, NULL, "The number of the current version.", NULL},
    },
    .methods = {
        {"of", versions_of, METH_O | METH_CLASS,
         "of($type, filter, /)\n--\n\nMakes Versions with a copy of a Filter as the first "
         "version."},
        {"put", lfbpy_put, METH_O,
         "put($self, key, /)\n--\n\n"
         "Puts a key into the current version, into the one that is being built and into the "
         "previous one."},
        {"might_contain", lfbpy_might_contain, METH_O,
         "might_contain($self, key, /)\n--\n\n"
         "Returns whether the key may be present in the current version; False is certain."},
        LFBPY_PUT_MANY(""),
        LFBPY_QUERY_MANY(""),
        {"section", lfbpy_section_of, METH_NOARGS,
         "section($self)\n--\n\n"
         "Returns a Section: a context manager in which the current version stays the same."},
        LFBPY_KEYWORDS("rebuild", lfbpy_building_begin,
                       "rebuild($self, " LFBPY_CONFIG_SIGNATURE ")\n--\n\n"
                       "Begins a new version: returns a Building, an empty filter to fill.  Waits "
                       "until the sections in\nprogress have been left."),
        {"rebuild_of", lfbpy_building_begin_of, METH_O,
         "rebuild_of($self, filter, /)\n--\n\n"
         "The same with a copy of a Filter instead of an empty one."},
        {"rollback", versions_rollback, METH_NOARGS,
         "rollback($self)\n--\n\n"
         "Makes the previous version the current one again, if it was kept.  Returns its new "
         "number."},
        {"drop_previous", versions_drop_previous, METH_NOARGS,
         "drop_previous($self)\n--\n\nDrops the previous version."},
        {"reclaim", versions_reclaim, METH_NOARGS,
         "reclaim($self)\n--\n\n"
         "Frees dropped versions that no section can use.  Returns how many still wait for a "
         "section."},
        LFBPY_REDUCE,
    },
};
