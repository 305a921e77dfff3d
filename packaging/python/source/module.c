/* module.c - the module lfbloom._lfbloom; lfbloom/__init__.py exports its names. */
#include <lfbloom/filter_more.h>

#include <string.h>

#include "packaging/python/source/classes.h"
#include "packaging/python/source/config.h"
#include "packaging/python/source/error.h"

static PyObject *module_plan(PyObject *self, PyObject *args, PyObject *kwargs)
{
  (void)self;
  lfbpy_config config = {0};
  PyObject *result = NULL;
  if (lfbpy_config_parse(args, kwargs, LFB_KIND_PLAIN, false, &config)) {
    lfb_figures figures = {.kind = LFB_KIND_PLAIN};
    const lfb_status status = lfb_config_plan(&config.config, &figures.all);
    result = status == LFB_OK ? lfbpy_figures(&figures) : lfbpy_raise_status(status);
  }
  lfbpy_config_close(&config);
  return result;
}

static PyMethodDef module_methods[] = {
    LFBPY_KEYWORDS("plan", module_plan,
                   "plan(" LFBPY_CONFIG_SIGNATURE ")\n--\n\n"
                   "Returns the figures of an empty Filter of these arguments, without making it.\n\n"
                   ">>> import lfbloom\n"
                   ">>> lfbloom.plan(1_000_000, 0.01, strategy='fast')['probes']\n"
                   "6\n"),
    {NULL, NULL, 0, NULL},
};

/* ---- the classes ----------------------------------------------------------------------------- */

static const struct {
  const char *name;
  PyType_Spec *spec;
  lfb_kind kind;
} module_classes[] = {
    {"Filter", &lfbpy_filter_spec, LFB_KIND_PLAIN},
    {"Counting", &lfbpy_counting_spec, LFB_KIND_COUNTING},
    {"Growing", &lfbpy_growing_spec, LFB_KIND_GROWING},
    {"Window", &lfbpy_window_spec, LFB_KIND_WINDOW},
    {"Versions", &lfbpy_versions_spec, LFB_KIND_NONE},
    {"Section", &lfbpy_section_spec, LFB_KIND_NONE},
    {"Building", &lfbpy_building_spec, LFB_KIND_NONE},
};
enum { MODULE_CLASSES = sizeof module_classes / sizeof *module_classes };

/* The module's own references to its classes: a program can replace the module's attributes, and an
 * object of another class has no room for what lfbpy_holder holds. */
struct module_state {
  PyObject *classes[MODULE_CLASSES];
};

static struct PyModuleDef module_definition;

/* The class of a name in the module's state; a borrowed reference.  NULL if `module` is another
 * one, or is being cleared. */
static PyObject *module_class(PyObject *module, const char *name)
{
  const struct module_state *state = NULL;
  size_t i = 0;
  if (PyModule_Check(module) && PyModule_GetDef(module) == &module_definition)
    state = PyModule_GetState(module);
  while (strcmp(module_classes[i].name, name) != 0)
    i++;
  return state == NULL ? NULL : state->classes[i];
}

PyTypeObject *lfbpy_class(const char *name)
{
  PyObject *module = PyImport_ImportModule("lfbloom._lfbloom");
  if (module == NULL)
    return NULL;
  PyObject *type = module_class(module, name);
  Py_XINCREF(type);
  Py_DECREF(module);
  if (type == NULL)
    PyErr_SetString(PyExc_TypeError, "sys.modules['lfbloom._lfbloom'] is another module");
  return (PyTypeObject *)type;
}

lfb_kind lfbpy_kind(PyTypeObject *type)
{
  const void *methods = PyType_GetSlot(type, Py_tp_methods);
  size_t i = 0;
  while (module_classes[i].spec->slots->pfunc != methods)
    i++;
  return module_classes[i].kind;
}

static int module_add_classes(PyObject *module)
{
  struct module_state *state = PyModule_GetState(module);
  for (size_t i = 0; i < MODULE_CLASSES; i++) {
    state->classes[i] = PyType_FromSpec(module_classes[i].spec);
    if (state->classes[i] == NULL ||
        PyObject_SetAttrString(module, module_classes[i].name, state->classes[i]) < 0)
      return -1;
  }
  return 0;
}

/* Python 3.8 calls it before there is a state, too. */
static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
  struct module_state *state = PyModule_GetState(module);
  for (size_t i = 0; state != NULL && i < MODULE_CLASSES; i++)
    Py_VISIT(state->classes[i]);
  return 0;
}

static int module_clear(PyObject *module)
{
  struct module_state *state = PyModule_GetState(module);
  for (size_t i = 0; state != NULL && i < MODULE_CLASSES; i++)
    Py_CLEAR(state->classes[i]);
  return 0;
}

static void module_free(void *module)
{
  (void)module_clear(module);
}

static int module_add_statuses(PyObject *module)
{
  PyObject *statuses = lfbpy_statuses();
  if (statuses == NULL)
    return -1;
  const int added = PyObject_SetAttrString(module, "statuses", statuses);
  Py_DECREF(statuses);
  return added;
}

/* Whether a view of these bytes has each field where it is expected. */
static bool module_view_fits(const Py_buffer *view, PyObject *bytes, Py_ssize_t size)
{
  return view->buf == (void *)PyBytes_AsString(bytes) && view->obj == bytes && view->len == size &&
         view->itemsize == 1 && view->readonly == 1 && view->ndim == 1 && view->format != NULL &&
         strcmp(view->format, "B") == 0 && view->shape != NULL && view->shape[0] == size &&
         view->strides != NULL && view->strides[0] == 1 && view->suboffsets == NULL;
}

/* Raises ImportError and returns false if this Python's buffers are not as python.h declares
 * them. */
static bool module_check_python(void)
{
  enum { SIZE = 7 };
  PyObject *bytes = PyBytes_FromStringAndSize("lfbloom", SIZE);
  if (bytes == NULL)
    return false;
  /* Room after the struct: a Python with a larger one must not overwrite the stack. */
  union {
    Py_buffer view;
    char room[4 * sizeof(Py_buffer)];
  } large = {0};

  bool fits = false;
  if (PyObject_GetBuffer(bytes, &large.view, PyBUF_STRIDES | PyBUF_FORMAT) == 0) {
    fits = module_view_fits(&large.view, bytes, SIZE);
    PyBuffer_Release(&large.view);
  }
  Py_DECREF(bytes);
  if (!fits && !PyErr_Occurred())
    PyErr_SetString(PyExc_ImportError, "lfbloom does not know the buffers of this Python");
  return fits;
}

static int module_exec(PyObject *module)
{
  if (!module_check_python())
    return -1;
  return module_add_classes(module) < 0 || module_add_statuses(module) < 0
             ? -1
             : PyModule_AddStringConstant(module, "version", LFBPY_VERSION);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, (void *)(intptr_t)module_exec},
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_lfbloom",
    .m_doc = "The compiled part of lfbloom.",
    .m_size = sizeof(struct module_state),
    .m_methods = module_methods,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__lfbloom(void);
PyMODINIT_FUNC PyInit__lfbloom(void)
{
  return PyModuleDef_Init(&module_definition);
}
