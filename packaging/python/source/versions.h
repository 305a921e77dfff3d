/* versions.h - what versions.c, section.c and building.c need of each other. */
#ifndef LFBPY_VERSIONS_H
#define LFBPY_VERSIONS_H

#include <lfbloom/filter.h>

#include "packaging/python/source/python.h"

/* Methods of Versions that return a Section or a Building. */
PyObject *lfbpy_section_of(PyObject *versions, PyObject *ignored);
PyObject *lfbpy_building_begin(PyObject *versions, PyObject *args, PyObject *kwargs);
PyObject *lfbpy_building_begin_of(PyObject *versions, PyObject *filter);

/* What lfbpy_enter() does for them: gives the filter, or NULL with an exception. */
void *lfbpy_section_enter(PyObject *self);
void *lfbpy_building_enter(PyObject *self);

/* Whether the calling thread is in a section of these Versions. */
bool lfbpy_section_here(PyObject *versions);

/* Makes a filter for the arguments; copies that of a Filter.  NULL: with an exception. */
lfb_filter *lfbpy_building_make(PyObject *args, PyObject *kwargs);
lfb_filter *lfbpy_building_copy(PyObject *filter);

#endif
