/* figures.h - the library's figures as Python dicts, with the names of their fields. */
#ifndef LFBPY_FIGURES_H
#define LFBPY_FIGURES_H

#include <lfbloom/filter_more.h>
#include <lfbloom/growing.h>
#include <lfbloom/window.h>

#include "packaging/python/source/python.h"

/* Each makes a dict; approximate_count is None if the filter is saturated. */
PyObject *lfbpy_figures_filter(const lfb_stats *stats);
PyObject *lfbpy_figures_growing(const lfb_growing_figures *figures);
PyObject *lfbpy_figures_window(const lfb_window_figures *figures);

/* A dict of (value, error) pairs. */
PyObject *lfbpy_figures_comparison(const lfb_comparison *comparison);

/* The estimated count as len() returns it.  Raises OverflowError if the filter is saturated. */
Py_ssize_t lfbpy_figures_length(uint64_t approximate_count);

#endif
