/* module.c - the module lfbloom._lfbloom; lfbloom/__init__.py exports its names. */
#include <lfbloom/filter.h>

#include "packaging/python/source/classes.h"
#include "packaging/python/source/config.h"
#include "packaging/python/source/error.h"
#include "packaging/python/source/figures.h"

static PyObject *module_plan(PyObject *self, PyObject *args, PyObject *kwargs)
{
  (void)self;
  lfbpy_config config = {0};
  PyObject *result = NULL;
  if (lfbpy_config_parse(args, kwargs, false, &config)) {
    lfb_stats stats = {0};
    const lfb_status status = lfb_config_plan(&config.config, &stats);
    result = status == LFB_OK ? lfbpy_figures_filter(&stats)
                              : lfbpy_raise((lfbpy_outcome){status, 0}, NULL);
  }
  lfbpy_config_close(&config);
  return result;
}

static PyMethodDef module_methods[] = {
    {"plan", LFBPY_KEYWORDS(module_plan), METH_VARARGS | METH_KEYWORDS,
     "plan(" LFBPY_CONFIG_SIGNATURE ")\n--\n\n"
     "Returns the figures of an empty Filter of these arguments, without making it.\n\n"
     ">>> import lfbloom\n"
     ">>> lfbloom.plan(1_000_000, 0.01, strategy='fast')['probes']\n"
     "6\n"},
    {NULL, NULL, 0, NULL},
};

/* Adds a class under its name in the module. */
static int module_add_class(PyObject *module, const char *name, PyType_Spec *spec)
{
  PyObject *type = PyType_FromSpec(spec);
  if (type == NULL)
    return -1;
  const int added = PyObject_SetAttrString(module, name, type);
  Py_DECREF(type);
  return added;
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

static int module_exec(PyObject *module)
{
  static const struct {
    const char *name;
    PyType_Spec *spec;
  } classes[] = {
      {"Filter", &lfbpy_filter_spec},
      {"Counting", &lfbpy_counting_spec},
      {"Growing", &lfbpy_growing_spec},
      {"Window", &lfbpy_window_spec},
      {"Versions", &lfbpy_versions_spec},
      {"Section", &lfbpy_section_spec},
      {"Building", &lfbpy_building_spec},
  };
  if (!lfbpy_check_python())
    return -1;
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (module_add_class(module, classes[i].name, classes[i].spec) < 0)
      return -1;
  return module_add_statuses(module) < 0
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
    .m_methods = module_methods,
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__lfbloom(void);
PyMODINIT_FUNC PyInit__lfbloom(void)
{
  return PyModuleDef_Init(&module_definition);
}
