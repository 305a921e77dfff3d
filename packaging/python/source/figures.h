/* figures.h - the library's figures as Python dicts, with the names of their fields. */
#ifndef LFBPY_FIGURES_H
#define LFBPY_FIGURES_H

#include <lfbloom/any.h>

#include "packaging/python/source/python.h"

/* A dict of those that the kind of filter has; approximate_count is None if the filter is saturated. */
PyObject *lfbpy_figures(const lfb_figures *figures);

/* A dict of (value, error) pairs. */
PyObject *lfbpy_figures_comparison(const lfb_comparison *comparison);

/* The estimated count as len() returns it.  Raises OverflowError if the filter is saturated. */
Py_ssize_t lfbpy_figures_length(uint64_t approximate_count);

#endif
