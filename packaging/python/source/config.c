/* config.c - see config.h. */
#include "packaging/python/source/config.h"

#include <string.h>

#include "packaging/python/source/error.h"
#include "packaging/python/source/holder.h"

/* ---- converters: they return 1, or 0 with an exception --------------------------------------- */

int lfbpy_to_u64(PyObject *object, void *number)
{
  PyObject *index = PyNumber_Index(object);
  if (index == NULL)
    return 0;
  const uint64_t value = PyLong_AsUnsignedLongLong(index);
  Py_DECREF(index);
  if (value == UINT64_MAX && PyErr_Occurred())
    return 0;
  *(uint64_t *)number = value;
  return 1;
}

static int config_to_u32(PyObject *object, void *number)
{
  uint64_t value = 0;
  if (!lfbpy_to_u64(object, &value))
    return 0;
  if (value > UINT32_MAX) {
    PyErr_SetString(PyExc_OverflowError, "a number is larger than 2^32-1");
    return 0;
  }
  *(uint32_t *)number = (uint32_t)value;
  return 1;
}

/* The text of a str, or NULL for None.  Returns whether it is one of the two. */
static bool config_text(PyObject *object, const char **text)
{
  Py_ssize_t size = 0;
  *text = NULL;
  if (object == Py_None)
    return true;
  if (PyUnicode_Check(object))
    *text = PyUnicode_AsUTF8AndSize(object, &size);
  else
    PyErr_SetString(PyExc_TypeError, "a name is a str");
  if (*text != NULL && strlen(*text) != (size_t)size) {
    PyErr_SetString(PyExc_ValueError, "a name has a NUL character");
    return false;
  }
  return *text != NULL;
}

/* Raises the exception of a name that does not exist; returns whether it does. */
static int config_named(lfb_status status)
{
  if (status != LFB_OK)
    lfbpy_raise_status(status);
  return status == LFB_OK;
}

static int config_to_strategy(PyObject *object, void *strategy)
{
  const char *name;
  if (!config_text(object, &name))
    return 0;
  return name == NULL || config_named(lfb_strategy_from_name(name, strategy));
}

static int config_to_hash(PyObject *object, void *hash)
{
  const char *name;
  if (!config_text(object, &name))
    return 0;
  return name == NULL || config_named(lfb_hash_from_name(name, hash));
}

int lfbpy_to_form(PyObject *object, void *form)
{
  const char *name;
  if (!config_text(object, &name))
    return 0;
  return name == NULL || config_named(lfb_form_from_name(name, form));
}

/* The index of a name in a list that ends with NULL; 0 for None, or the status of a name that is
 * none. */
static int config_choice(PyObject *object, const char *const *names, lfb_status unknown, int *index)
{
  const char *name;
  *index = 0;
  if (!config_text(object, &name))
    return 0;
  while (name != NULL && names[*index] != NULL && strcmp(names[*index], name) != 0)
    ++*index;
  return config_named(names[*index] == NULL ? unknown : LFB_OK);
}

static int config_to_memory(PyObject *object, void *memory)
{
  static const char *const names[] = {"balanced", "speed", "smallest", NULL};
  int index;
  const int known = config_choice(object, names, LFB_ERROR_UNKNOWN_PREFERENCE, &index);
  *(lfb_memory_preference *)memory = (lfb_memory_preference)index;
  return known;
}

static int config_to_formula(PyObject *object, void *formula)
{
  static const char *const names[] = {"guava-31", "guava-current", NULL};
  int index;
  const int known = config_choice(object, names, LFB_ERROR_UNKNOWN_FORMULA, &index);
  *(lfb_probes_formula *)formula = (lfb_probes_formula)index;
  return known;
}

/* The key of a keyed hash: 16 bytes, or None. */
static int config_to_key(PyObject *object, void *key)
{
  if (object == Py_None)
    return 1;
  if (!PyBytes_Check(object)) {
    PyErr_SetString(PyExc_TypeError, "the key of a hash is bytes");
    return 0;
  }
  if (PyBytes_Size(object) != 16) {
    PyErr_SetString(PyExc_ValueError, "the key of a hash has 16 bytes");
    return 0;
  }
  memcpy(key, PyBytes_AsString(object), 16);
  return 1;
}

/* A truth value, as bool. */
static int config_to_bool(PyObject *object, void *value)
{
  const int truth = PyObject_IsTrue(object);
  *(bool *)value = truth == 1;
  return truth >= 0;
}

/* ---- a filter to make ------------------------------------------------------------------------ */

#define CONFIG_NAMES                                                                     \
  "expected_insertions", "fpp", "strategy", "hash", "seed", "key", "keep_key", "memory", \
      "probes_formula", "lazy_memory", "foldable", "copies", "like"
#define CONFIG_TARGETS                                                                         \
  lfbpy_to_u64, &of->expected_insertions, &of->fpp, config_to_strategy, &of->strategy,         \
      config_to_hash, &of->hash, lfbpy_to_u64, &of->seed, config_to_key, of->key,              \
      config_to_bool, &of->keep_key, config_to_memory, &of->memory_preference,                 \
      config_to_formula, &of->probes_formula, config_to_bool, &of->lazy_memory,                \
      config_to_bool, &of->foldable, lfbpy_to_u64, &of->copies, &like

static bool config_has_hash(const lfb_config *config)
{
  static const uint8_t none[sizeof config->key];
  return config->hash != LFB_HASH_DEFAULT || config->seed != 0 ||
         memcmp(config->key, none, sizeof none) != 0;
}

/* Gives the configuration the hash of the filter `like`, if there is one. */
static bool config_like(lfb_config *config, PyObject *like)
{
  const bool keep_key = config->keep_key;
  if (like == NULL || like == Py_None)
    return true;
  const lfb_filter *filter = lfbpy_holder_of(like, "lfbloom.Filter");
  if (filter == NULL)
    return false;
  if (config_has_hash(config)) {
    PyErr_SetString(PyExc_ValueError, "like takes the hash of its filter: leave out hash, seed and key");
    return false;
  }
  if (!config_named(lfb_config_take_hash(config, filter)))
    return false;
  config->keep_key |= keep_key;
  return true;
}

/* Whether there is an fpp; raises TypeError if not. */
static bool config_has_fpp(PyObject *args, PyObject *kwargs, bool with_path)
{
  if (PyTuple_Size(args) > (with_path ? 2 : 1) ||
      (kwargs != NULL && PyDict_GetItemString(kwargs, "fpp") != NULL))
    return true;
  PyErr_SetString(PyExc_TypeError, "missing argument: fpp");
  return false;
}

#define CONFIG_REST "$O&O&O&O&O&O&O&O&O&O&O"

#define WINDOW_NAMES                                                                           \
  "expected_insertions", "fpp", "span", "generations", "by_insertions", "hash", "seed", "key", \
      "keep_key", "lazy_memory", "memory"
#define WINDOW_TARGETS                                                                 \
  lfbpy_to_u64, &of->expected_insertions, &of->fpp, &of->span, config_to_u32,          \
      &of->generations, config_to_bool, &of->by_insertions, config_to_hash, &of->hash, \
      lfbpy_to_u64, &of->seed, config_to_key, of->key, config_to_bool, &of->keep_key,  \
      config_to_bool, &of->lazy_memory, config_to_memory, &of->memory_preference

static bool config_parse_window(PyObject *args, PyObject *kwargs, bool with_path, lfbpy_config *config)
{
  static char *names[] = {WINDOW_NAMES, NULL};
  static char *path_names[] = {"path", WINDOW_NAMES, "file_mode", NULL};
  lfb_window_config *of = &config->window;
  if (!with_path)
    return PyArg_ParseTupleAndKeywords(args, kwargs, "O&d|$dO&O&O&O&O&O&O&O&", names, WINDOW_TARGETS);
  return PyArg_ParseTupleAndKeywords(args, kwargs, "O&O&d|$dO&O&O&O&O&O&O&O&O&", path_names, PyUnicode_FSConverter,
                                     &config->path, WINDOW_TARGETS, config_to_u32, &of->file_mode);
}

bool lfbpy_config_parse(PyObject *args, PyObject *kwargs, lfb_kind kind, bool with_path,
                        lfbpy_config *config)
{
  static char *names[] = {CONFIG_NAMES, NULL};
  static char *path_names[] = {"path", CONFIG_NAMES, "file_mode", NULL};
  const bool grows = kind == LFB_KIND_GROWING;
  lfb_config *of = &config->config;
  PyObject *like = NULL;

  if (kind == LFB_KIND_WINDOW)
    return config_parse_window(args, kwargs, with_path, config);
  if (grows && !config_has_fpp(args, kwargs, with_path))
    return false;
  return (with_path
              ? PyArg_ParseTupleAndKeywords(
                    args, kwargs, grows ? "O&|O&d" CONFIG_REST "O&" : "O&O&d|" CONFIG_REST "O&", path_names,
                    PyUnicode_FSConverter, &config->path, CONFIG_TARGETS, config_to_u32, &of->file_mode)
              : PyArg_ParseTupleAndKeywords(args, kwargs, grows ? "|O&d" CONFIG_REST : "O&d|" CONFIG_REST,
                                            names, CONFIG_TARGETS)) &&
         config_like(of, like);
}

void lfbpy_config_close(lfbpy_config *config)
{
  Py_CLEAR(config->path);
}

/* ---- a filter to read ------------------------------------------------------------------------ */

/* The key as an optional argument; notes whether there is one. */
static int source_to_key(PyObject *object, void *argument)
{
  lfbpy_source *source = argument;
  source->has_key = object != Py_None;
  return config_to_key(object, source->key);
}

#define SOURCE_TARGETS \
  lfbpy_to_u64, &source->max_bytes, source_to_key, source, config_to_bool, &source->open_damaged

bool lfbpy_source_parse(PyObject *args, PyObject *kwargs, bool with_path, lfbpy_source *source)
{
  static char *path_names[] = {"path", "max_bytes", "key", "open_damaged", NULL};
  static char *names[] = {"data", "max_bytes", "key", "open_damaged", NULL};
  return with_path ? PyArg_ParseTupleAndKeywords(args, kwargs, "O&|$O&O&O&", path_names, PyUnicode_FSConverter,
                                                 &source->path, SOURCE_TARGETS)
                   : PyArg_ParseTupleAndKeywords(args, kwargs, "O|$O&O&O&", names, &source->bytes, SOURCE_TARGETS);
}

bool lfbpy_source_parse_mapped(PyObject *args, PyObject *kwargs, lfbpy_source *source)
{
  static char *names[] = {"path", "read_only", "max_bytes", "key", NULL};
  return PyArg_ParseTupleAndKeywords(args, kwargs, "O&|$O&O&O&", names, PyUnicode_FSConverter,
                                     &source->path, config_to_bool, &source->read_only,
                                     lfbpy_to_u64, &source->max_bytes, source_to_key, source);
}

lfb_read_limits lfbpy_source_limits(const lfbpy_source *source)
{
  lfb_read_limits limits = {0};
  limits.max_bytes = source->max_bytes;
  limits.key = source->has_key ? source->key : NULL;
  limits.open_damaged = source->open_damaged;
  return limits;
}

void lfbpy_source_close(lfbpy_source *source)
{
  Py_CLEAR(source->path);
}
