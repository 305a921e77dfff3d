/*
 * python.h - Python's C interface, as all files of the extension use it.
 *
 * One build serves Python 3.11 and later: LFBPY_STABLE selects the stable ABI of 3.11.  A
 * free-threaded Python needs a build of its own, without LFBPY_STABLE.
 */
#ifndef LFBPY_PYTHON_H
#define LFBPY_PYTHON_H

#define PY_SSIZE_T_CLEAN
#ifdef LFBPY_STABLE
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A statement of the library that needs no GIL. */
#define LFBPY_WITHOUT_GIL(statement) Py_BEGIN_ALLOW_THREADS statement; Py_END_ALLOW_THREADS

/* Two calls on one object that must take turns: the GIL does it, or a lock of a Python without. */
#ifdef Py_GIL_DISABLED
#define LFBPY_BEGIN_TURN(object) Py_BEGIN_CRITICAL_SECTION(object)
#define LFBPY_END_TURN() Py_END_CRITICAL_SECTION()
#else
#define LFBPY_BEGIN_TURN(object) {
#define LFBPY_END_TURN() }
#endif

#endif
