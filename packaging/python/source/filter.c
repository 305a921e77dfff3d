/* filter.c - the class Filter: lfbloom/filter.h and lfbloom/mapped.h; any.c has what other classes
 * have, too. */
#include <lfbloom/filter_more.h>

#include "packaging/python/source/classes.h"
#include "packaging/python/source/config.h"
#include "packaging/python/source/error.h"

static PyObject *filter_save(PyObject *self, PyObject *args, PyObject *kwargs)
{
  static char *names[] = {"path", "form", NULL};
  PyObject *path = NULL;
  lfb_form form = LFB_FORM_NATIVE;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$O&", names, &path, lfbpy_to_form, &form))
    return NULL;
  return lfbpy_save_as(self, path, form);
}

static PyObject *filter_to_bytes(PyObject *self, PyObject *args, PyObject *kwargs)
{
  static char *names[] = {"form", NULL};
  lfb_form form = LFB_FORM_NATIVE;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$O&", names, lfbpy_to_form, &form))
    return NULL;
  return lfbpy_to_bytes_as(self, form);
}

static PyObject *filter_compare(PyObject *self, PyObject *other)
{
  const lfb_filter *b = lfbpy_holder_of(other, "lfbloom.Filter");
  if (b == NULL)
    return NULL;
  lfb_comparison comparison = {0};
  lfb_status status;
  LFBPY_WITHOUT_GIL(status = lfb_filter_compare(lfbpy_object(self), b, &comparison));
  return status == LFB_OK ? lfbpy_figures_comparison(&comparison) : lfbpy_raise_status(status);
}

static PyObject *filter_fold(PyObject *self, PyObject *argument)
{
  uint64_t factor = 0;
  lfb_filter *folded = NULL;
  lfb_status status;
  if (!lfbpy_to_u64(argument, &factor))
    return NULL;
  LFBPY_WITHOUT_GIL(status = lfb_filter_fold(lfbpy_object(self), factor, &folded));
  return status == LFB_OK ? lfbpy_holder_beside(self, LFB_KIND_PLAIN, folded)
                          : lfbpy_raise_status(status);
}

static PyObject *filter_repr(PyObject *self)
{
  PyObject *stats = lfbpy_stats(self, NULL);
  PyObject *result = NULL;
  if (stats != NULL)
    result = PyUnicode_FromFormat("<lfbloom.Filter strategy=%R keys=%S bytes=%S>",
                                  PyDict_GetItemString(stats, "strategy"),
                                  PyDict_GetItemString(stats, "approximate_count"),
                                  PyDict_GetItemString(stats, "bytes"));
  Py_XDECREF(stats);
  return result;
}

lfbpy_class lfbpy_filter_class = {
    .name = "lfbloom.Filter",
    .doc =
        "Filter(" LFBPY_CONFIG_SIGNATURE ")\n--\n\n"
        "A Bloom filter: any number of threads put and query at once.\n\n"
        "A key is a str (its UTF-8 bytes), bytes, a bytearray or memoryview, or an int from 0 to\n"
        "2^64-1.  len() estimates the number of distinct keys.\n\n"
        ">>> import lfbloom\n"
        ">>> seen = lfbloom.Filter(1_000_000, 0.001)\n"
        ">>> seen.put('apple')\n"
        "True\n"
        ">>> 'apple' in seen, b'apple' in seen, 'pear' in seen\n"
        "(True, True, False)\n"
        ">>> len(seen)\n"
        "1\n",
    .size = sizeof(lfbpy_holder),
    .what = LFB_KIND_PLAIN,
    .repr = filter_repr,
    .getset = {
        LFBPY_READ_ONLY,
    },
    .methods = {
        LFBPY_OF_CLASS("create", lfbpy_create,
                       "create($type, path, " LFBPY_CONFIG_SIGNATURE ", file_mode=0)\n--\n\n"
                       "Makes an empty filter in a new file, which any number of processes "
                       "share.\n\n"
                       "file_mode: the file's permissions; 0 for 0o600."),
        LFBPY_OF_CLASS("open", lfbpy_open,
                       "open($type, path, *, read_only=False, max_bytes=0, key=None)\n--\n\n"
                       "Opens a file that create() made.  With read_only it opens a file of any "
                       "form in place, also one\nthat save() wrote.\n\n"
                       "The file is closed when the last reference to the filter is gone."),
        LFBPY_OF_CLASS("load", lfbpy_load,
                       "load($type, path, *, max_bytes=0, key=None, open_damaged=False)\n--\n\n"
                       "Reads a filter from a file of any form.\n\n"
                       "max_bytes: a larger filter is an error; 0 for no limit.\n"
                       "key: 16 bytes, of a keyed hash that the file does not have.\n"
                       "open_damaged: damaged words become all ones, instead of an error."),
        LFBPY_OF_CLASS("from_bytes", lfbpy_from_bytes,
                       "from_bytes($type, data, *, max_bytes=0, key=None, open_damaged=False)\n"
                       "--\n\n"
                       "Reads a filter of any form from bytes or another buffer.  Arguments: as "
                       "load()."),
        {"put", lfbpy_put, METH_O,
         "put($self, key, /)\n--\n\n"
         "Puts a key: str, bytes or an int from 0 to 2^64-1.  Returns whether a bit changed: False "
         "means\nthat the key was present, or a false positive.\n\n"
         ">>> import lfbloom\n"
         ">>> seen = lfbloom.Filter(1000, 0.001)\n"
         ">>> seen.put('apple'), seen.put('apple')\n"
         "(True, False)\n"},
        {"claim", lfbpy_claim, METH_O,
         "claim($self, key, /)\n--\n\n"
         "Puts a key.  Of all threads and processes that claim it, at most one gets True.\n\n"
         ">>> import lfbloom\n"
         ">>> seen = lfbloom.Filter(1000, 0.001)\n"
         ">>> [line for line in ['a', 'b', 'a'] if seen.claim(line)]\n"
         "['a', 'b']\n"},
        {"might_contain", lfbpy_might_contain, METH_O,
         "might_contain($self, key, /)\n--\n\n"
         "Returns whether the key may be present; False is certain.  The same as `key in filter`."},
        LFBPY_PUT_MANY("\n"
                       ">>> import lfbloom\n"
                       ">>> seen = lfbloom.Filter(1000, 1e-9)\n"
                       ">>> seen.put_many(['apple', 'pear', b'apple'])\n"
                       "2\n"
                       ">>> seen.put_many(b'plumpear', memoryview(bytes([0,0,0,0, 4,0,0,0, "
                       "8,0,0,0])).cast('i'),\n"
                       "...               answers=True)\n"
                       "bytearray(b'\\x01\\x00')\n"),
        LFBPY_CLAIM_MANY,
        LFBPY_QUERY_MANY("\n"
                         ">>> import lfbloom\n"
                         ">>> seen = lfbloom.Filter(1000, 1e-9)\n"
                         ">>> seen.put_many(range(10))\n"
                         "10\n"
                         ">>> seen.might_contain_many([9, 10, 11])\n"
                         "bytearray(b'\\x01\\x00\\x00')\n"),
        {"put_all", lfbpy_put_all, METH_O,
         "put_all($self, other, /)\n--\n\n"
         "Puts all keys of another Filter into this one.  Make one with like=the other, so that "
         "their hashes\nare the same."},
        {"compare", filter_compare, METH_O,
         "compare($self, other, /)\n--\n\n"
         "Estimates what two filters have in common: a dict of (value, standard error)."},
        {"fold", filter_fold, METH_O,
         "fold($self, factor, /)\n--\n\n"
         "Returns a filter with the same keys and 1/factor of the size."},
        LFBPY_COPY,
        LFBPY_KEYWORDS("save", filter_save,
                       "save($self, path, *, form='native')\n--\n\n"
                       "Writes the filter to a file, atomically and durably.\n"
                       "form: 'native', 'guava', 'sbbf' or 'mapped' (for open())."),
        LFBPY_KEYWORDS("to_bytes", filter_to_bytes,
                       "to_bytes($self, *, form='native')\n--\n\n"
                       "Returns what save() would write.  It may hold the secret key of the "
                       "hash.\n\n"
                       ">>> import lfbloom\n"
                       ">>> seen = lfbloom.Filter(100, 0.01, strategy='guava-mitz64')\n"
                       ">>> seen.put('apple')\n"
                       "True\n"
                       ">>> 'apple' in lfbloom.Filter.from_bytes(seen.to_bytes(form='guava'))\n"
                       "True\n"),
        LFBPY_SYNC,
        {"stats", lfbpy_stats, METH_NOARGS,
         "stats($self)\n--\n\n"
         "Returns the filter's figures, a dict: see lfb_stats in lfbloom/filter.h."},
        LFBPY_SIZEOF,
        LFBPY_REDUCE,
    },
};
