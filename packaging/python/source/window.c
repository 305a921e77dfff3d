/* window.c - the class Window: lfbloom/window.h and lfbloom/window_mapped.h. */
#include <lfbloom/window_mapped.h>

#include "packaging/python/source/classes.h"
#include "packaging/python/source/config.h"
#include "packaging/python/source/error.h"

static PyObject *window_generation(PyObject *self, void *closure)
{
  (void)closure;
  return PyLong_FromUnsignedLongLong(lfb_window_generation(lfbpy_object(self)));
}

static PyObject *window_advance(PyObject *self, PyObject *args, PyObject *kwargs)
{
  static char *names[] = {"generation", NULL};
  lfb_window *window = lfbpy_object(self);
  uint64_t generation = lfb_window_generation(window);
  PyObject *given = Py_None;
  lfb_status status;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", names, &given) ||
      (given != Py_None && !lfbpy_to_u64(given, &generation)))
    return NULL;
  LFBPY_WITHOUT_GIL(status = lfb_window_advance(window, generation));
  return status == LFB_OK || status == LFB_ERROR_WRONG_GENERATION || status == LFB_ERROR_WINDOW_HELD
             ? PyBool_FromLong(status == LFB_OK)
             : lfbpy_raise_status(status);
}

static PyObject *window_tick(PyObject *self, PyObject *ignored)
{
  uint32_t ended = 0;
  lfb_status status;
  (void)ignored;
  LFBPY_WITHOUT_GIL(status = lfb_window_tick(lfbpy_object(self), &ended));
  return status == LFB_OK ? PyLong_FromUnsignedLong(ended) : lfbpy_raise_status(status);
}

static PyObject *window_start_clock(PyObject *self, PyObject *ignored)
{
  lfb_status status;
  (void)ignored;
  /* One thread at a time starts or stops the clock. */
  LFBPY_BEGIN_TURN(self);
  status = lfb_window_start_clock(lfbpy_object(self));
  LFBPY_END_TURN();
  return lfbpy_none_or_raise_status(status);
}

static PyObject *window_stop_clock(PyObject *self, PyObject *ignored)
{
  (void)ignored;
  LFBPY_BEGIN_TURN(self);
  lfb_window_stop_clock(lfbpy_object(self));
  LFBPY_END_TURN();
  return Py_NewRef(Py_None);
}

#define WINDOW_SIGNATURE                                                                         \
  "expected_insertions, fpp, *, span=0, generations=3, by_insertions=False, hash=None, seed=0, " \
  "key=None, keep_key=False, lazy_memory=False, memory='balanced'"

lfbpy_class lfbpy_window_class = {
    .name = "lfbloom.Window",
    .doc =
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
        "False\n",
    .size = sizeof(lfbpy_holder),
    .what = LFB_KIND_WINDOW,
    .getset = {
        {"generation", window_generation, NULL, "The number of the current generation.", NULL},
    },
    .methods = {
        LFBPY_FILES,
        {"put", lfbpy_put, METH_O,
         "put($self, key, /)\n--\n\n"
         "Puts a key.  Returns whether a bit of the current generation changed."},
        {"claim", lfbpy_claim, METH_O,
         "claim($self, key, /)\n--\n\n"
         "Puts a key unless it is found.  Of all claims of a key while it is found, at most one "
         "is True."},
        {"might_contain", lfbpy_might_contain, METH_O,
         "might_contain($self, key, /)\n--\n\n"
         "Returns whether the key may have been put in the window; False is certain."},
        LFBPY_PUT_MANY(""),
        LFBPY_CLAIM_MANY,
        LFBPY_QUERY_MANY(""),
        LFBPY_OF_CLASS("create", lfbpy_create,
                       "create($type, path, " WINDOW_SIGNATURE ", file_mode=0)\n--\n\n"
                       "Makes a window in a new file that any number of processes may open at "
                       "once: a key has one "
                       "winner\nper span among all of them.  It outlives its processes, and "
                       "restarts of the host.\n\n"
                       "file_mode: the file's permissions; 0 for 0o600."),
        LFBPY_OF_CLASS("open", lfbpy_open,
                       "open($type, path, *, read_only=False, max_bytes=0, key=None)\n--\n\n"
                       "Opens what create() made, by this or another process.  A window is opened "
                       "to be changed: load() reads\na copy."),
        LFBPY_SYNC,
        LFBPY_KEYWORDS("advance", window_advance,
                       "advance($self, generation=None)\n--\n\n"
                       "Ends a generation, the current one if none is given.  Returns whether "
                       "this call ended it: of all\ncalls with one generation, one does."),
        {"tick", window_tick, METH_NOARGS,
         "tick($self)\n--\n\nEnds the generations that are over by the clock.  Returns how many.  Call "
         "it before puts and claims,\nor let start_clock() do it."},
        {"start_clock", window_start_clock, METH_NOARGS,
         "start_clock($self)\n--\n\n"
         "Starts a thread of the library that ends each generation when it is over."},
        {"stop_clock", window_stop_clock, METH_NOARGS,
         "stop_clock($self)\n--\n\nStops that thread."},
        {"stats", lfbpy_stats, METH_NOARGS,
         "stats($self)\n--\n\n"
         "Returns the figures, a dict: see lfb_window_figures in lfbloom/window.h."},
        LFBPY_SIZEOF,
        LFBPY_REDUCE,
    },
};
