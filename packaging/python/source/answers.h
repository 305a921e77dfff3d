/*
 * answers.h - what a call with many keys returns, by its argument `answers`:
 *
 *   False       the number of True answers, an int
 *   True        a bytearray with 1 or 0 for each key
 *   "numpy"     a NumPy array of bool
 *   a buffer    itself, after an answer was written for each key: writable, one byte for each
 *
 * A wrong argument is refused before a key is put: an answer of a claim that is lost cannot be had
 * again.
 */
#ifndef LFBPY_ANSWERS_H
#define LFBPY_ANSWERS_H

#include "packaging/python/source/python.h"

/* The answers of a call.  All zero before lfbpy_answers_open(). */
typedef struct lfbpy_answers {
  bool wanted;      /* one for each key                                */
  PyObject *numpy;  /* the module, if `object` becomes a NumPy array   */
  PyObject *object; /* a bytearray of ours, or the caller's            */
  Py_buffer view;   /* of the caller's buffer                          */
  uint8_t *next;    /* where the next answer goes                      */
  size_t count;     /* so far                                          */
  size_t trues;     /* of them True                                    */
} lfbpy_answers;

/* Takes the argument; NULL is `wanted`.  Raises TypeError, or ImportError without NumPy.  Call
 * lfbpy_answers_close() anyway. */
bool lfbpy_answers_open(lfbpy_answers *answers, PyObject *argument, bool wanted);

/* Makes room for `count` more; `last`: no others follow.  Raises ValueError if the caller's buffer
 * is shorter, or with `last` longer: before a key is put, if all are known. */
bool lfbpy_answers_room(lfbpy_answers *answers, size_t count, bool last);

/* Writes `count` answers, bit i of `words` for each.  Needs no GIL. */
void lfbpy_answers_write(lfbpy_answers *answers, const uint64_t *words, size_t count);

/* The result of the call.  Raises ValueError if the caller's buffer is longer than the keys. */
PyObject *lfbpy_answers_result(lfbpy_answers *answers);

void lfbpy_answers_close(lfbpy_answers *answers);

#endif
