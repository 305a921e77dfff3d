/* module.c - the module lfbloom._lfbloom; lfbloom/__init__.py exports its names. */
#include <lfbloom/filter_more.h>

#include "packaging/python/source/classes.h"
#include "packaging/python/source/config.h"
#include "packaging/python/source/error.h"
#include <structmember.h>

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

static lfbpy_class *const module_classes[LFBPY_CLASSES] = {
    &lfbpy_filter_class,
    &lfbpy_counting_class,
    &lfbpy_growing_class,
    &lfbpy_window_class,
    &lfbpy_versions_class,
    &lfbpy_section_class,
    &lfbpy_building_class,
};

static PyMemberDef module_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(lfbpy_holder, weak), READONLY, NULL}, {0}};

/* Makes the type of a class.  Filters, except a Window, have a length, and are false if empty; for
 * the others the list of slots ends before. */
static PyObject *module_type(PyObject *module, lfbpy_class *of)
{
  const bool sized = of->end == NULL && of->what != LFB_KIND_WINDOW;
  PyType_Slot slots[] = {
      {Py_tp_methods, of->methods},
      {Py_tp_getset, of->getset},
      {Py_tp_members, module_members},
      {Py_tp_doc, (void *)(uintptr_t)of->doc},
      {Py_tp_new, (void *)(intptr_t)(of->make == NULL ? lfbpy_new : of->make)},
      {Py_tp_dealloc, (void *)(intptr_t)lfbpy_dealloc},
      {Py_sq_contains, (void *)(intptr_t)lfbpy_contains},
      {sized ? Py_sq_length : 0, (void *)(intptr_t)lfbpy_length},
      {Py_nb_bool, (void *)(intptr_t)lfbpy_is_filled},
      {of->repr != NULL ? Py_tp_repr : 0, (void *)(intptr_t)of->repr},
      {0, NULL},
  };
  PyType_Spec spec = {of->name, (int)of->size, 0, Py_TPFLAGS_DEFAULT, slots};
  return PyType_FromModuleAndSpec(module, &spec, NULL);
}

static int module_add_classes(PyObject *module)
{
  lfbpy_state *state = PyModule_GetState(module);
  for (size_t i = 0; i < LFBPY_CLASSES; i++) {
    PyObject *type = module_type(module, module_classes[i]);
    state->types[module_classes[i]->what] = type;
    if (type == NULL || PyModule_AddType(module, (PyTypeObject *)type) < 0)
      return -1;
  }
  return 0;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
  lfbpy_state *state = PyModule_GetState(module);
  for (size_t i = 0; i < LFBPY_CLASSES; i++)
    Py_VISIT(state->types[i]);
  return 0;
}

/* Not when a cycle is cleared: instances find their types here as long as there is the module. */
static void module_free(void *module)
{
  lfbpy_state *state = PyModule_GetState(module);
  for (size_t i = 0; i < LFBPY_CLASSES; i++)
    Py_CLEAR(state->types[i]);
}

static int module_exec(PyObject *module)
{
  PyObject *statuses = lfbpy_statuses();
  const int added = PyModule_AddObjectRef(module, "statuses", statuses);
  Py_XDECREF(statuses);
  return added < 0 || module_add_classes(module) < 0
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

static PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_lfbloom",
    .m_doc = "The compiled part of lfbloom.",
    .m_size = sizeof(lfbpy_state),
    .m_methods = module_methods,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__lfbloom(void);
PyMODINIT_FUNC PyInit__lfbloom(void)
{
  return PyModuleDef_Init(&module_definition);
}
