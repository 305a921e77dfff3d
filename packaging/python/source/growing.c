/* growing.c - the class Growing: lfbloom/growing.h and lfbloom/growing_mapped.h. */
#include <lfbloom/any.h>
#include <lfbloom/growing.h>
#include <lfbloom/growing_mapped.h>

#include "packaging/python/source/classes.h"
#include "packaging/python/source/error.h"
#include "packaging/python/source/figures.h"
#include "packaging/python/source/holder.h"
#include "packaging/python/source/key.h"
#include "packaging/python/source/many.h"

/* Passes a result of put or claim on.  If the filter is full and cannot grow, a False in it may be
 * wrong: raises FullError instead, unless answers are preferred. */
static PyObject *growing_end(PyObject *self, PyObject *result)
{
  const lfbpy_holder *holder = (lfbpy_holder *)self;
  if (result == Py_True || holder->answers_when_full)
    return result;
  const lfbpy_outcome outcome = LFBPY_OUTCOME(lfb_growing_stuck(holder->object));
  if (outcome.status == LFB_OK)
    return result;
  return lfbpy_raise_full(outcome, result);
}

#define VERB_KIND LFB_KIND_GROWING

#define VERB_ONE growing_put
#define VERB_MANY growing_put_many
#define VERB_KEYS growing_put_many_keys
#define VERB_NUMBERS growing_put_many_numbers
#define VERB_ENTER lfbpy_holder_write
#define VERB_TYPE lfb_growing
#define VERB_CALL(suffix) lfb_growing_put##suffix
#define VERB_VERB LFB_PUT
#define VERB_END growing_end
#define VERB_ARGUMENTS "O|O$O:put_many"
#define VERB_ANSWERS false
#include "packaging/python/source/verb.inc.h"

#define VERB_ONE growing_claim
#define VERB_MANY growing_claim_many
#define VERB_KEYS growing_claim_many_keys
#define VERB_NUMBERS growing_claim_many_numbers
#define VERB_ENTER lfbpy_holder_write
#define VERB_TYPE lfb_growing
#define VERB_CALL(suffix) lfb_growing_claim##suffix
#define VERB_VERB LFB_CLAIM
#define VERB_END growing_end
#define VERB_ARGUMENTS "O|O$O:claim_many"
#define VERB_ANSWERS true
#include "packaging/python/source/verb.inc.h"

#define VERB_ONE growing_might_contain
#define VERB_MANY growing_might_contain_many
#define VERB_KEYS growing_might_contain_many_keys
#define VERB_NUMBERS growing_might_contain_many_numbers
#define VERB_ENTER lfbpy_holder_read
#define VERB_TYPE lfb_growing
#define VERB_CALL(suffix) lfb_growing_might_contain##suffix
#define VERB_VERB LFB_MIGHT_CONTAIN
#define VERB_ARGUMENTS "O|O$O:might_contain_many"
#define VERB_ANSWERS true
#include "packaging/python/source/verb.inc.h"

/* ---- making --------------------------------------------------------------------------------- */

static void growing_free(void *object)
{
  lfb_growing_free(object);
}

/* Sets a new filter's label, or frees it. */
static lfb_status growing_labelled(lfb_status status, const char *label, lfb_growing *growing)
{
  if (status != LFB_OK || label == NULL)
    return status;
  const lfb_status set = lfb_any_set_label((lfb_any){LFB_KIND_GROWING, {growing}}, label);
  if (set != LFB_OK)
    lfb_growing_free(growing);
  return set;
}

/* Makes a filter, in a new file if there is a path. */
static lfb_status growing_make(const lfbpy_config *config, const char *path, lfb_growing **growing)
{
  lfb_status status = lfb_label_check(config->label);
  if (status != LFB_OK)
    return status;
  status = path == NULL ? lfb_growing_create(&config->config, growing)
                        : lfb_growing_mapped_create(path, &config->config, growing);
  return growing_labelled(status, config->label, *growing);
}

static PyObject *growing_create(PyTypeObject *type, const lfbpy_config *config)
{
  const char *path = config->path == NULL ? NULL : PyBytes_AsString(config->path);
  lfb_growing *growing = NULL;
  lfbpy_outcome outcome;

  Py_BEGIN_ALLOW_THREADS
  outcome = LFBPY_OUTCOME(growing_make(config, path, &growing));
  Py_END_ALLOW_THREADS
  return outcome.status == LFB_OK ? lfbpy_holder_new(type, growing, growing_free)
                                  : lfbpy_raise(outcome, config->path);
}

static PyObject *growing_make_of(PyTypeObject *type, PyObject *args, PyObject *kwargs,
                                 bool with_path)
{
  lfbpy_config config = {0};
  PyObject *self = NULL;
  if (lfbpy_config_parse_growing(args, kwargs, with_path, &config))
    self = growing_create(type, &config);
  lfbpy_config_close(&config);
  return self;
}

static PyObject *growing_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
  return growing_make_of(type, args, kwargs, false);
}

static PyObject *growing_create_mapped(PyObject *type, PyObject *args, PyObject *kwargs)
{
  return growing_make_of((PyTypeObject *)type, args, kwargs, true);
}

/* Opens a file in place. */
static PyObject *growing_open_source(PyTypeObject *type, const lfbpy_source *source)
{
  const lfb_opening how = source->read_only ? LFB_OPEN_IN_PLACE : LFB_OPEN_SHARED;
  const lfb_read_limits limits = lfbpy_source_limits(source);
  const char *path = PyBytes_AsString(source->path);
  lfbpy_outcome outcome;
  lfb_form form;
  lfb_any any = {.kind = LFB_KIND_NONE};

  Py_BEGIN_ALLOW_THREADS
  /* not a copy of a saved one */
  outcome = LFBPY_OUTCOME(lfb_form_of_file(path, &form) == LFB_ERROR_GROWING
                              ? LFB_ERROR_NOT_MAPPED
                              : lfb_any_open(path, LFB_KIND_GROWING, how, &limits, &any));
  Py_END_ALLOW_THREADS
  if (outcome.status != LFB_OK)
    return lfbpy_raise(outcome, source->path);
  PyObject *self = lfbpy_holder_new(type, any.growing, growing_free);
  if (self != NULL)
    ((lfbpy_holder *)self)->read_only = source->read_only;
  return self;
}

static PyObject *growing_open(PyObject *type, PyObject *args, PyObject *kwargs)
{
  lfbpy_source source = {0};
  PyObject *self = NULL;
  if (lfbpy_source_parse_mapped(args, kwargs, &source))
    self = growing_open_source((PyTypeObject *)type, &source);
  lfbpy_source_close(&source);
  return self;
}

static void growing_dealloc(PyObject *self)
{
  lfb_growing_free(lfbpy_holder_read(self));
  lfbpy_instance_free(self);
}

/* ---- files and bytes ------------------------------------------------------------------------- */

static PyObject *growing_load(PyObject *type, PyObject *args, PyObject *kwargs)
{
  return lfbpy_holder_load(type, args, kwargs, LFB_KIND_GROWING);
}

static PyObject *growing_from_bytes(PyObject *type, PyObject *args, PyObject *kwargs)
{
  return lfbpy_holder_from_bytes(type, args, kwargs, LFB_KIND_GROWING);
}

static PyObject *growing_save(PyObject *self, PyObject *path)
{
  return lfbpy_holder_save(self, path, LFB_KIND_GROWING, LFB_FORM_NONE);
}

static PyObject *growing_to_bytes(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  return lfbpy_holder_to_bytes(self, LFB_KIND_GROWING, LFB_FORM_NONE);
}

static PyObject *growing_sync(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  lfbpy_outcome outcome;
  Py_BEGIN_ALLOW_THREADS
  outcome = LFBPY_OUTCOME(lfb_any_sync(LFBPY_ANY(self, LFB_KIND_GROWING)));
  Py_END_ALLOW_THREADS
  return lfbpy_none_or_raise(outcome, NULL);
}

static PyObject *growing_read_only(PyObject *self, void *closure)
{
  (void)closure;
  return PyBool_FromLong(((lfbpy_holder *)self)->read_only);
}

static PyObject *growing_copy(PyObject *self, PyObject *args, PyObject *kwargs)
{
  const char *label;
  lfb_any copy = {0};
  lfb_status status;
  if (!lfbpy_label_parse(args, kwargs, &label))
    return NULL;
  Py_BEGIN_ALLOW_THREADS
  status = lfb_any_copy(LFBPY_ANY(self, LFB_KIND_GROWING), &copy);
  status = growing_labelled(status, label, copy.growing);
  Py_END_ALLOW_THREADS
  return status == LFB_OK ? lfbpy_holder_new(Py_TYPE(self), copy.growing, growing_free)
                          : lfbpy_raise((lfbpy_outcome){status, 0}, NULL);
}

static void growing_plain_free(void *object)
{
  lfb_filter_free(object);
}

static PyObject *growing_to_filter(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  lfb_filter *filter = NULL;
  lfb_status status;
  Py_BEGIN_ALLOW_THREADS
  status = lfb_any_to_plain(LFBPY_ANY(self, LFB_KIND_GROWING), &filter);
  Py_END_ALLOW_THREADS
  return status == LFB_OK ? lfbpy_holder_named("Filter", filter, growing_plain_free)
                          : lfbpy_raise((lfbpy_outcome){status, 0}, NULL);
}

/* ---- figures --------------------------------------------------------------------------------- */

static lfb_growing_figures growing_figures(PyObject *self)
{
  lfb_growing_figures stats = {0};
  Py_BEGIN_ALLOW_THREADS
  lfb_growing_stats(lfbpy_holder_read(self), &stats);
  Py_END_ALLOW_THREADS
  return stats;
}

static PyObject *growing_stats(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  const lfb_growing_figures stats = growing_figures(self);
  return lfbpy_figures_growing(&stats);
}

static Py_ssize_t growing_length(PyObject *self)
{
  return lfbpy_figures_length(growing_figures(self).approximate_count);
}

/* False for an empty filter, as for other containers.  Python would take len(), which a saturated
 * filter does not have. */
static int growing_truth(PyObject *self)
{
  return growing_figures(self).approximate_count != 0;
}

static PyObject *growing_sizeof(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  return PyLong_FromUnsignedLongLong(sizeof(lfbpy_holder) + growing_figures(self).bytes);
}

static PyObject *growing_label(PyObject *self, void *closure)
{
  (void)closure;
  return PyUnicode_FromString(lfb_any_label(LFBPY_ANY(self, LFB_KIND_GROWING)));
}

static int growing_contains(PyObject *self, PyObject *key)
{
  return lfbpy_truth(growing_might_contain(self, key));
}

static PyMethodDef growing_methods[] = {
    {"create", LFBPY_KEYWORDS(growing_create_mapped), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "create($type, path, " LFBPY_CONFIG_GROWING_SIGNATURE ", file_mode=0)\n--\n\n"
     "Makes an empty filter in a new file, which any number of processes share.\n"
     "Arguments: as Growing()."},
    {"open", LFBPY_KEYWORDS(growing_open), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "open($type, path, *, read_only=False, max_bytes=0, key=None)\n--\n\n"
     "Opens a file that create() made."},
    {"load", LFBPY_KEYWORDS(growing_load), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "load($type, path, *, max_bytes=0, key=None, open_damaged=False)\n--\n\n"
     "Reads what save() wrote.  Arguments: as Filter.load()."},
    {"from_bytes", LFBPY_KEYWORDS(growing_from_bytes), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "from_bytes($type, data, *, max_bytes=0, key=None, open_damaged=False)\n--\n\n"
     "Reads what to_bytes() returned.  Arguments: as Filter.load()."},
    {"save", growing_save, METH_O,
     "save($self, path, /)\n--\n\nWrites it to a file, atomically and durably."},
    {"to_bytes", growing_to_bytes, METH_NOARGS,
     "to_bytes($self)\n--\n\n"
     "Returns what save() would write.  It may hold the secret key of the hash."},
    {"put", growing_put, METH_O,
     "put($self, key, /)\n--\n\nPuts a key, as Filter.put()."},
    {"claim", growing_claim, METH_O,
     "claim($self, key, /)\n--\n\nClaims a key, as Filter.claim()."},
    {"might_contain", growing_might_contain, METH_O,
     "might_contain($self, key, /)\n--\n\n"
     "Returns whether the key may be present; False is certain."},
    {"put_many", LFBPY_KEYWORDS(growing_put_many), METH_VARARGS | METH_KEYWORDS,
     "put_many($self, keys, offsets=None, *, answers=False)\n--\n\n" LFBPY_PUT_MANY_DOC},
    {"claim_many", LFBPY_KEYWORDS(growing_claim_many), METH_VARARGS | METH_KEYWORDS,
     "claim_many($self, keys, offsets=None, *, answers=True)\n--\n\n"
     "Claims many keys, without the GIL.  Returns the answers of claim().\n\n" LFBPY_MANY_DOC},
    {"might_contain_many", LFBPY_KEYWORDS(growing_might_contain_many), METH_VARARGS | METH_KEYWORDS,
     "might_contain_many($self, keys, offsets=None, *, answers=True)\n--\n\n" LFBPY_QUERY_MANY_DOC},
    {"copy", LFBPY_KEYWORDS(growing_copy), METH_VARARGS | METH_KEYWORDS,
     "copy($self, *, label=None)\n--\n\nReturns a copy, with its own label if one is given."},
    {"to_filter", growing_to_filter, METH_NOARGS,
     "to_filter($self)\n--\n\n"
     "Returns a plain Filter of the size of the first layer, with all keys."},
    {"sync", growing_sync, METH_NOARGS,
     "sync($self)\n--\n\nMakes durable all that was put into a mapped filter before the call."},
    {"stats", growing_stats, METH_NOARGS,
     "stats($self)\n--\n\n"
     "Returns the figures, a dict: see lfb_growing_figures in lfbloom/growing.h."},
    {"__sizeof__", growing_sizeof, METH_NOARGS,
     "__sizeof__($self)\n--\n\nReturns the size in bytes."},
    {"__reduce__", lfbpy_reduce, METH_NOARGS,
     "__reduce__($self)\n--\n\nRaises TypeError: use save()."},
    {NULL, NULL, 0, NULL},
};

static PyObject *growing_raises(PyObject *self, void *closure)
{
  (void)closure;
  return PyBool_FromLong(!((lfbpy_holder *)self)->answers_when_full);
}

static int growing_set_raises(PyObject *self, PyObject *value, void *closure)
{
  (void)closure;
  const int raises = value == NULL ? 1 : PyObject_IsTrue(value);
  if (raises >= 0)
    ((lfbpy_holder *)self)->answers_when_full = raises == 0;
  return raises < 0 ? -1 : 0;
}

static PyGetSetDef growing_getset[] = {
    {"raises_when_full", growing_raises, growing_set_raises,
     "Whether put and claim raise FullError if no layer can be added (default: True).", NULL},
    {"label", growing_label, NULL, "A text for the caller's own use.", NULL},
    {"read_only", growing_read_only, NULL, "Whether the filter was opened read-only.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot growing_slots[] = {
    {Py_tp_doc,
     "Growing(" LFBPY_CONFIG_GROWING_SIGNATURE ")\n--\n\n"
     "A Bloom filter that grows, for an unknown number of keys.\n\n"
     "fpp must be given.  expected_insertions is a first guess; 0: unknown, and\n"
     "64 KiB to begin with.\n\n"
     ">>> import lfbloom\n"
     ">>> seen = lfbloom.Growing(1000, 0.001)\n"
     ">>> _ = seen.put_many(range(100_000))\n"
     ">>> seen.stats()['layers'] > 1 and all(seen.might_contain_many(range(100_000)))\n"
     "True\n"},
    {Py_tp_new, (void *)(intptr_t)growing_new},
    {Py_tp_dealloc, (void *)(intptr_t)growing_dealloc},
    {Py_sq_contains, (void *)(intptr_t)growing_contains},
    {Py_sq_length, (void *)(intptr_t)growing_length},
    {Py_nb_bool, (void *)(intptr_t)growing_truth},
    {Py_tp_methods, growing_methods},
    {Py_tp_getset, growing_getset},
    {0, NULL},
};

PyType_Spec lfbpy_growing_spec = {"lfbloom.Growing", sizeof(lfbpy_holder), 0, Py_TPFLAGS_DEFAULT,
                                  growing_slots};
