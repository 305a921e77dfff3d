/* answers.c - see answers.h. */
#include "packaging/python/source/answers.h"

#include <lfbloom/filter.h>

static bool answers_open_buffer(lfbpy_answers *answers, PyObject *buffer)
{
  if (PyObject_GetBuffer(buffer, &answers->view, PyBUF_WRITABLE | PyBUF_ND) < 0)
    return false;
  if (answers->view.ndim != 1 || answers->view.itemsize != 1) {
    PyErr_SetString(PyExc_TypeError, "a buffer for answers has one dimension and one byte each");
    return false;
  }
  answers->object = Py_NewRef(buffer);
  answers->next = answers->view.buf;
  return true;
}

static bool answers_open_own(lfbpy_answers *answers)
{
  answers->object = PyByteArray_FromStringAndSize(NULL, 0);
  return answers->object != NULL;
}

bool lfbpy_answers_open(lfbpy_answers *answers, PyObject *argument, bool wanted)
{
  answers->wanted = argument == NULL ? wanted : argument != Py_False;
  if (!answers->wanted)
    return true;
  if (argument == NULL || argument == Py_True)
    return answers_open_own(answers);
  if (!PyUnicode_Check(argument))
    return answers_open_buffer(answers, argument);
  if (PyUnicode_CompareWithASCIIString(argument, "numpy") != 0) {
    PyErr_SetString(PyExc_TypeError, "answers is False, True, \"numpy\" or a writable buffer");
    return false;
  }
  answers->numpy = PyImport_ImportModule("numpy");
  return answers->numpy != NULL && answers_open_own(answers);
}

/* Raises the ValueError of a buffer that has not one byte for each key. */
static bool answers_misfit(const lfbpy_answers *answers, size_t count)
{
  PyErr_Format(PyExc_ValueError, "the buffer for answers has %zd bytes for %zu keys",
               answers->view.len, count);
  return false;
}

bool lfbpy_answers_room(lfbpy_answers *answers, size_t count, bool last)
{
  const size_t all = answers->count + count;
  if (!answers->wanted)
    return true;
  if (answers->view.obj != NULL) {
    const size_t size = (size_t)answers->view.len;
    return (last ? all == size : all <= size) || answers_misfit(answers, all);
  }
  if (PyByteArray_Resize(answers->object, (Py_ssize_t)all) < 0)
    return false;
  answers->next = (uint8_t *)PyByteArray_AsString(answers->object) + answers->count;
  return true;
}

void lfbpy_answers_write(lfbpy_answers *answers, const uint64_t *words, size_t count)
{
  for (size_t i = 0; i < count; i++)
    answers->next[i] = lfb_answer(words, i);
  answers->next += count;
  answers->count += count;
}

/* numpy.frombuffer(object, "?"), which copies nothing. */
static PyObject *answers_numpy(const lfbpy_answers *answers)
{
  return PyObject_CallMethod(answers->numpy, "frombuffer", "Os", answers->object, "?");
}

PyObject *lfbpy_answers_result(lfbpy_answers *answers)
{
  if (!answers->wanted)
    return PyLong_FromSize_t(answers->trues);
  if (answers->view.obj != NULL && answers->count != (size_t)answers->view.len) {
    (void)answers_misfit(answers, answers->count);
    return NULL;
  }
  /* frombuffer() refuses an empty buffer in some versions. */
  if (answers->numpy != NULL)
    return answers_numpy(answers);
  return Py_NewRef(answers->object);
}

void lfbpy_answers_close(lfbpy_answers *answers)
{
  if (answers->view.obj != NULL)
    PyBuffer_Release(&answers->view);
  Py_CLEAR(answers->object);
  Py_CLEAR(answers->numpy);
}
