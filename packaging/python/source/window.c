/* window.c - the class Window: lfbloom/window.h and lfbloom/window_mapped.h. */
#include <lfbloom/any.h>
#include <lfbloom/window_mapped.h>

#include "packaging/python/source/classes.h"
#include "packaging/python/source/error.h"
#include "packaging/python/source/figures.h"
#include "packaging/python/source/holder.h"
#include "packaging/python/source/key.h"
#include "packaging/python/source/many.h"

#define VERB_KIND LFB_KIND_WINDOW

#define VERB_ONE window_put
#define VERB_MANY window_put_many
#define VERB_KEYS window_put_many_keys
#define VERB_NUMBERS window_put_many_numbers
#define VERB_ENTER lfbpy_holder_write
#define VERB_TYPE lfb_window
#define VERB_CALL(suffix) lfb_window_put##suffix
#define VERB_VERB LFB_PUT
#define VERB_ARGUMENTS "O|O$O:put_many"
#define VERB_ANSWERS false
#include "packaging/python/source/verb.inc.h"

#define VERB_ONE window_claim
#define VERB_MANY window_claim_many
#define VERB_KEYS window_claim_many_keys
#define VERB_NUMBERS window_claim_many_numbers
#define VERB_ENTER lfbpy_holder_write
#define VERB_TYPE lfb_window
#define VERB_CALL(suffix) lfb_window_claim##suffix
#define VERB_VERB LFB_CLAIM
#define VERB_ARGUMENTS "O|O$O:claim_many"
#define VERB_ANSWERS true
#include "packaging/python/source/verb.inc.h"

#define VERB_ONE window_might_contain
#define VERB_MANY window_might_contain_many
#define VERB_KEYS window_might_contain_many_keys
#define VERB_NUMBERS window_might_contain_many_numbers
#define VERB_ENTER lfbpy_holder_read
#define VERB_TYPE lfb_window
#define VERB_CALL(suffix) lfb_window_might_contain##suffix
#define VERB_VERB LFB_MIGHT_CONTAIN
#define VERB_ARGUMENTS "O|O$O:might_contain_many"
#define VERB_ANSWERS true
#include "packaging/python/source/verb.inc.h"

/* ---- making --------------------------------------------------------------------------------- */

static void window_free(void *object)
{
  lfb_window_free(object);
}

/* Makes a window, in a new file if there is a path. */
static PyObject *window_make(PyTypeObject *type, const lfb_window_config *config, PyObject *path)
{
  const char *name = path == NULL ? NULL : PyBytes_AsString(path);
  lfb_window *window = NULL;
  lfbpy_outcome outcome;

  Py_BEGIN_ALLOW_THREADS
  outcome = LFBPY_OUTCOME(path == NULL ? lfb_window_create(config, &window)
                                       : lfb_window_mapped_create(name, config, &window));
  Py_END_ALLOW_THREADS
  return outcome.status == LFB_OK ? lfbpy_holder_new(type, window, window_free)
                                  : lfbpy_raise(outcome, path);
}

static PyObject *window_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
  lfb_window_config config = {0};
  return lfbpy_config_parse_window(args, kwargs, NULL, &config) ? window_make(type, &config, NULL) : NULL;
}

static PyObject *window_create(PyObject *type, PyObject *args, PyObject *kwargs)
{
  lfb_window_config config = {0};
  PyObject *path = NULL, *self = NULL;
  if (lfbpy_config_parse_window(args, kwargs, &path, &config))
    self = window_make((PyTypeObject *)type, &config, path);
  Py_XDECREF(path);
  return self;
}

static PyObject *window_open_source(PyTypeObject *type, const lfbpy_source *source)
{
  const char *path = PyBytes_AsString(source->path);
  const lfb_read_limits limits = lfbpy_source_limits(source);
  lfbpy_outcome outcome;
  lfb_any any;

  Py_BEGIN_ALLOW_THREADS
  outcome = LFBPY_OUTCOME(lfb_any_open(path, LFB_KIND_WINDOW, LFB_OPEN_SHARED, &limits, &any));
  Py_END_ALLOW_THREADS
  return outcome.status == LFB_OK ? lfbpy_holder_new(type, any.window, window_free)
                                  : lfbpy_raise(outcome, source->path);
}

static PyObject *window_open(PyObject *type, PyObject *args, PyObject *kwargs)
{
  lfbpy_source source = {0};
  PyObject *self = NULL;
  if (!lfbpy_source_parse_mapped(args, kwargs, &source))
    return NULL;
  if (source.read_only)
    PyErr_SetString(PyExc_ValueError, "a window is opened to be changed: load() reads a copy");
  else
    self = window_open_source((PyTypeObject *)type, &source);
  lfbpy_source_close(&source);
  return self;
}

static PyObject *window_sync(PyObject *self, PyObject *ignored)
{
  lfbpy_outcome outcome;
  (void)ignored;
  Py_BEGIN_ALLOW_THREADS
  outcome = LFBPY_OUTCOME(lfb_any_sync(LFBPY_ANY(self, LFB_KIND_WINDOW)));
  Py_END_ALLOW_THREADS
  return lfbpy_none_or_raise(outcome, NULL);
}

static void window_dealloc(PyObject *self)
{
  lfb_window_free(lfbpy_holder_read(self));
  lfbpy_instance_free(self);
}

/* ---- files and bytes ------------------------------------------------------------------------- */

static PyObject *window_load(PyObject *type, PyObject *args, PyObject *kwargs)
{
  return lfbpy_holder_load(type, args, kwargs, LFB_KIND_WINDOW);
}

static PyObject *window_from_bytes(PyObject *type, PyObject *args, PyObject *kwargs)
{
  return lfbpy_holder_from_bytes(type, args, kwargs, LFB_KIND_WINDOW);
}

static PyObject *window_save(PyObject *self, PyObject *path)
{
  return lfbpy_holder_save(self, path, LFB_KIND_WINDOW, LFB_FORM_NONE);
}

static PyObject *window_to_bytes(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  return lfbpy_holder_to_bytes(self, LFB_KIND_WINDOW, LFB_FORM_NONE);
}

/* ---- generations ----------------------------------------------------------------------------- */

static PyObject *window_generation(PyObject *self, void *closure)
{
  (void)closure;
  return PyLong_FromUnsignedLongLong(lfb_window_generation(lfbpy_holder_read(self)));
}

static PyObject *window_advance(PyObject *self, PyObject *args, PyObject *kwargs)
{
  static char *names[] = {"generation", NULL};
  lfb_window *window = lfbpy_holder_read(self);
  uint64_t generation = lfb_window_generation(window);
  PyObject *given = Py_None;
  lfb_status status;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", names, &given) ||
      (given != Py_None && !lfbpy_to_u64(given, &generation)))
    return NULL;
  Py_BEGIN_ALLOW_THREADS
  status = lfb_window_advance(window, generation);
  Py_END_ALLOW_THREADS
  return status == LFB_OK || status == LFB_ERROR_WRONG_GENERATION || status == LFB_ERROR_WINDOW_HELD
             ? PyBool_FromLong(status == LFB_OK)
             : lfbpy_raise((lfbpy_outcome){status, 0}, NULL);
}

static PyObject *window_tick(PyObject *self, PyObject *ignored)
{
  uint32_t ended;
  (void)ignored;
  Py_BEGIN_ALLOW_THREADS
  ended = lfb_window_tick(lfbpy_holder_read(self));
  Py_END_ALLOW_THREADS
  return PyLong_FromUnsignedLong(ended);
}

static PyObject *window_start_clock(PyObject *self, PyObject *ignored)
{
  lfb_status status;
  (void)ignored;
  /* One thread at a time starts or stops the clock. */
  LFBPY_BEGIN_TURN(self);
  status = lfb_window_start_clock(lfbpy_holder_read(self));
  LFBPY_END_TURN();
  return lfbpy_none_or_raise((lfbpy_outcome){status, 0}, NULL);
}

static PyObject *window_stop_clock(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  LFBPY_BEGIN_TURN(self);
  lfb_window_stop_clock(lfbpy_holder_read(self));
  LFBPY_END_TURN();
  Py_INCREF(Py_None);
  return Py_None;
}

/* ---- figures --------------------------------------------------------------------------------- */

static lfb_window_figures window_figures(PyObject *self)
{
  lfb_window_figures figures = {0};
  Py_BEGIN_ALLOW_THREADS
  lfb_window_stats(lfbpy_holder_read(self), &figures);
  Py_END_ALLOW_THREADS
  return figures;
}

static PyObject *window_stats(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  const lfb_window_figures figures = window_figures(self);
  return lfbpy_figures_window(&figures);
}

static PyObject *window_sizeof(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  return PyLong_FromUnsignedLongLong(sizeof(lfbpy_holder) + window_figures(self).bytes);
}

static int window_contains(PyObject *self, PyObject *key)
{
  return lfbpy_truth(window_might_contain(self, key));
}

#define WINDOW_SIGNATURE                                                                      \
  "expected_insertions, fpp, *, span=0, generations=3, by_insertions=False, hash=None, seed=0, " \
  "key=None, keep_key=False, lazy_memory=False, memory='balanced'"

static PyMethodDef window_methods[] = {
    {"load", LFBPY_KEYWORDS(window_load), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "load($type, path, *, max_bytes=0, key=None, open_damaged=False)\n--\n\n"
     "Reads what save() wrote.  Arguments: as Filter.load()."},
    {"from_bytes", LFBPY_KEYWORDS(window_from_bytes), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "from_bytes($type, data, *, max_bytes=0, key=None, open_damaged=False)\n--\n\n"
     "Reads what to_bytes() returned.  Arguments: as Filter.load()."},
    {"save", window_save, METH_O,
     "save($self, path, /)\n--\n\nWrites it to a file, atomically and durably."},
    {"to_bytes", window_to_bytes, METH_NOARGS,
     "to_bytes($self)\n--\n\n"
     "Returns what save() would write.  It may hold the secret key of the hash."},
    {"put", window_put, METH_O,
     "put($self, key, /)\n--\n\n"
     "Puts a key.  Returns whether a bit of the current generation changed."},
    {"claim", window_claim, METH_O,
     "claim($self, key, /)\n--\n\n"
     "Puts a key unless it is found.  Of all claims of a key while it is found, at most one is True."},
    {"might_contain", window_might_contain, METH_O,
     "might_contain($self, key, /)\n--\n\n"
     "Returns whether the key may have been put in the window; False is certain."},
    {"put_many", LFBPY_KEYWORDS(window_put_many), METH_VARARGS | METH_KEYWORDS,
     "put_many($self, keys, offsets=None, *, answers=False)\n--\n\n" LFBPY_PUT_MANY_DOC},
    {"claim_many", LFBPY_KEYWORDS(window_claim_many), METH_VARARGS | METH_KEYWORDS,
     "claim_many($self, keys, offsets=None, *, answers=True)\n--\n\n"
     "Claims many keys, without the GIL.  Returns the answers of claim().\n\n" LFBPY_MANY_DOC},
    {"might_contain_many", LFBPY_KEYWORDS(window_might_contain_many), METH_VARARGS | METH_KEYWORDS,
     "might_contain_many($self, keys, offsets=None, *, answers=True)\n--\n\n" LFBPY_QUERY_MANY_DOC},
    {"create", LFBPY_KEYWORDS(window_create), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "create($type, path, " WINDOW_SIGNATURE ", file_mode=0)\n--\n\n"
     "Makes a window in a new file that any number of processes may open at once: a key has one "
     "winner\nper span among all of them.  It outlives its processes, and restarts of the host.\n\n"
     "file_mode: the file's permissions; 0 for 0o600."},
    {"open", LFBPY_KEYWORDS(window_open), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "open($type, path, *, read_only=False, max_bytes=0, key=None)\n--\n\n"
     "Opens what create() made, by this or another process.  A window is opened to be changed: load() "
     "reads\na copy."},
    {"sync", window_sync, METH_NOARGS,
     "sync($self)\n--\n\nMakes durable all that was put into a file before the call."},
    {"advance", LFBPY_KEYWORDS(window_advance), METH_VARARGS | METH_KEYWORDS,
     "advance($self, generation=None)\n--\n\n"
     "Ends a generation, the current one if none is given.  Returns whether this call ended it: of "
     "all\ncalls with one generation, one does."},
    {"tick", window_tick, METH_NOARGS,
     "tick($self)\n--\n\n"
     "Ends the generations that are over by the clock.  Returns how many.  Call it before puts and "
     "claims,\nor let start_clock() do it."},
    {"start_clock", window_start_clock, METH_NOARGS,
     "start_clock($self)\n--\n\n"
     "Starts a thread of the library that ends each generation when it is over."},
    {"stop_clock", window_stop_clock, METH_NOARGS, "stop_clock($self)\n--\n\nStops that thread."},
    {"stats", window_stats, METH_NOARGS,
     "stats($self)\n--\n\n"
     "Returns the figures, a dict: see lfb_window_figures in lfbloom/window.h."},
    {"__sizeof__", window_sizeof, METH_NOARGS,
     "__sizeof__($self)\n--\n\nReturns the size in bytes."},
    {"__reduce__", lfbpy_reduce, METH_NOARGS,
     "__reduce__($self)\n--\n\nRaises TypeError: use save()."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef window_getset[] = {
    {"generation", window_generation, NULL, "The number of the current generation.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot window_slots[] = {
    {Py_tp_doc,
     "Window(" WINDOW_SIGNATURE ")\n--\n\n"
     "A Bloom filter that forgets: it finds a key for a span of time (in seconds) or of "
     "insertions.\n\n"
     ">>> import lfbloom\n"
     ">>> last_hour = lfbloom.Window(1000, 0.001)\n"
     ">>> last_hour.put('apple')\n"
     "True\n"
     ">>> for _ in range(4):\n"
     "...     print('apple' in last_hour, last_hour.advance())\n"
     "True True\n"
     "True True\n"
     "True True\n"
     "True True\n"
     ">>> 'apple' in last_hour\n"
     "False\n"},
    {Py_tp_new, (void *)(intptr_t)window_new},
    {Py_tp_dealloc, (void *)(intptr_t)window_dealloc},
    {Py_sq_contains, (void *)(intptr_t)window_contains},
    {Py_tp_methods, window_methods},
    {Py_tp_getset, window_getset},
    {0, NULL},
};

PyType_Spec lfbpy_window_spec = {"lfbloom.Window", sizeof(lfbpy_holder), 0, Py_TPFLAGS_DEFAULT,
                                 window_slots};
