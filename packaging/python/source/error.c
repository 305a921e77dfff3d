/* error.c - see error.h. */
#include "packaging/python/source/error.h"

lfbpy_outcome lfbpy_outcome_of(lfb_status status)
{
  return (lfbpy_outcome){status, errno};
}

/* Calls lfbloom._errors.make(status, text, errno, path), or make_full() with the result. */
static PyObject *error_made(const char *make, lfbpy_outcome outcome, PyObject *of)
{
  PyObject *module = PyImport_ImportModule("lfbloom._errors");
  if (module == NULL)
    return NULL;
  PyObject *error = PyObject_CallMethod(module, make, "isiO", (int)outcome.status,
                                        lfb_status_text(outcome.status), outcome.cause,
                                        of == NULL ? Py_None : of);
  Py_DECREF(module);
  return error;
}

/* Raises the exception, unless making it has raised another.  Returns NULL. */
static PyObject *error_raise(PyObject *error)
{
  if (error != NULL) {
    PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_DECREF(error);
  }
  return NULL;
}

PyObject *lfbpy_raise(lfbpy_outcome outcome, PyObject *path)
{
  return error_raise(error_made("make", outcome, path));
}

PyObject *lfbpy_raise_full(lfbpy_outcome outcome, PyObject *result)
{
  PyObject *error = error_made("make_full", outcome, result);
  Py_DECREF(result);
  return error_raise(error);
}

PyObject *lfbpy_none_or_raise(lfbpy_outcome outcome, PyObject *path)
{
  if (outcome.status != LFB_OK)
    return lfbpy_raise(outcome, path);
  return Py_NewRef(Py_None);
}

#define ERROR_FORMAT(name, number, text) ",i:s"
#define ERROR_ITEM(name, number, text) , number, #name

PyObject *lfbpy_statuses(void)
{
  return Py_BuildValue("{" LFB_STATUS_LIST(ERROR_FORMAT) "}" LFB_STATUS_LIST(ERROR_ITEM));
}
