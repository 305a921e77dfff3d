/* counting.c - the class Counting: lfbloom/counting.h. */
#include <lfbloom/any.h>
#include <lfbloom/counting.h>

#include "packaging/python/source/classes.h"
#include "packaging/python/source/error.h"
#include "packaging/python/source/figures.h"
#include "packaging/python/source/holder.h"
#include "packaging/python/source/key.h"
#include "packaging/python/source/many.h"

#define VERB_KIND LFB_KIND_COUNTING

#define VERB_ONE counting_put
#define VERB_MANY counting_put_many
#define VERB_KEYS counting_put_many_keys
#define VERB_NUMBERS counting_put_many_numbers
#define VERB_ENTER lfbpy_holder_write
#define VERB_TYPE lfb_counting
#define VERB_CALL(suffix) lfb_counting_put##suffix
#define VERB_VERB LFB_PUT
#define VERB_ARGUMENTS "O|O$O:put_many"
#define VERB_ANSWERS false
#include "packaging/python/source/verb.inc.h"

#define VERB_ONE counting_remove
#define VERB_MANY counting_remove_many
#define VERB_KEYS counting_remove_many_keys
#define VERB_NUMBERS counting_remove_many_numbers
#define VERB_ENTER lfbpy_holder_write
#define VERB_TYPE lfb_counting
#define VERB_CALL(suffix) lfb_counting_remove##suffix
#define VERB_VERB LFB_REMOVE
#define VERB_ARGUMENTS "O|O$O:remove_many"
#define VERB_ANSWERS true
#include "packaging/python/source/verb.inc.h"

#define VERB_ONE counting_might_contain
#define VERB_MANY counting_might_contain_many
#define VERB_KEYS counting_might_contain_many_keys
#define VERB_NUMBERS counting_might_contain_many_numbers
#define VERB_ENTER lfbpy_holder_read
#define VERB_TYPE lfb_counting
#define VERB_CALL(suffix) lfb_counting_might_contain##suffix
#define VERB_VERB LFB_MIGHT_CONTAIN
#define VERB_ARGUMENTS "O|O$O:might_contain_many"
#define VERB_ANSWERS true
#include "packaging/python/source/verb.inc.h"

/* ---- making --------------------------------------------------------------------------------- */

static void counting_free(void *object)
{
  lfb_counting_free(object);
}

/* Sets a new filter's label, or frees it. */
static lfb_status counting_labelled(lfb_status status, const char *label, lfb_counting *counting)
{
  if (status != LFB_OK || label == NULL)
    return status;
  const lfb_status set = lfb_any_set_label((lfb_any){LFB_KIND_COUNTING, {counting}}, label);
  if (set != LFB_OK)
    lfb_counting_free(counting);
  return set;
}

static lfb_status counting_make(const lfbpy_config *config, const char *path,
                                lfb_counting **counting)
{
  (void)path;
  const lfb_status status = lfb_counting_create(&config->config, counting);
  return counting_labelled(status, config->label, *counting);
}

static PyObject *counting_create(PyTypeObject *type, const lfbpy_config *config)
{
  const char *path = config->path == NULL ? NULL : PyBytes_AsString(config->path);
  lfb_counting *counting = NULL;
  lfbpy_outcome outcome;

  Py_BEGIN_ALLOW_THREADS
  outcome = LFBPY_OUTCOME(counting_make(config, path, &counting));
  Py_END_ALLOW_THREADS
  return outcome.status == LFB_OK ? lfbpy_holder_new(type, counting, counting_free)
                                  : lfbpy_raise(outcome, config->path);
}

static PyObject *counting_make_of(PyTypeObject *type, PyObject *args, PyObject *kwargs,
                                  bool with_path)
{
  lfbpy_config config = {0};
  PyObject *self = NULL;
  if (lfbpy_config_parse(args, kwargs, with_path, &config))
    self = counting_create(type, &config);
  lfbpy_config_close(&config);
  return self;
}

static PyObject *counting_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
  return counting_make_of(type, args, kwargs, false);
}

static void counting_dealloc(PyObject *self)
{
  lfb_counting_free(lfbpy_holder_read(self));
  lfbpy_instance_free(self);
}

/* ---- files and bytes ------------------------------------------------------------------------- */

static PyObject *counting_load(PyObject *type, PyObject *args, PyObject *kwargs)
{
  return lfbpy_holder_load(type, args, kwargs, LFB_KIND_COUNTING);
}

static PyObject *counting_from_bytes(PyObject *type, PyObject *args, PyObject *kwargs)
{
  return lfbpy_holder_from_bytes(type, args, kwargs, LFB_KIND_COUNTING);
}

static PyObject *counting_save(PyObject *self, PyObject *path)
{
  return lfbpy_holder_save(self, path, LFB_KIND_COUNTING, LFB_FORM_NONE);
}

static PyObject *counting_to_bytes(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  return lfbpy_holder_to_bytes(self, LFB_KIND_COUNTING, LFB_FORM_NONE);
}

static PyObject *counting_put_all(PyObject *self, PyObject *other)
{
  lfb_counting *into = lfbpy_holder_read(self);
  const lfb_counting *from = lfbpy_holder_of(other, "Counting");
  if (from == NULL)
    return NULL;
  lfb_status status;
  Py_BEGIN_ALLOW_THREADS
  status = lfb_counting_put_all(into, from);
  Py_END_ALLOW_THREADS
  return lfbpy_none_or_raise((lfbpy_outcome){status, 0}, NULL);
}

static PyObject *counting_copy(PyObject *self, PyObject *args, PyObject *kwargs)
{
  const char *label;
  lfb_any copy = {0};
  lfb_status status;
  if (!lfbpy_label_parse(args, kwargs, &label))
    return NULL;
  Py_BEGIN_ALLOW_THREADS
  status = lfb_any_copy(LFBPY_ANY(self, LFB_KIND_COUNTING), &copy);
  status = counting_labelled(status, label, copy.counting);
  Py_END_ALLOW_THREADS
  return status == LFB_OK ? lfbpy_holder_new(Py_TYPE(self), copy.counting, counting_free)
                          : lfbpy_raise((lfbpy_outcome){status, 0}, NULL);
}

static void counting_plain_free(void *object)
{
  lfb_filter_free(object);
}

static PyObject *counting_to_filter(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  lfb_filter *filter = NULL;
  lfb_status status;
  Py_BEGIN_ALLOW_THREADS
  status = lfb_any_to_plain(LFBPY_ANY(self, LFB_KIND_COUNTING), &filter);
  Py_END_ALLOW_THREADS
  return status == LFB_OK ? lfbpy_holder_named("Filter", filter, counting_plain_free)
                          : lfbpy_raise((lfbpy_outcome){status, 0}, NULL);
}

/* ---- figures --------------------------------------------------------------------------------- */

static lfb_stats counting_figures(PyObject *self)
{
  lfb_stats stats = {0};
  Py_BEGIN_ALLOW_THREADS
  lfb_counting_stats(lfbpy_holder_read(self), &stats);
  Py_END_ALLOW_THREADS
  return stats;
}

static PyObject *counting_stats(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  const lfb_stats stats = counting_figures(self);
  return lfbpy_figures_filter(&stats);
}

static Py_ssize_t counting_length(PyObject *self)
{
  return lfbpy_figures_length(counting_figures(self).approximate_count);
}

/* False for an empty filter, as for other containers.  Python would take len(), which a saturated
 * filter does not have. */
static int counting_truth(PyObject *self)
{
  return counting_figures(self).approximate_count != 0;
}

static PyObject *counting_sizeof(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  return PyLong_FromUnsignedLongLong(sizeof(lfbpy_holder) + counting_figures(self).bytes);
}

static PyObject *counting_label(PyObject *self, void *closure)
{
  (void)closure;
  return PyUnicode_FromString(lfb_any_label(LFBPY_ANY(self, LFB_KIND_COUNTING)));
}

static int counting_contains(PyObject *self, PyObject *key)
{
  return lfbpy_truth(counting_might_contain(self, key));
}

static PyMethodDef counting_methods[] = {
    {"load", LFBPY_KEYWORDS(counting_load), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "load($type, path, *, max_bytes=0, key=None, open_damaged=False)\n--\n\n"
     "Reads what save() wrote.  Arguments: as Filter.load()."},
    {"from_bytes", LFBPY_KEYWORDS(counting_from_bytes), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "from_bytes($type, data, *, max_bytes=0, key=None, open_damaged=False)\n--\n\n"
     "Reads what to_bytes() returned.  Arguments: as Filter.load()."},
    {"save", counting_save, METH_O,
     "save($self, path, /)\n--\n\nWrites it to a file, atomically and durably."},
    {"to_bytes", counting_to_bytes, METH_NOARGS,
     "to_bytes($self)\n--\n\n"
     "Returns what save() would write.  It may hold the secret key of the hash."},
    {"put", counting_put, METH_O,
     "put($self, key, /)\n--\n\n"
     "Puts a key once more.  Returns whether a counter was 0 before."},
    {"remove", counting_remove, METH_O,
     "remove($self, key, /)\n--\n\n"
     "Takes back one put of a key.  Returns whether it did: False means that the key was absent.\n"
     "Remove a key at most as often as it was put, or other keys are lost."},
    {"might_contain", counting_might_contain, METH_O,
     "might_contain($self, key, /)\n--\n\n"
     "Returns whether the key may be present; False is certain."},
    {"put_many", LFBPY_KEYWORDS(counting_put_many), METH_VARARGS | METH_KEYWORDS,
     "put_many($self, keys, offsets=None, *, answers=False)\n--\n\n" LFBPY_PUT_MANY_DOC},
    {"remove_many", LFBPY_KEYWORDS(counting_remove_many), METH_VARARGS | METH_KEYWORDS,
     "remove_many($self, keys, offsets=None, *, answers=True)\n--\n\n"
     "Removes many keys, without the GIL.  Returns the answers of remove().\n\n" LFBPY_MANY_DOC},
    {"might_contain_many", LFBPY_KEYWORDS(counting_might_contain_many),
     METH_VARARGS | METH_KEYWORDS,
     "might_contain_many($self, keys, offsets=None, *, answers=True)\n--\n\n" LFBPY_QUERY_MANY_DOC},
    {"put_all", counting_put_all, METH_O,
     "put_all($self, other, /)\n--\n\nAdds the counts of another Counting to this one."},
    {"copy", LFBPY_KEYWORDS(counting_copy), METH_VARARGS | METH_KEYWORDS,
     "copy($self, *, label=None)\n--\n\nReturns a copy, with its own label if one is given."},
    {"to_filter", counting_to_filter, METH_NOARGS,
     "to_filter($self)\n--\n\n"
     "Returns a plain Filter of the keys that are present."},
    {"stats", counting_stats, METH_NOARGS,
     "stats($self)\n--\n\nReturns the figures, a dict: see lfb_stats in lfbloom/filter.h."},
    {"__sizeof__", counting_sizeof, METH_NOARGS,
     "__sizeof__($self)\n--\n\nReturns the size in bytes."},
    {"__reduce__", lfbpy_reduce, METH_NOARGS,
     "__reduce__($self)\n--\n\nRaises TypeError: use save()."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef counting_getset[] = {
    {"label", counting_label, NULL, "A text for the caller's own use.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot counting_slots[] = {
    {Py_tp_doc,
     "Counting(" LFBPY_CONFIG_SIGNATURE ")\n--\n\n"
     "A Bloom filter from which keys can be removed; it takes four times the memory.\n\n"
     ">>> import lfbloom\n"
     ">>> open_files = lfbloom.Counting(1000, 0.001)\n"
     ">>> open_files.put('a.txt'), open_files.remove('a.txt'), 'a.txt' in open_files\n"
     "(True, True, False)\n"},
    {Py_tp_new, (void *)(intptr_t)counting_new},
    {Py_tp_dealloc, (void *)(intptr_t)counting_dealloc},
    {Py_sq_contains, (void *)(intptr_t)counting_contains},
    {Py_sq_length, (void *)(intptr_t)counting_length},
    {Py_nb_bool, (void *)(intptr_t)counting_truth},
    {Py_tp_methods, counting_methods},
    {Py_tp_getset, counting_getset},
    {0, NULL},
};

PyType_Spec lfbpy_counting_spec = {"lfbloom.Counting", sizeof(lfbpy_holder), 0, Py_TPFLAGS_DEFAULT,
                                   counting_slots};
