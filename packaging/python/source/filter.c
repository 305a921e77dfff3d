/* filter.c - the class Filter: lfbloom/filter.h and lfbloom/mapped.h. */
#include <lfbloom/any.h>
#include <lfbloom/filter_more.h>
#include <lfbloom/mapped.h>

#include "packaging/python/source/classes.h"
#include "packaging/python/source/error.h"
#include "packaging/python/source/figures.h"
#include "packaging/python/source/holder.h"
#include "packaging/python/source/key.h"
#include "packaging/python/source/many.h"

#define VERB_KIND LFB_KIND_PLAIN

#define VERB_ONE filter_put
#define VERB_MANY filter_put_many
#define VERB_KEYS filter_put_many_keys
#define VERB_NUMBERS filter_put_many_numbers
#define VERB_ENTER lfbpy_holder_write
#define VERB_TYPE lfb_filter
#define VERB_CALL(suffix) lfb_filter_put##suffix
#define VERB_VERB LFB_PUT
#define VERB_ARGUMENTS "O|O$O:put_many"
#define VERB_ANSWERS false
#include "packaging/python/source/verb.inc.h"

#define VERB_ONE filter_claim
#define VERB_MANY filter_claim_many
#define VERB_KEYS filter_claim_many_keys
#define VERB_NUMBERS filter_claim_many_numbers
#define VERB_ENTER lfbpy_holder_write
#define VERB_TYPE lfb_filter
#define VERB_CALL(suffix) lfb_filter_claim##suffix
#define VERB_VERB LFB_CLAIM
#define VERB_ARGUMENTS "O|O$O:claim_many"
#define VERB_ANSWERS true
#include "packaging/python/source/verb.inc.h"

#define VERB_ONE filter_might_contain
#define VERB_MANY filter_might_contain_many
#define VERB_KEYS filter_might_contain_many_keys
#define VERB_NUMBERS filter_might_contain_many_numbers
#define VERB_ENTER lfbpy_holder_read
#define VERB_TYPE lfb_filter
#define VERB_CALL(suffix) lfb_filter_might_contain##suffix
#define VERB_VERB LFB_MIGHT_CONTAIN
#define VERB_ARGUMENTS "O|O$O:might_contain_many"
#define VERB_ANSWERS true
#include "packaging/python/source/verb.inc.h"

/* ---- making --------------------------------------------------------------------------------- */

static void filter_free(void *object)
{
  lfb_filter_free(object);
}

/* Sets a new filter's label, or frees it. */
static lfb_status filter_labelled(lfb_status status, const char *label, lfb_filter *filter)
{
  if (status != LFB_OK || label == NULL)
    return status;
  const lfb_status set = lfb_filter_set_label(filter, label);
  if (set != LFB_OK)
    lfb_filter_free(filter);
  return set;
}

/* Makes a filter, in a new file if there is a path. */
static lfb_status filter_make(const lfbpy_config *config, const char *path, lfb_filter **filter)
{
  lfb_status status = lfb_label_check(config->label);
  if (status != LFB_OK)
    return status;
  status = path == NULL ? lfb_filter_create(&config->config, filter)
                        : lfb_mapped_create(path, &config->config, filter);
  return filter_labelled(status, config->label, *filter);
}

static PyObject *filter_create(PyTypeObject *type, const lfbpy_config *config)
{
  const char *path = config->path == NULL ? NULL : PyBytes_AsString(config->path);
  lfb_filter *filter = NULL;
  lfbpy_outcome outcome;

  Py_BEGIN_ALLOW_THREADS
  outcome = LFBPY_OUTCOME(filter_make(config, path, &filter));
  Py_END_ALLOW_THREADS
  return outcome.status == LFB_OK ? lfbpy_holder_new(type, filter, filter_free)
                                  : lfbpy_raise(outcome, config->path);
}

static PyObject *filter_make_of(PyTypeObject *type, PyObject *args, PyObject *kwargs,
                                bool with_path)
{
  lfbpy_config config = {0};
  PyObject *self = NULL;
  if (lfbpy_config_parse(args, kwargs, with_path, &config))
    self = filter_create(type, &config);
  lfbpy_config_close(&config);
  return self;
}

static PyObject *filter_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
  return filter_make_of(type, args, kwargs, false);
}

static PyObject *filter_create_mapped(PyObject *type, PyObject *args, PyObject *kwargs)
{
  return filter_make_of((PyTypeObject *)type, args, kwargs, true);
}

/* Opens a file in place; a const filter stays unchanged, since read_only is set. */
static lfb_status filter_open_path(const lfbpy_source *source, const char *path, void **filter)
{
  const lfb_read_limits limits = lfbpy_source_limits(source);
  const lfb_filter *constant = NULL;
  lfb_filter *opened = NULL;
  const lfb_status status = source->read_only
                                ? lfb_mapped_open_read_only(path, &limits, &constant)
                                : lfb_mapped_open(path, &limits, &opened);
  *filter = source->read_only ? (void *)(uintptr_t)constant : opened;
  return status;
}

static PyObject *filter_open_source(PyTypeObject *type, const lfbpy_source *source)
{
  const char *path = PyBytes_AsString(source->path);
  void *filter = NULL;
  lfbpy_outcome outcome;

  Py_BEGIN_ALLOW_THREADS
  outcome = LFBPY_OUTCOME(filter_open_path(source, path, &filter));
  Py_END_ALLOW_THREADS
  if (outcome.status != LFB_OK)
    return lfbpy_raise(outcome, source->path);
  PyObject *self = lfbpy_holder_new(type, filter, filter_free);
  if (self != NULL)
    ((lfbpy_holder *)self)->read_only = source->read_only;
  return self;
}

static PyObject *filter_open(PyObject *type, PyObject *args, PyObject *kwargs)
{
  lfbpy_source source = {0};
  PyObject *self = NULL;
  if (lfbpy_source_parse_mapped(args, kwargs, &source))
    self = filter_open_source((PyTypeObject *)type, &source);
  lfbpy_source_close(&source);
  return self;
}

static void filter_dealloc(PyObject *self)
{
  lfb_mapped_close(lfbpy_holder_read(self));
  lfbpy_instance_free(self);
}

/* ---- files and bytes ------------------------------------------------------------------------- */

static PyObject *filter_load(PyObject *type, PyObject *args, PyObject *kwargs)
{
  return lfbpy_holder_load(type, args, kwargs, LFB_KIND_PLAIN);
}

static PyObject *filter_from_bytes(PyObject *type, PyObject *args, PyObject *kwargs)
{
  return lfbpy_holder_from_bytes(type, args, kwargs, LFB_KIND_PLAIN);
}

/* from_bytes() for Guava's form alone. */
static PyObject *filter_from_guava(PyObject *type, PyObject *data)
{
  PyObject *args = PyTuple_Pack(1, data);
  PyObject *self = args == NULL ? NULL : filter_from_bytes(type, args, NULL);
  Py_XDECREF(args);
  if (self == NULL)
    return NULL;
  lfb_stats stats = {0};
  lfb_filter_stats(lfbpy_holder_read(self), &stats);
  if (stats.form == LFB_FORM_GUAVA)
    return self;
  Py_DECREF(self);
  return lfbpy_raise((lfbpy_outcome){LFB_ERROR_UNKNOWN_FORM, 0}, NULL);
}

static PyObject *filter_save(PyObject *self, PyObject *args, PyObject *kwargs)
{
  static char *names[] = {"path", "form", NULL};
  PyObject *path = NULL;
  lfb_form form = LFB_FORM_NATIVE;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$O&", names, &path, lfbpy_to_form, &form))
    return NULL;
  return lfbpy_holder_save(self, path, LFB_KIND_PLAIN, form);
}

static PyObject *filter_to_bytes(PyObject *self, PyObject *args, PyObject *kwargs)
{
  static char *names[] = {"form", NULL};
  lfb_form form = LFB_FORM_NATIVE;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$O&", names, lfbpy_to_form, &form))
    return NULL;
  return lfbpy_holder_to_bytes(self, LFB_KIND_PLAIN, form);
}

static PyObject *filter_to_guava(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  return lfbpy_holder_to_bytes(self, LFB_KIND_PLAIN, LFB_FORM_GUAVA);
}

static PyObject *filter_sync(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  lfbpy_outcome outcome;
  Py_BEGIN_ALLOW_THREADS
  outcome = LFBPY_OUTCOME(lfb_mapped_sync(lfbpy_holder_read(self)));
  Py_END_ALLOW_THREADS
  return lfbpy_none_or_raise(outcome, NULL);
}

/* ---- several filters ------------------------------------------------------------------------- */

static PyObject *filter_put_all(PyObject *self, PyObject *other)
{
  lfb_filter *into = lfbpy_holder_write(self);
  const lfb_filter *from = into == NULL ? NULL : lfbpy_holder_of(other, "Filter");
  if (from == NULL)
    return NULL;
  lfb_status status;
  Py_BEGIN_ALLOW_THREADS
  status = lfb_filter_put_all(into, from);
  Py_END_ALLOW_THREADS
  return lfbpy_none_or_raise((lfbpy_outcome){status, 0}, NULL);
}

static PyObject *filter_compare(PyObject *self, PyObject *other)
{
  const lfb_filter *b = lfbpy_holder_of(other, "Filter");
  if (b == NULL)
    return NULL;
  lfb_comparison comparison = {0};
  lfb_status status;
  Py_BEGIN_ALLOW_THREADS
  status = lfb_filter_compare(lfbpy_holder_read(self), b, &comparison);
  Py_END_ALLOW_THREADS
  return status == LFB_OK ? lfbpy_figures_comparison(&comparison)
                          : lfbpy_raise((lfbpy_outcome){status, 0}, NULL);
}

static PyObject *filter_fold(PyObject *self, PyObject *argument)
{
  uint64_t factor = 0;
  lfb_filter *folded = NULL;
  lfb_status status;
  if (!lfbpy_to_u64(argument, &factor))
    return NULL;
  Py_BEGIN_ALLOW_THREADS
  status = lfb_filter_fold(lfbpy_holder_read(self), factor, &folded);
  Py_END_ALLOW_THREADS
  return status == LFB_OK ? lfbpy_holder_new(Py_TYPE(self), folded, filter_free)
                          : lfbpy_raise((lfbpy_outcome){status, 0}, NULL);
}

static PyObject *filter_copy(PyObject *self, PyObject *args, PyObject *kwargs)
{
  const char *label;
  lfb_filter *copy = NULL;
  lfb_status status;
  if (!lfbpy_label_parse(args, kwargs, &label))
    return NULL;
  Py_BEGIN_ALLOW_THREADS
  status = lfb_filter_copy(lfbpy_holder_read(self), &copy);
  status = filter_labelled(status, label, copy);
  Py_END_ALLOW_THREADS
  return status == LFB_OK ? lfbpy_holder_new(Py_TYPE(self), copy, filter_free)
                          : lfbpy_raise((lfbpy_outcome){status, 0}, NULL);
}

/* ---- figures --------------------------------------------------------------------------------- */

static lfb_stats filter_figures(PyObject *self)
{
  lfb_stats stats = {0};
  Py_BEGIN_ALLOW_THREADS
  lfb_filter_stats(lfbpy_holder_read(self), &stats);
  Py_END_ALLOW_THREADS
  return stats;
}

static PyObject *filter_stats(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  const lfb_stats stats = filter_figures(self);
  return lfbpy_figures_filter(&stats);
}

static Py_ssize_t filter_length(PyObject *self)
{
  return lfbpy_figures_length(filter_figures(self).approximate_count);
}

/* False for an empty filter, as for other containers.  Python would take len(), which a saturated
 * filter does not have. */
static int filter_truth(PyObject *self)
{
  return filter_figures(self).approximate_count != 0;
}

static PyObject *filter_sizeof(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  return PyLong_FromUnsignedLongLong(sizeof(lfbpy_holder) + filter_figures(self).bytes);
}

static PyObject *filter_label(PyObject *self, void *closure)
{
  (void)closure;
  return PyUnicode_FromString(lfb_filter_label(lfbpy_holder_read(self)));
}

static PyObject *filter_read_only(PyObject *self, void *closure)
{
  (void)closure;
  return PyBool_FromLong(((lfbpy_holder *)self)->read_only);
}

static PyObject *filter_repr(PyObject *self)
{
  PyObject *stats = filter_stats(self, NULL);
  PyObject *result = NULL;
  if (stats != NULL)
    result = PyUnicode_FromFormat("<lfbloom.Filter strategy=%R keys=%S bytes=%S>",
                                  PyDict_GetItemString(stats, "strategy"),
                                  PyDict_GetItemString(stats, "approximate_count"),
                                  PyDict_GetItemString(stats, "bytes"));
  Py_XDECREF(stats);
  return result;
}

static int filter_contains(PyObject *self, PyObject *key)
{
  return lfbpy_truth(filter_might_contain(self, key));
}

static PyMethodDef filter_methods[] = {
    {"create", LFBPY_KEYWORDS(filter_create_mapped), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "create($type, path, " LFBPY_CONFIG_SIGNATURE ", file_mode=0)\n--\n\n"
     "Makes an empty filter in a new file, which any number of processes share.\n\n"
     "file_mode: the file's permissions; 0 for 0o600."},
    {"open", LFBPY_KEYWORDS(filter_open), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "open($type, path, *, read_only=False, max_bytes=0, key=None)\n--\n\n"
     "Opens a file that create() made.  With read_only it opens a file of any form in place, also "
     "one\nthat save() wrote.\n\n"
     "The file is closed when the last reference to the filter is gone."},
    {"load", LFBPY_KEYWORDS(filter_load), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "load($type, path, *, max_bytes=0, key=None, open_damaged=False)\n--\n\n"
     "Reads a filter from a file of any form.\n\n"
     "max_bytes: a larger filter is an error; 0 for no limit.\n"
     "key: 16 bytes, of a keyed hash that the file does not have.\n"
     "open_damaged: damaged words become all ones, instead of an error."},
    {"from_bytes", LFBPY_KEYWORDS(filter_from_bytes), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "from_bytes($type, data, *, max_bytes=0, key=None, open_damaged=False)\n--\n\n"
     "Reads a filter of any form from bytes or another buffer.  Arguments: as load()."},
    {"from_guava", filter_from_guava, METH_O | METH_CLASS,
     "from_guava($type, data, /)\n--\n\n"
     "Reads what Guava's BloomFilter.writeTo() wrote, from bytes or another buffer."},
    {"put", filter_put, METH_O,
     "put($self, key, /)\n--\n\n"
     "Puts a key: str, bytes or an int from 0 to 2^64-1.  Returns whether a bit changed: False "
     "means\nthat the key was present, or a false positive.\n\n"
     ">>> import lfbloom\n"
     ">>> seen = lfbloom.Filter(1000, 0.001)\n"
     ">>> seen.put('apple'), seen.put('apple')\n"
     "(True, False)\n"},
    {"claim", filter_claim, METH_O,
     "claim($self, key, /)\n--\n\n"
     "Puts a key.  Of all threads and processes that claim it, at most one gets True.\n\n"
     ">>> import lfbloom\n"
     ">>> seen = lfbloom.Filter(1000, 0.001)\n"
     ">>> [line for line in ['a', 'b', 'a'] if seen.claim(line)]\n"
     "['a', 'b']\n"},
    {"might_contain", filter_might_contain, METH_O,
     "might_contain($self, key, /)\n--\n\n"
     "Returns whether the key may be present; False is certain.  The same as `key in filter`."},
    {"put_many", LFBPY_KEYWORDS(filter_put_many), METH_VARARGS | METH_KEYWORDS,
     "put_many($self, keys, offsets=None, *, answers=False)\n--\n\n" LFBPY_PUT_MANY_DOC
     "\n"
     ">>> import lfbloom\n"
     ">>> seen = lfbloom.Filter(1000, 1e-9)\n"
     ">>> seen.put_many(['apple', 'pear', b'apple'])\n"
     "2\n"
     ">>> seen.put_many(b'plumpear', memoryview(bytes([0,0,0,0, 4,0,0,0, 8,0,0,0])).cast('i'),\n"
     "...               answers=True)\n"
     "bytearray(b'\\x01\\x00')\n"},
    {"claim_many", LFBPY_KEYWORDS(filter_claim_many), METH_VARARGS | METH_KEYWORDS,
     "claim_many($self, keys, offsets=None, *, answers=True)\n--\n\n"
     "Claims many keys, without the GIL.  Returns the answers of claim().\n\n" LFBPY_MANY_DOC},
    {"might_contain_many", LFBPY_KEYWORDS(filter_might_contain_many),
     METH_VARARGS | METH_KEYWORDS,
     "might_contain_many($self, keys, offsets=None, *, answers=True)\n--\n\n" LFBPY_QUERY_MANY_DOC
     "\n"
     ">>> import lfbloom\n"
     ">>> seen = lfbloom.Filter(1000, 1e-9)\n"
     ">>> seen.put_many(range(10))\n"
     "10\n"
     ">>> seen.might_contain_many([9, 10, 11])\n"
     "bytearray(b'\\x01\\x00\\x00')\n"},
    {"put_all", filter_put_all, METH_O,
     "put_all($self, other, /)\n--\n\n"
     "Puts all keys of another Filter into this one.  Make one with like=the other, so that their "
     "hashes\nare the same."},
    {"compare", filter_compare, METH_O,
     "compare($self, other, /)\n--\n\n"
     "Estimates what two filters have in common: a dict of (value, standard error)."},
    {"fold", filter_fold, METH_O,
     "fold($self, factor, /)\n--\n\n"
     "Returns a filter with the same keys and 1/factor of the size."},
    {"copy", LFBPY_KEYWORDS(filter_copy), METH_VARARGS | METH_KEYWORDS,
     "copy($self, *, label=None)\n--\n\n"
     "Returns a copy in private memory, with its own label if one is given."},
    {"save", LFBPY_KEYWORDS(filter_save), METH_VARARGS | METH_KEYWORDS,
     "save($self, path, *, form='native')\n--\n\n"
     "Writes the filter to a file, atomically and durably.\n"
     "form: 'native', 'guava', 'sbbf' or 'mapped' (for open())."},
    {"to_bytes", LFBPY_KEYWORDS(filter_to_bytes), METH_VARARGS | METH_KEYWORDS,
     "to_bytes($self, *, form='native')\n--\n\n"
     "Returns what save() would write.  It may hold the secret key of the hash."},
    {"to_guava", filter_to_guava, METH_NOARGS,
     "to_guava($self)\n--\n\n"
     "Returns the bytes that Guava's BloomFilter.readFrom() reads.\n\n"
     ">>> import lfbloom\n"
     ">>> seen = lfbloom.Filter(100, 0.01, strategy='guava-mitz64')\n"
     ">>> seen.put('apple')\n"
     "True\n"
     ">>> 'apple' in lfbloom.Filter.from_guava(seen.to_guava())\n"
     "True\n"},
    {"sync", filter_sync, METH_NOARGS,
     "sync($self)\n--\n\nMakes durable all that was put into a mapped filter before the call."},
    {"stats", filter_stats, METH_NOARGS,
     "stats($self)\n--\n\n"
     "Returns the filter's figures, a dict: see lfb_stats in lfbloom/filter.h."},
    {"__sizeof__", filter_sizeof, METH_NOARGS,
     "__sizeof__($self)\n--\n\nReturns the size in bytes."},
    {"__reduce__", lfbpy_reduce, METH_NOARGS,
     "__reduce__($self)\n--\n\nRaises TypeError: use save()."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef filter_getset[] = {
    {"label", filter_label, NULL, "A text for the caller's own use.", NULL},
    {"read_only", filter_read_only, NULL, "Whether the filter was opened read-only.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot filter_slots[] = {
    {Py_tp_doc,
     "Filter(" LFBPY_CONFIG_SIGNATURE ")\n--\n\n"
     "A Bloom filter: any number of threads put and query at once.\n\n"
     "A key is a str (its UTF-8 bytes), bytes, or an int from 0 to 2^64-1.  len() estimates the\n"
     "number of distinct keys.\n\n"
     ">>> import lfbloom\n"
     ">>> seen = lfbloom.Filter(1_000_000, 0.001)\n"
     ">>> seen.put('apple')\n"
     "True\n"
     ">>> 'apple' in seen, b'apple' in seen, 'pear' in seen\n"
     "(True, True, False)\n"
     ">>> len(seen)\n"
     "1\n"},
    {Py_tp_new, (void *)(intptr_t)filter_new},
    {Py_tp_dealloc, (void *)(intptr_t)filter_dealloc},
    {Py_tp_repr, (void *)(intptr_t)filter_repr},
    {Py_sq_contains, (void *)(intptr_t)filter_contains},
    {Py_sq_length, (void *)(intptr_t)filter_length},
    {Py_nb_bool, (void *)(intptr_t)filter_truth},
    {Py_tp_methods, filter_methods},
    {Py_tp_getset, filter_getset},
    {0, NULL},
};

PyType_Spec lfbpy_filter_spec = {"lfbloom.Filter", sizeof(lfbpy_holder), 0, Py_TPFLAGS_DEFAULT,
                                 filter_slots};
