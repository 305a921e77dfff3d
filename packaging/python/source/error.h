/* error.h - statuses of the library as Python exceptions; lfbloom/_errors.py has their classes. */
#ifndef LFBPY_ERROR_H
#define LFBPY_ERROR_H

#include <errno.h>
#include <lfbloom/status.h>

#include "packaging/python/source/python.h"

/* How a call ended that ran without the GIL. */
typedef struct lfbpy_outcome {
  lfb_status status;
  int cause; /* errno, at once after the call */
} lfbpy_outcome;

/* Runs a call of the library and notes errno.  Does not need the GIL. */
#define LFBPY_OUTCOME(call) lfbpy_outcome_of((errno = 0, (call)))
lfbpy_outcome lfbpy_outcome_of(lfb_status status);

/*
 * Raises the exception for an outcome that is not LFB_OK.  Returns NULL.
 *
 * Takes  path  that the call was for: a str or bytes; NULL for none.
 */
PyObject *lfbpy_raise(lfbpy_outcome outcome, PyObject *path);

/* Returns None for LFB_OK; for others as lfbpy_raise(). */
PyObject *lfbpy_none_or_raise(lfbpy_outcome outcome, PyObject *path);

/* As lfbpy_raise() and lfbpy_none_or_raise(), of a call that has no path and sets no errno. */
static inline PyObject *lfbpy_raise_status(lfb_status status)
{
  return lfbpy_raise((lfbpy_outcome){status, 0}, NULL);
}
static inline PyObject *lfbpy_none_or_raise_status(lfb_status status)
{
  return lfbpy_none_or_raise((lfbpy_outcome){status, 0}, NULL);
}

/* Raises FullError for the reason why a filter takes no more keys, with `result`, which it takes
 * over, as .result.  Returns NULL. */
PyObject *lfbpy_raise_full(lfbpy_outcome outcome, PyObject *result);

/* The table of statuses, as a dict: number -> name. */
PyObject *lfbpy_statuses(void);

#endif
